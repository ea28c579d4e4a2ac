// Foundation's `String(format:locale:)` takes some 26 microseconds per number, ICU's formatter two,
// a kept pattern a tenth of one. `_FoundationICU` is an underscored module of the toolchain, so it
// is touched in this folder only, and a test fails loudly should its functions disappear.

internal import _FoundationICU

/// One of ICU's number formatters: it never changes, so any number of threads may use it.
final class ICUNumberFormatter: Sendable {
  /// ICU's object as an address; it lives as long as this one.
  private let address: UInt
  private let decimals: Int
  /// Whether 0 to 999 look as they do in Swift.
  let hasPlainDigits: Bool
  /// ICU takes two microseconds for a number in groups, so it is asked once for each count of
  /// digits.
  private let patterns: [NumberPattern]

  /// A formatter with so many decimals in a locale that is known.
  private init(locale: String, decimals: Int) {
    let skeleton =
      decimals == 0 ? "precision-integer" : "." + String(repeating: "0", count: decimals)
    let units = Array(skeleton.utf16)
    var status = U_ZERO_ERROR
    let formatter = swift_unumf_openForSkeletonAndLocale(units, Int32(units.count), locale, &status)
    address = status.rawValue <= U_ZERO_ERROR.rawValue ? UInt(bitPattern: formatter) : 0
    self.decimals = decimals
    let opened = address
    hasPlainDigits =
      decimals == 0 && Self.text(opened) { swift_unumf_formatInt($0, 987, $1, &$2) } == "987"
    guard decimals <= Limits.patternDecimals else {
      patterns = []
      return
    }
    let counts = decimals + 1...Limits.patternDigits
    let found = counts.compactMap { count -> NumberPattern? in
      let texts = ["1", "2"].compactMap { digit -> String? in
        let digits = String(repeating: digit, count: count)
        guard let number = Double(digits.dropLast(decimals) + "." + digits.suffix(decimals) + "0")
        else { return nil }
        return Self.text(opened) { swift_unumf_formatDouble($0, number, $1, &$2) }
      }
      return NumberPattern(texts, digits: count)
    }
    patterns = found.count == counts.count ? found : []
  }

  deinit {
    if let formatter = OpaquePointer(bitPattern: address) { swift_unumf_close(formatter) }
  }

  /// The number in digits, groups and signs of the locale; nil if ICU refuses.
  func text(_ number: Int64) -> String? {
    if decimals == 0, let text = pattern(number) { return text }
    return Self.text(address) { swift_unumf_formatInt($0, number, $1, &$2) }
  }

  /// The number, rounded half to even as C does.
  func text(_ number: Double) -> String? {
    // 1234.5 is 123450 hundredths: no number of at most 15 digits is another one's `Double`.
    if !patterns.isEmpty, number > 0, number < 1e12 {
      let scale = [1.0, 10, 100, 1000][decimals]
      let scaled = (number * scale).rounded()
      if scaled / scale == number, let text = pattern(Int64(scaled)) { return text }
    }
    return Self.text(address) { swift_unumf_formatDouble($0, number, $1, &$2) }
  }

  /// The number of smallest decimals in its pattern; nil for negative and very large ones.
  private func pattern(_ number: Int64) -> String? {
    guard number >= 0, !patterns.isEmpty else { return nil }
    var count = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    let index = max(0, count - decimals - 1)
    return patterns.indices.contains(index) ? patterns[index].text(number) : nil
  }

  /// The text that the formatter at an address makes of a number; nil if ICU refuses.
  static func text(
    _ address: UInt, _ format: (OpaquePointer, OpaquePointer, inout UErrorCode) -> Void
  ) -> String? {
    var status = U_ZERO_ERROR
    guard let formatter = OpaquePointer(bitPattern: address),
      let result = swift_unumf_openResult(&status)
    else { return nil }
    defer { swift_unumf_closeResult(result) }
    format(formatter, result, &status)
    guard status.rawValue <= U_ZERO_ERROR.rawValue else { return nil }
    return icuText { swift_unumf_resultToString(result, $0, $1, &$2) }
  }

  private static let memo = ICUMemo<Int, ICUNumberFormatter>(capacity: Limits.numberFormatters)

  /// The formatter for any locale identifier.
  static func kept(locale: String, decimals: Int) -> ICUNumberFormatter {
    memo.formatter(locale: locale, decimals) { ICUNumberFormatter(locale: $0, decimals: $1) }
  }
}

/// How positive numbers of so many digits look: two of them differ in nothing but their digits.
private struct NumberPattern: Sendable {
  /// The UTF-8 bytes with zeros.
  private var bytes: [UInt8]
  /// Where a digit's value counts: the last byte of each.
  private let places: [Int]

  /// The pattern of ICU's texts for 11… and 22….
  init?(_ texts: [String], digits: Int) {
    guard texts.count == 2 else { return nil }
    bytes = Array(texts[0].utf8)
    let twos = Array(texts[1].utf8)
    guard bytes.count == twos.count else { return nil }
    let (ones, all) = (bytes, bytes.indices)
    places = all.filter { ones[$0] != twos[$0] }
    guard places.count == digits, places.allSatisfy({ ones[$0] &+ 1 == twos[$0] }) else {
      return nil
    }
    for place in places { bytes[place] &-= 1 }
  }

  func text(_ number: Int64) -> String {
    String(unsafeUninitializedCapacity: bytes.count) { buffer in
      _ = buffer.update(fromContentsOf: bytes)
      var rest = number
      for place in places.reversed() {
        buffer[place] += UInt8(rest % 10)
        rest /= 10
      }
      return bytes.count
    }
  }
}
