internal import Foundation

/// Writes numbers as a specifier of `String(format:locale:)` asks.
///
/// Foundation writes all but the common shapes, `%lld` and `%.2f`, which ICU's patterns write a
/// hundred times as fast, and the few that Foundation on Linux gets wrong:
///
///     "%+g"     0.5    "+.5"           → "+0.5"
///     "%+.2f"   -0.0   "-+0.00"        → "-0.00"
///     "%08.2f"  -2.25  "-   2.25"      → "-0002.25"
///     "%08g"    NaN    "00000NaN"      → "     NaN"
///     "%08g"    0.5    "0000000٫٥"     → "٠٠٠٠٠٠٫٥" (ASCII zeros before other digits)
///     "%a"      1.5    "0x1,8p+0"      → "0x1.8p+0" (no number to read aloud)
enum NumberText {
  /// A whole number; never cut to the specifier's bits, and `u` keeps the sign.
  static func text(
    _ number: Int64, _ specifier: FormatSpecifier, width: Int?, precision: Int?, locale: String
  ) -> String {
    switch specifier.conversion {
    case .hexadecimal(let uppercase):
      return plain(
        String(bits(number, specifier), radix: 16, uppercase: uppercase),
        prefix: uppercase ? "0X" : "0x", number, specifier, width, precision)
    case .octal:
      return plain(
        String(bits(number, specifier), radix: 8), prefix: "0", number, specifier, width, precision)
    case .character:
      let text = UInt32(exactly: number).flatMap(Unicode.Scalar.init).map { String($0) } ?? ""
      return padded(text, specifier.flags, width, zero: nil) { $0.startIndex }
    case .fixed, .scientific, .general, .hexadecimalFloat:
      return text(Double(number), specifier, width: width, precision: precision, locale: locale)
    case .integer, .object, .pointedText, .pointer, .variable:
      let hasSign = number >= 0 && specifier.flags.contains(.plus)
      if width ?? 0 <= 1, precision ?? 0 <= 1, !hasSign { return text(number, locale: locale) }
      let format = format(specifier.flags, width, precision, "lld")
      return String(format: format, locale: foundation(locale), arguments: [number])
    }
  }

  /// A number; one for an integer conversion is rounded.
  static func text(
    _ number: Double, _ specifier: FormatSpecifier, width: Int?, precision: Int?, locale: String
  ) -> String {
    var flags = specifier.flags
    if number.sign == .minus { flags.remove(.plus) }
    let conversion: String
    switch specifier.conversion {
    case .scientific: conversion = "e"
    case .general: conversion = "g"
    case .hexadecimalFloat(let uppercase):
      let digits = precision.map { min($0, Limits.hexadecimalDigits) }
      let text = String(
        format: format(flags.subtracting([.left, .zero]), nil, digits, uppercase ? "A" : "a"),
        arguments: [number])
      return padded(text, flags, width, zero: number.isFinite ? "0" : nil) {
        $0.firstIndex { $0 == "x" || $0 == "X" }.map { text.index(after: $0) }
      }
    default: conversion = "f"
    }
    let decimals = precision ?? 6
    if conversion == "f", !flags.contains(.plus), decimals <= Limits.keptDecimals,
      let text = ICUNumberFormatter.kept(locale: locale, decimals: decimals).text(number)
    {
      return padded(text, flags, width, locale, number)
    }
    let locale = foundation(locale)
    let takesSign = conversion == "g" && flags.contains(.plus)
    guard flags.contains(.zero) || takesSign || conversion == "f" else {
      let format = format(flags, width, precision, conversion)
      return String(format: format, locale: locale, arguments: [number])
    }
    let shown = flags.subtracting(takesSign ? [.left, .zero, .plus] : [.left, .zero])
    let format = format(shown, nil, precision, conversion)
    var text = String(format: format, locale: locale, arguments: [number])
    if takesSign {
      text = String(format: "%+lld", locale: locale, arguments: [Int64(0)]).dropLast() + text
    }
    return padded(text, flags, width, locale.identifier, number)
  }

  /// A whole number as `%lld` writes it.
  static func text(_ number: Int64, locale: String) -> String {
    let formatter = ICUNumberFormatter.kept(locale: locale, decimals: 0)
    if formatter.hasPlainDigits, (0..<1000).contains(number) { return String(number) }
    return formatter.text(number) ?? String(number)
  }

  private static func foundation(_ locale: String) -> Locale {
    FormattingLocale.foundation(FormattingLocale.known(locale))
  }

  private static func format(
    _ flags: FormatSpecifier.Flags, _ width: Int?, _ precision: Int?, _ conversion: String
  ) -> String {
    var format = "%"
    if flags.contains(.left) { format += "-" }
    if flags.contains(.plus) { format += "+" }
    if flags.contains(.space) { format += " " }
    if flags.contains(.zero) { format += "0" }
    if flags.contains(.alternate) { format += "#" }
    if let width, width > 0 { format += String(width) }
    if let precision { format += ".\(precision)" }
    return format + conversion
  }

  /// The two's complement of a negative number, in 64 bits if the specifier's are too few.
  private static func bits(_ number: Int64, _ specifier: FormatSpecifier) -> UInt64 {
    let pattern = UInt64(bitPattern: number)
    guard number < 0, specifier.bits < 64, number >= -(1 << (specifier.bits - 1)) else {
      return pattern
    }
    return pattern & (1 << specifier.bits - 1)
  }

  private static func plain(
    _ digits: String, prefix: String, _ number: Int64, _ specifier: FormatSpecifier, _ width: Int?,
    _ precision: Int?
  ) -> String {
    var digits = precision == 0 && number == 0 ? "" : digits
    digits = String(repeating: "0", count: max(0, (precision ?? 0) - digits.utf8.count)) + digits
    var start = 0
    if specifier.flags.contains(.alternate), prefix == "0" ? !digits.hasPrefix("0") : number != 0 {
      digits = prefix + digits
      start = prefix.utf8.count
    }
    return padded(digits, specifier.flags, width, zero: precision == nil ? "0" : nil) {
      $0.utf8.index($0.startIndex, offsetBy: start)
    }
  }

  /// Zeros stand behind the sign, in the locale's digits; a text without digits gets spaces.
  private static func padded(
    _ text: String, _ flags: FormatSpecifier.Flags, _ width: Int?, _ locale: String,
    _ number: Double
  ) -> String {
    guard let width, text.utf16.count < width else { return text }
    let zero = flags.contains(.zero) && number.isFinite ? Self.text(0, locale: locale) : nil
    return padded(text, flags, width, zero: zero) { $0.firstIndex { $0.isNumber } }
  }

  /// Fills up to so many UTF-16 units, as Foundation counts.
  private static func padded(
    _ text: String, _ flags: FormatSpecifier.Flags, _ width: Int?, zero: String?,
    digits: (String) -> String.Index?
  ) -> String {
    let missing = (width ?? 0) - text.utf16.count
    guard missing > 0 else { return text }
    if flags.contains(.left) { return text + String(repeating: " ", count: missing) }
    guard flags.contains(.zero), let zero, let start = digits(text) else {
      return String(repeating: " ", count: missing) + text
    }
    return text[..<start] + String(repeating: zero, count: missing) + text[start...]
  }
}
