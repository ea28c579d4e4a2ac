internal import Localization

/// The texts of one variable by category, and what their placeholders say about it.
struct CaseTexts {
  /// A number among the placeholders of the texts.
  struct Number: Equatable {
    /// The argument, counted from 1.
    var argument: Int
    /// Whether the text says `N$`.
    var isPositioned: Bool
    /// `lld` of `%-5lld`.
    var specifier: String
    /// `.1` of `%.1f`.
    var precision: String
  }

  private let cases: [PluralCategory: String]

  init(_ cases: [PluralCategory: String]) {
    self.cases = cases
  }

  /// The variable for a text that is nothing but variations by plural.
  ///
  ///     "%lld files"           the next argument
  ///     "%2$lld files"         argument 2
  ///     "%@ sent %lld files"   argument 2, and the text becomes "%1$@ sent %2$lld files": in a
  ///                            variable's text the first placeholder is its own argument
  ///     "files of %@"          the number of `others`, else what the arguments say: it is one that
  ///                            the texts show by `%@`, or the first that they do not show
  ///
  /// - Parameter others: texts that show the number where these do not, such as the key: the app
  ///   fills the key as its format, and the plural counts the number in it.
  func variable(others: OtherNumber) -> PluralVariable {
    let isPlain = cases.values.allSatisfy { Self.isPlain($0) }
    let cases = isPlain ? cases : cases.mapValues(Self.positioned)
    if let number {
      return PluralVariable(
        argument: number.isPositioned || !isPlain ? number.argument : nil,
        specifier: number.specifier, cases: cases)
    }
    if let number = others.number {
      return PluralVariable(
        argument: number.argument > 1 ? number.argument : nil,
        specifier: number.precision + number.specifier, cases: cases)
    }
    let shown = Set(cases.values.flatMap { PluralFormat($0).argumentUses.map(\.argument) })
    let hidden = (1...shown.count + 1).first { !shown.contains($0) }
    return PluralVariable(
      argument: shown.isEmpty ? nil : hidden, candidates: shown.sorted(), specifier: "d",
      cases: cases)
  }

  /// The first number of the texts. The text of `other` comes first, as it seldom lacks the number.
  var number: Number? {
    Self.number(in: PluralCategory.allCases.reversed().compactMap { cases[$0] })
  }

  fileprivate static func number(in texts: [String]) -> Number? {
    for text in texts {
      var argument = 0
      for case .specifier(let specifier, let range) in FormatParser(text) {
        argument += specifier.argumentCount
        guard specifier.conversion.isNumber else { continue }
        return Number(
          argument: specifier.position ?? argument, isPositioned: specifier.position != nil,
          specifier: name(Array(text.utf8)[range]), precision: specifier.precisionText)
      }
    }
    return nil
  }

  /// Whether no placeholder without position could be taken for another argument.
  private static func isPlain(_ text: String) -> Bool {
    var count = 0
    for case .specifier(let specifier, _) in FormatParser(text) where specifier.position == nil {
      count += 1
      if count > 1 || !specifier.conversion.isNumber { return false }
    }
    return true
  }

  /// The text with `N$` at each placeholder that lacks it.
  private static func positioned(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var copied = 0
    var argument = 0
    for case .specifier(let specifier, let range) in FormatParser(text) {
      argument += specifier.argumentCount
      // A width from the arguments (`%*d`) would need a position of its own: left as it is.
      guard specifier.position == nil, specifier.argumentCount == 1 else { continue }
      output += bytes[copied...range.lowerBound]
      output += Array("\(argument)$".utf8)
      copied = range.lowerBound + 1
    }
    output += bytes[copied...]
    return String(decoding: output, as: UTF8.self)
  }

  /// The text with each `%arg` replaced; `%%arg` is a percent sign and no placeholder.
  static func replacingArgument(in text: String, by own: String) -> String {
    let bytes = Array(text.utf8)
    let mark = Array("%arg".utf8)
    var output: [UInt8] = []
    var copied = 0
    var index = 0
    while let percent = bytes[index...].firstIndex(of: mark[0]) {
      if bytes[percent...].starts(with: mark) {
        output += bytes[copied..<percent]
        output += Array(own.utf8)
        copied = percent + mark.count
        index = copied
      } else {
        index = percent + (bytes[percent...].starts(with: "%%".utf8) ? 2 : 1)
      }
    }
    guard copied > 0 else { return text }
    output += bytes[copied...]
    return String(decoding: output, as: UTF8.self)
  }

  /// Whether a text is a specifier of a number without `%`: `d`, `lld`, `.1f`, or of an object.
  static func isNumberSpecifier(_ text: String) -> Bool {
    guard text.utf8.count <= Limits.specifierBytes else { return false }
    var parser = FormatParser("%" + text)
    guard case .specifier(let specifier, _) = parser.next(), parser.next() == nil else {
      return false
    }
    return specifier.conversion.isNumber || specifier.conversion == .object
  }

  /// Length and conversion of a placeholder.
  private static func name(_ specifier: ArraySlice<UInt8>) -> String {
    let start =
      specifier.lastIndex { !(0x41...0x5A).contains($0 & 0xDF) }.map { $0 + 1 }
      ?? specifier.startIndex
    return String(decoding: specifier[start...], as: UTF8.self)
  }
}

/// The number of the texts besides those of a plural: the texts of the source language, and the
/// key. They are read once, when the first plural without a number asks: a file may have 100,000 of
/// these, and texts of 8 MB.
final class OtherNumber {
  private let texts: () -> [String]
  private var found: CaseTexts.Number??

  /// The number of the texts that the closure gives.
  init(of texts: @escaping () -> [String]) { self.texts = texts }

  var number: CaseTexts.Number? {
    if let found { return found }
    let number = CaseTexts.number(in: texts())
    found = .some(number)
    return number
  }
}

extension FormatSpecifier {
  fileprivate var precisionText: String {
    if case .number(let digits)? = precision { ".\(digits)" } else { "" }
  }

  /// How many of the arguments it takes in turn.
  fileprivate var argumentCount: Int {
    [width == .argument(nil), precision == .argument(nil), position == nil].count(where: \.self)
  }
}

extension FormatSpecifier.Conversion {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .hexadecimal, .octal, .fixed, .scientific, .general, .hexadecimalFloat: true
    case .object, .character, .pointedText, .pointer, .variable: false
    }
  }
}
