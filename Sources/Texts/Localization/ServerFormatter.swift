internal import ASCII

/// Fills the placeholders of a text on the server, as Foundation's `String(format:)` would, but for
/// any text and any arguments.
///
/// | case | text | problem |
/// |---|---|---|
/// | `%@`, `%2$@` | the argument's text | |
/// | `%d`, `%.2f`, `%x` … | the number, localized as Foundation does | |
/// | `%#@n@` | the case of variable n for its argument, filled in turn | |
/// | an argument is missing | nothing | `missing_argument` |
/// | `%d` meets a text or a fraction | the argument's text | `argument_not_integer` |
/// | `%f` or a variable meets a text | the argument's text; case `other` | `argument_not_number` |
/// | `%#@n@` without a variable n | the argument's text | `undefined_variable` |
/// | n has neither the case of its number nor `other` | another case | `missing_plural_case` |
/// | `50% off`: `% o` without a number for it | as it is | `unescaped_percent` |
/// | `%s`, `%S`, `%P` | the argument's text | `unsupported_specifier` |
/// | `%p`, `%n` | nothing, the argument is used up | `unsupported_specifier` |
/// | `%y`, any other character | `y` | `unsupported_specifier` |
/// | `%` and what follows at the end | nothing | `unsupported_specifier` |
///
/// Without arguments a text that has no placeholder is shown as it is (`50% off`, `100%%`), as
/// on the device. Surplus arguments are no problem: translations may leave one out. Of Apple's
/// markup only the words are shown, see ``InlineMarkup``.
///
/// Without a position a placeholder takes the next argument; inside a case of a variable the first
/// takes the variable's own argument. A case is chosen by the language of the text; `zero` also
/// stands for the number 0, and `other` for a category without a case, or with an empty one where
/// the whole text would be empty.
/// Source: CFString.c (`__CFStringAppendFormatCore`), docs/apple.md 5.2, docs/apple.md 6.
public struct ServerFormatter: Sendable {
  /// A filled text and what could not be filled.
  public struct Result: Sendable, Hashable {
    public let text: String
    /// One problem for each placeholder that could not be filled as asked.
    public let problems: [LocalizationProblem]
  }

  /// How numbers are written, such as `de_CH`.
  public let locale: String
  /// The plural rules of the text's language.
  public let rules: PluralRules
  /// Whether an argument that reads in the other direction than its text is set apart by
  /// U+2068 and U+2069. A device does not do so.
  public let isolatesArguments: Bool

  /// A formatter for the texts of one localization.
  ///
  /// - Parameters:
  ///   - locale: how numbers are written, see `FormattingLocale`.
  ///   - rules: the plural rules of the texts' language.
  ///   - isolatesArguments: whether arguments of the other direction are set apart.
  public init(locale: String, rules: PluralRules, isolatesArguments: Bool = false) {
    self.locale = locale
    self.rules = rules
    self.isolatesArguments = isolatesArguments
  }

  /// An argument as it stands in a text: between U+2068 and U+2069 if it reads in the other
  /// direction. A device that gets it so shows what the server would.
  public static func isolated(_ argument: String, in text: String) -> String {
    isolated(argument, in: TextDirection(of: text))
  }

  fileprivate static func isolated(_ argument: String, in direction: TextDirection?) -> String {
    guard let direction, let other = TextDirection(of: argument), other != direction else {
      return argument
    }
    return "\u{2068}\(argument)\u{2069}"
  }

  /// Fills a text without variables.
  public func format(_ text: String, arguments: [ArgumentValue]) -> Result {
    format(PluralFormat(text), arguments: arguments)
  }

  /// Fills a text with variables.
  public func format(_ format: PluralFormat, arguments: [ArgumentValue]) -> Result {
    let result = filled(format, arguments)
    guard result.text.isEmpty, format.variables.values.contains(where: \.hasEmptyCase) else {
      return result
    }
    return filled(format.withoutEmptyCases, arguments)
  }

  private func filled(_ format: PluralFormat, _ arguments: [ArgumentValue]) -> Result {
    let text = InlineMarkup.words(of: format.text)
    guard text.utf8.contains(UInt8(ascii: "%")) else { return Result(text: text, problems: []) }
    let bytes = Array(text.utf8)
    if arguments.isEmpty && !FormatParser(bytes[...]).contains(where: \.takesArgument) {
      return Result(text: text, problems: [])
    }
    let direction = isolatesArguments ? TextDirection(of: format.text) : nil
    var filling = Filling(
      formatter: self, variables: format.variables, arguments: arguments, direction: direction)
    filling.append(bytes, first: 1, depth: 0)
    return Result(
      text: String(decoding: filling.output, as: UTF8.self), problems: filling.problems)
  }
}

/// One text while it is filled.
private struct Filling {
  let formatter: ServerFormatter
  let variables: [Spelling: PluralVariable]
  let arguments: [ArgumentValue]
  let direction: TextDirection?
  var output: [UInt8] = []
  var problems: [LocalizationProblem] = []
  private var expansions = 0
  private var readBytes = 0
  private var placeholders = 0

  init(
    formatter: ServerFormatter, variables: [Spelling: PluralVariable], arguments: [ArgumentValue],
    direction: TextDirection?
  ) {
    self.formatter = formatter
    self.variables = variables
    self.arguments = arguments
    self.direction = direction
  }

  /// Fills a text whose first placeholder without a position stands for argument `first`.
  mutating func append(_ bytes: [UInt8], first: Int, depth: Int) {
    readBytes += bytes.count
    guard readBytes <= Limits.readBytes else {
      return report(.expansionLimit, String(Limits.readBytes))
    }
    var next = first
    var isPositional = false
    for part in FormatParser(bytes[...]) {
      guard output.count <= Limits.expandedBytes else {
        return report(.expansionLimit, String(Limits.expandedBytes))
      }
      if case .text(let range) = part {
        output.append(contentsOf: bytes[range])
        continue
      }
      placeholders += 1
      guard placeholders <= Limits.placeholders else {
        return report(.expansionLimit, String(Limits.placeholders))
      }
      switch part {
      case .text: break
      case .escaped(let shown, let whole):
        output.append(contentsOf: bytes[shown])
        if bytes[shown] != [UInt8(ascii: "%")] { report(.unsupportedSpecifier, bytes[whole]) }
      case .incomplete(let range):
        report(.unsupportedSpecifier, bytes[range])
      case .specifier(let specifier, let range):
        isPositional = isPositional || specifier.position != nil
        if specifier.mayBePercentSign,
          !takesNumber(specifier, next: next, isPositional: isPositional)
        {
          output.append(contentsOf: bytes[range])
          report(.unescapedPercent, bytes[range])
        } else {
          append(specifier, bytes[range], next: &next, depth: depth)
        }
      }
    }
  }

  private mutating func append(
    _ specifier: FormatSpecifier, _ source: ArraySlice<UInt8>, next: inout Int, depth: Int
  ) {
    var specifier = specifier
    let width = amount(specifier.width, next: &next)
    if let width, width < 0 { specifier.flags = specifier.flags.union(.left).subtracting(.zero) }
    // As in C, a precision below zero, which only an argument can ask for, is none.
    let precision = amount(specifier.precision, next: &next).flatMap { $0 < 0 ? nil : $0 }
    let position = specifier.position ?? next
    if specifier.position == nil { next += 1 }

    if case .variable(let name) = specifier.conversion {
      return append(variable: name, specifier, position, depth: depth)
    }
    guard arguments.indices.contains(position - 1) else {
      return report(.missingArgument, String(position))
    }
    let argument = arguments[position - 1]
    let boundedWidth = width.map { min(abs($0), Limits.formatNumber) }
    switch specifier.conversion {
    case .variable: break
    case .object: append(argument)
    case .pointedText:
      append(argument)
      report(.unsupportedSpecifier, source)
    case .pointer:
      report(.unsupportedSpecifier, source)
    case .integer, .hexadecimal, .octal, .character:
      guard let number = argument.integer else {
        append(argument)
        return report(.argumentNotInteger, source)
      }
      let text = NumberText.text(
        number, specifier, width: boundedWidth, precision: precision, locale: formatter.locale)
      output.append(contentsOf: text.utf8)
    case .fixed, .scientific, .general, .hexadecimalFloat:
      guard let number = argument.double else {
        append(argument)
        return report(.argumentNotNumber, source)
      }
      let text = NumberText.text(
        number, specifier, width: boundedWidth, precision: precision, locale: formatter.locale)
      output.append(contentsOf: text.utf8)
    }
  }

  /// Whether a placeholder is meant as such, and not as a percent sign before a word. There must be
  /// a number for it, and in `%1$d% af` it must not be the only one without a position.
  private func takesNumber(_ specifier: FormatSpecifier, next: Int, isPositional: Bool) -> Bool {
    let position = specifier.position ?? next
    guard isPositional == (specifier.position != nil), specifier.conversion.takesNumber,
      arguments.indices.contains(position - 1)
    else { return false }
    return arguments[position - 1].double != nil
  }

  /// A width or precision: a number, or an argument that is one.
  private mutating func amount(_ amount: FormatSpecifier.Amount?, next: inout Int) -> Int? {
    switch amount {
    case nil: return nil
    case .number(let number): return number
    case .argument(let position):
      let place = position ?? next
      if position == nil { next += 1 }
      guard arguments.indices.contains(place - 1), let number = arguments[place - 1].integer else {
        report(.missingArgument, String(place))
        return nil
      }
      let bound = Int64(Limits.formatNumber)
      return Int(min(max(number, -bound), bound))
    }
  }

  private mutating func append(
    variable name: Spelling, _ specifier: FormatSpecifier, _ position: Int, depth: Int
  ) {
    guard let variable = variables[name] else {
      // Foundation then takes the placeholder for an object.
      if arguments.indices.contains(position - 1) { append(arguments[position - 1]) }
      return report(.undefinedVariable, name.text)
    }
    expansions += 1
    guard depth < Limits.variableNesting, expansions <= Limits.variableExpansions else {
      return report(.expansionLimit, name.text)
    }
    let position = specifier.position ?? variable.decidingArgument(of: arguments) ?? position
    var category = PluralCategory.other
    if arguments.indices.contains(position - 1) {
      let argument = arguments[position - 1]
      if let number = argument.pluralNumber(decimals: variable.shownDecimals(position: position)) {
        category = formatter.rules.category(of: number)
        if number.isZero, variable.cases[.zero] != nil { category = .zero }
      } else {
        report(.argumentNotNumber, name.text)
      }
    } else {
      report(.missingArgument, String(position))
    }
    var text = variable.cases[category] ?? variable.cases[.other]
    if text == nil {
      report(.missingPluralCase, "\(name).\(category.rawValue)")
      text = PluralCategory.allCases.reversed().lazy.compactMap { variable.cases[$0] }.first
    }
    guard let text else { return }
    append(Array(InlineMarkup.words(of: text).utf8), first: position, depth: depth + 1)
  }

  private mutating func append(_ argument: ArgumentValue) {
    let text = argument.text(locale: formatter.locale)
    output.append(contentsOf: ServerFormatter.isolated(text, in: direction).utf8)
  }

  private mutating func report(_ code: LocalizationProblem.Code, _ source: ArraySlice<UInt8>) {
    report(code, String(decoding: source, as: UTF8.self))
  }

  private mutating func report(_ code: LocalizationProblem.Code, _ detail: String) {
    guard problems.count < Limits.problems else { return }
    let start = detail.unicodeScalars.prefix(Limits.problemScalars)
    let shown = start.endIndex == detail.endIndex ? detail : String(start) + "…"
    problems.append(LocalizationProblem(code, detail: shown))
  }
}

extension FormatPart {
  fileprivate var takesArgument: Bool {
    guard case .specifier(let specifier, _) = self else { return false }
    // `50% off` is no question for an octal number.
    return !specifier.mayBePercentSign
  }
}

extension PluralVariable {
  fileprivate var hasEmptyCase: Bool { cases.values.contains(where: \.isEmpty) }
}

extension PluralFormat {
  fileprivate var withoutEmptyCases: PluralFormat {
    PluralFormat(
      text,
      variables: variables.mapValues { variable in
        PluralVariable(
          argument: variable.argument, candidates: variable.candidates,
          specifier: variable.specifier, cases: variable.cases.filter { !$0.value.isEmpty })
      })
  }
}
