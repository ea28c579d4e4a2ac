// No public API of Foundation tells a number's plural category; ICU's does. `_FoundationICU` is an
// underscored module of the toolchain, so it is touched in this folder only, and a test fails
// loudly should its functions disappear.

internal import Synchronization
internal import _FoundationICU

/// Which plural category each number has in one language.
///
/// The rules are ICU's own; a language that it does not know has only `other`. Any spelling of a
/// localization will do: `pt-PT`, `zh_Hans`, `iw`, `English`. Source: CLDR, "Language Plural
/// Rules"; ICU, `upluralrules.h`.
public struct PluralRules: Sendable {
  /// What is counted.
  public enum Kind: Sendable, Hashable {
    /// One message, two messages.
    case cardinal
    /// First, second.
    case ordinal
  }

  /// ICU's object as an address: immutable and never closed, see ``Opened``.
  private let address: UInt

  /// The rules of a localization's language.
  public init(localization: String, _ kind: Kind = .cardinal) {
    address = Opened.address(of: Opened.locale(of: localization, kind), kind)
  }

  public func category(of number: PluralNumber) -> PluralCategory {
    guard let rules = OpaquePointer(bitPattern: address) else { return .other }
    var status = U_ZERO_ERROR
    return withUnsafeTemporaryAllocation(of: UChar.self, capacity: 16) { keyword in
      let length =
        if let exact = number.exactDouble {
          swift_uplrules_select(rules, exact, keyword.baseAddress, 16, &status)
        } else {
          VisibleNumber.select(rules, number, keyword.baseAddress, 16, &status)
        }
      guard status.rawValue <= U_ZERO_ERROR.rawValue, length >= 2 else { return .other }
      return PluralCategory(firstUnit: keyword[0], secondUnit: keyword[1])
    }
  }
}

extension PluralCategory {
  /// The category of a keyword of ICU, told apart by its beginning: making a `String` of UTF-16
  /// takes longer than the choice itself.
  fileprivate init(firstUnit: UChar, secondUnit: UChar) {
    switch (UInt8(truncatingIfNeeded: firstUnit), UInt8(truncatingIfNeeded: secondUnit)) {
    case (UInt8(ascii: "z"), _): self = .zero
    case (UInt8(ascii: "o"), UInt8(ascii: "n")): self = .one
    case (UInt8(ascii: "t"), _): self = .two
    case (UInt8(ascii: "f"), _): self = .few
    case (UInt8(ascii: "m"), _): self = .many
    default: self = .other
    }
  }
}

/// A number as it is shown: 1 and 1.0 are not of one category in English.
public enum PluralNumber: Sendable, Hashable {
  /// A whole number.
  case integer(Int64)
  /// A number with so many decimals, at most 20; nil is as many as it takes.
  case decimal(Double, fractionDigits: Int?)

  /// Whether it is 0, 0.0 and so on.
  public var isZero: Bool {
    switch self {
    case .integer(let number): number == 0
    case .decimal(let number, _): number == 0
    }
  }

  /// The number, when it alone decides.
  fileprivate var exactDouble: Double? {
    switch self {
    case .integer(let number): Double(exactly: number)
    case .decimal(let number, fractionDigits: nil): number
    case .decimal: nil
    }
  }
}

/// ICU's rules by language: each set is opened once and kept, some 250 at most of each kind.
private enum Opened {
  private struct Key: Hashable {
    let language: String
    let kind: PluralRules.Kind
  }
  private static let rules = Mutex<[Key: UInt]>([:])

  /// Languages that ICU has plural rules for, but no locale.
  private static let withoutLocale: Set<String> = [
    "an", "ars", "bal", "guw", "hnj", "nah", "pap", "sdh", "sma", "smi", "smj", "sms", "ssy", "tpi",
    "vo",
  ]

  /// Languages whose cardinals CLDR 47 gives together with those of a language that ICU 76 knows.
  private static let newCardinals = ["lld": "it"]

  static func locale(of localization: String, _ kind: PluralRules.Kind) -> String {
    let language = localization.prefix { $0.isLetter }.lowercased()
    if kind == .cardinal, let known = newCardinals[language] { return known }
    return withoutLocale.contains(language) ? language : FormattingLocale.place(localization)
  }

  static func address(of locale: String, _ kind: PluralRules.Kind) -> UInt {
    // Only Portugal has plurals of its own; no other region has.
    let language = locale == "pt_PT" ? locale : String(locale.prefix { $0 != "_" })
    return rules.withLock { rules in
      let key = Key(language: language, kind: kind)
      if let address = rules[key] { return address }
      var status = U_ZERO_ERROR
      let type = kind == .cardinal ? UPLURAL_TYPE_CARDINAL : UPLURAL_TYPE_ORDINAL
      let opened = swift_uplrules_openForType(language, type, &status)
      let address = status.rawValue <= U_ZERO_ERROR.rawValue ? UInt(bitPattern: opened) : 0
      rules[key] = address
      return address
    }
  }
}

/// A number with a fixed count of decimals. ICU knows such a count only of formatted numbers.
private enum VisibleNumber {
  static let mostDigits = 20

  /// One formatter for each count of decimals; a formatter never changes.
  private static let formatters: [UInt] = (0...mostDigits).map { digits in
    let skeleton = digits == 0 ? "precision-integer" : "." + String(repeating: "0", count: digits)
    let units = Array(skeleton.utf16)
    var status = U_ZERO_ERROR
    return UInt(
      bitPattern: swift_unumf_openForSkeletonAndLocale(units, Int32(units.count), "en", &status))
  }

  static func select(
    _ rules: OpaquePointer, _ number: PluralNumber, _ keyword: UnsafeMutablePointer<UChar>?,
    _ capacity: Int32, _ status: inout UErrorCode
  ) -> Int32 {
    let digits =
      if case .decimal(_, let digits?) = number { min(max(0, digits), mostDigits) } else { 0 }
    guard let formatter = OpaquePointer(bitPattern: formatters[digits]),
      let result = swift_unumf_openResult(&status)
    else { return 0 }
    defer { swift_unumf_closeResult(result) }
    switch number {
    case .integer(let integer): swift_unumf_formatInt(formatter, integer, result, &status)
    case .decimal(let decimal, _): swift_unumf_formatDouble(formatter, decimal, result, &status)
    }
    return swift_uplrules_selectFormatted(rules, result, keyword, capacity, &status)
  }
}
