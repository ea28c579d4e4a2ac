// Foundation puts the units of a duration together without ICU's list formatter, which knows that
// Hebrew joins digits by `ו-`. `_FoundationICU` is an underscored module of the toolchain, so it is
// touched in this folder only, and a test fails loudly should its functions disappear.

internal import _FoundationICU

/// How units of time are written.
public enum UnitWidth: String, Sendable, Hashable, CaseIterable {
  /// `1 hour, 5 minutes`.
  case wide
  /// `1 hr, 5 min`.
  case abbreviated
  /// `1h 5m`.
  case narrow
}

/// A length of time in days, hours, minutes and seconds: 3900 → `1 hour, 5 minutes`.
///
/// Units of which there are none are left out, but for `0 seconds`. Source: ICU,
/// `unumberformatter.h` and `ulistformatter.h`, the list of units.
public enum DurationText {
  /// The text of so many seconds, none or more, in a locale with or without keywords.
  public static func text(seconds: Int64, width: UnitWidth, locale: String) -> String {
    ICUDurationFormatter.kept(locale: locale, width: width).text(seconds: seconds) ?? ""
  }
}

/// ICU's formatters for durations: they never change, so any number of threads may use them.
private final class ICUDurationFormatter: Sendable {
  /// A unit with ICU's formatter for counts of it, as an address.
  private struct Unit {
    let seconds: Int64
    let formatter: UInt
  }

  private let units: [Unit]
  private let list: UInt

  private init(locale: String, width: UnitWidth) {
    let seconds: [(String, Int64)] = [
      ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]
    units = seconds.map { name, seconds in
      let skeleton = Array("measure-unit/duration-\(name) \(width.skeleton)".utf16)
      var status = U_ZERO_ERROR
      let formatter = swift_unumf_openForSkeletonAndLocale(
        skeleton, Int32(skeleton.count), locale, &status)
      return Unit(seconds: seconds, formatter: UInt(bitPattern: formatter))
    }
    var status = U_ZERO_ERROR
    list = UInt(
      bitPattern: swift_ulistfmt_openForType(
        locale, ULISTFMT_TYPE_UNITS, width.listWidth, &status))
  }

  deinit {
    for unit in units {
      if let formatter = OpaquePointer(bitPattern: unit.formatter) { swift_unumf_close(formatter) }
    }
    if let list = OpaquePointer(bitPattern: list) { swift_ulistfmt_close(list) }
  }

  func text(seconds: Int64) -> String? {
    var rest = seconds
    var counts: [(formatter: UInt, count: Int64)] = []
    for unit in units {
      let count = rest / unit.seconds
      rest %= unit.seconds
      if count != 0 || seconds == 0 && unit.seconds == 1 { counts.append((unit.formatter, count)) }
    }
    let texts = counts.compactMap { formatter, count in
      ICUNumberFormatter.text(formatter) { swift_unumf_formatInt($0, count, $1, &$2) }
    }
    guard let list = OpaquePointer(bitPattern: list), texts.count == counts.count else {
      return nil
    }
    // One buffer for all texts, and where each begins.
    let units = texts.map { Array($0.utf16) }
    let lengths = units.map { Int32($0.count) }
    return units.flatMap(\.self).withUnsafeBufferPointer { buffer in
      var start = 0
      let starts = units.map { unit in
        defer { start += unit.count }
        return buffer.baseAddress.map { $0 + start }
      }
      return icuText {
        swift_ulistfmt_format(list, starts, lengths, Int32(starts.count), $0, $1, &$2)
      }
    }
  }

  private static let memo = ICUMemo<UnitWidth, ICUDurationFormatter>(
    capacity: Limits.durationFormatters)

  static func kept(locale: String, width: UnitWidth) -> ICUDurationFormatter {
    memo.formatter(locale: locale, width) { ICUDurationFormatter(locale: $0, width: $1) }
  }
}

extension UnitWidth {
  fileprivate var skeleton: String {
    switch self {
    case .wide: "unit-width-full-name"
    case .abbreviated: "unit-width-short"
    case .narrow: "unit-width-narrow"
    }
  }

  fileprivate var listWidth: UListFormatterWidth {
    switch self {
    case .wide: ULISTFMT_WIDTH_WIDE
    case .abbreviated: ULISTFMT_WIDTH_SHORT
    case .narrow: ULISTFMT_WIDTH_NARROW
    }
  }
}
