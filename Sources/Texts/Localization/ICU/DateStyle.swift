// Foundation on Linux makes dates of skeletons only; the styles of `DateFormatter`, which people
// know from their phones, are those of ICU. `_FoundationICU` is an underscored module of the
// toolchain, so it is touched in this folder only, and a test fails loudly should its functions
// disappear.

internal import _FoundationICU

/// Which parts of a moment are written, and how long: the styles of `DateFormatter`.
///
/// Source: ICU, `udat.h`, `UDateFormatStyle`.
public struct DateStyle: Sendable, Hashable {
  /// The length of one part.
  public enum Length: String, Sendable, Hashable, CaseIterable {
    /// Left out.
    case none
    /// `5/2/22`, `5:32 PM`.
    case short
    /// `May 2, 2022`, `5:32:41 PM`.
    case medium
    /// `May 2, 2022` with the month in full, `5:32:41 PM EDT`.
    case long
    /// With the day of the week; a time with its zone's name in full.
    case full
  }

  /// The day.
  public var date: Length
  /// The time of day.
  public var time: Length

  public init(date: Length, time: Length) {
    self.date = date
    self.time = time
  }

  /// A moment, in seconds since 1970, as the locale writes it; empty if ICU refuses.
  ///
  /// `locale` is an identifier with or without keywords, `timeZone` a name that ICU knows.
  public func text(ofSecond seconds: Double, locale: String, timeZone: String) -> String {
    ICUDateFormatter.kept(locale: locale, style: self)
      .text(milliseconds: seconds * 1000, timeZone: timeZone) ?? ""
  }
}

/// One of ICU's date formatters: it never changes, so any number of threads may use it.
private final class ICUDateFormatter: Sendable {
  /// ICU's object as an address; it lives as long as this one.
  private let address: UInt

  private init(locale: String, style: DateStyle) {
    var status = U_ZERO_ERROR
    let formatter = swift_udat_open(
      style.time.style, style.date.style, locale, nil, 0, nil, 0, &status)
    address = status.rawValue <= U_ZERO_ERROR.rawValue ? UInt(bitPattern: formatter) : 0
  }

  deinit {
    if let formatter = UnsafeMutablePointer<UDateFormat?>(bitPattern: address) {
      swift_udat_close(formatter)
    }
  }

  /// A calendar of its own carries the time zone: a formatter for each zone would be hundreds of
  /// times as many.
  func text(milliseconds: Double, timeZone: String) -> String? {
    guard let formatter = UnsafeMutablePointer<UDateFormat?>(bitPattern: address) else {
      return nil
    }
    let zone = Array(timeZone.utf16)
    return icuText { buffer, capacity, status in
      guard let calendar = swift_ucal_clone(swift_udat_getCalendar(formatter), &status) else {
        return 0
      }
      defer { swift_ucal_close(calendar) }
      swift_ucal_setTimeZone(calendar, zone, Int32(zone.count), &status)
      swift_ucal_setMillis(calendar, milliseconds, &status)
      return swift_udat_formatCalendar(formatter, calendar, buffer, capacity, nil, &status)
    }
  }

  private static let memo = ICUMemo<DateStyle, ICUDateFormatter>(capacity: Limits.dateFormatters)

  static func kept(locale: String, style: DateStyle) -> ICUDateFormatter {
    memo.formatter(locale: locale, style) { ICUDateFormatter(locale: $0, style: $1) }
  }
}

extension DateStyle.Length {
  fileprivate var style: UDateFormatStyle {
    switch self {
    case .none: UDAT_NONE
    case .short: UDAT_SHORT
    case .medium: UDAT_MEDIUM
    case .long: UDAT_LONG
    case .full: UDAT_FULL
    }
  }
}
