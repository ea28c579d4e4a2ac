internal import ASCII
internal import Localization

/// What an entry asks of its arguments, over all its devices and cases.
struct ArgumentSummary {
  /// The kinds of value that the uses of an argument want; empty if any value fits, as for type
  /// `@`.
  struct Kinds: OptionSet {
    let rawValue: UInt8
    static let text = Kinds(rawValue: 1)
    static let integer = Kinds(rawValue: 2)
    static let fraction = Kinds(rawValue: 4)

    /// Whether an argument is used as two different things.
    var isMixed: Bool { rawValue.nonzeroBitCount > 1 }
  }

  /// An argument and how the entry uses it.
  struct Argument {
    /// Counted from 1.
    let number: Int
    fileprivate(set) var kinds: Kinds
    /// Whether a variable varies by it.
    fileprivate(set) var isVarying: Bool
    /// Whether a text shows it, and not only varies by it.
    fileprivate var isShown: Bool
    fileprivate var fitsAny: Bool
  }

  /// The arguments in order.
  private(set) var arguments: [Argument] = []

  /// Whether the entry takes no argument.
  var isEmpty: Bool { arguments.isEmpty }

  init() {}

  /// Sums up the texts of one entry, in which no percent sign means itself any more.
  init(_ formats: [PluralFormat]) {
    var all: [Argument] = []
    for format in formats {
      for use in format.argumentUses { all.append(Argument(use, of: format)) }
    }
    all.sort { $0.number < $1.number }
    for argument in all {
      if let last = arguments.indices.last, arguments[last].number == argument.number {
        arguments[last].kinds.formUnion(argument.kinds)
        arguments[last].isVarying = arguments[last].isVarying || argument.isVarying
        arguments[last].isShown = arguments[last].isShown || argument.isShown
        arguments[last].fitsAny = arguments[last].fitsAny || argument.fitsAny
      } else {
        arguments.append(argument)
      }
    }
    for index in arguments.indices where arguments[index].fitsAny { arguments[index].kinds = [] }
  }

  /// The arguments that it shows and `other` lacks; both are sorted, so one walk finds them.
  func arguments(notIn other: ArgumentSummary) -> [Int] {
    var theirs = other.arguments.makeIterator()
    var next = theirs.next()
    return arguments.filter(\.isShown).map(\.number).filter { number in
      while let candidate = next, candidate.number < number { next = theirs.next() }
      return next?.number != number
    }
  }

  /// The arguments that both have, in pairs.
  func pairs(with other: ArgumentSummary) -> [(own: Argument, other: Argument)] {
    var theirs = other.arguments.makeIterator()
    var next = theirs.next()
    return arguments.compactMap { own in
      while let candidate = next, candidate.number < own.number { next = theirs.next() }
      guard let candidate = next, candidate.number == own.number else { return nil }
      return (own, candidate)
    }
  }
}

extension ArgumentSummary.Argument {
  fileprivate init(_ use: ArgumentUse, of format: PluralFormat) {
    var conversion: FormatSpecifier.Conversion? = use.conversion
    isVarying = false
    isShown = true
    if case .variable(let name) = use.conversion {
      isVarying = true
      isShown = false
      let variable = format.variables[name]
      // A variable that shows nothing says nothing of its argument: apps skip arguments that way.
      let isEmpty = variable?.cases.values.allSatisfy(\.isEmpty) ?? true
      conversion = isEmpty ? nil : variable?.numberConversion
    }
    number = use.argument
    kinds = conversion.map(ArgumentSummary.Kinds.init) ?? []
    fitsAny = kinds.isEmpty
  }
}

extension ArgumentSummary.Kinds {
  fileprivate init(_ conversion: FormatSpecifier.Conversion) {
    switch conversion {
    case .object: self = .text
    case .integer, .hexadecimal, .octal: self = .integer
    case .fixed, .scientific, .general, .hexadecimalFloat: self = .fraction
    // The lint tells of these placeholders as such; nobody knows what was meant instead.
    case .character, .pointedText, .pointer, .variable: self = []
    }
  }
}

extension PluralVariable {
  /// The conversion that reads the variable's number; nil for `@`, which takes a number of any
  /// kind.
  var numberConversion: FormatSpecifier.Conversion? {
    for case .specifier(let specifier, _) in FormatParser("%" + self.specifier) {
      return specifier.conversion == .object ? nil : specifier.conversion
    }
    return nil
  }
}

extension Entry {
  /// The texts that are compared. Of widths this is the largest: the others are never shown here.
  var comparedFormats: [PluralFormat] {
    switch self {
    case .text(let text): [PluralFormat(text)]
    case .plural(let format): [format]
    case .devices(let formats): DeviceClass.allCases.compactMap { formats[$0] }
    case .widths: [format(for: .iphone)].compactMap(\.self)
    }
  }
}
