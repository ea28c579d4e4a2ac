import FoundationEssentials
import FoundationInternationalization
import Localization

/// The facts beside a value that its text depends on.
struct TextCircumstances {
  /// How the device's region writes, as an identifier that `FormattingLocale` made.
  var locale: String
  /// The time zone of the device.
  var timeZone: TimeZone
  /// The time of rendering, Unix seconds.
  var now: Int64
}

extension ParameterType {
  /// A value as the server writes it into a text.
  ///
  /// Numbers stay numbers, for a text may have a plural of them; `shown` is what
  /// ``shown(_:)`` says of the value.
  func value(
    of argument: Argument, shown: ShownNumber?, in circumstances: TextCircumstances
  ) -> ArgumentValue {
    let locale = FormattingLocale.foundation(circumstances.locale)
    switch (self, argument) {
    case (.duration(let width), .integer(let seconds)):
      return .string(
        DurationText.text(seconds: seconds, width: width, locale: circumstances.locale))
    case (_, .integer(let number)): return .integer(number)
    case (_, .number(let number)):
      return .decimal(
        shown?.number ?? number, text: text(number, locale),
        fractionDigits: shown?.fractionDigits)
    case (_, .moment(let seconds, _)):
      return .string(text(Date(timeIntervalSince1970: seconds), locale, circumstances))
    case (.list(let kind), .list(let texts)):
      return .string(texts.formatted(.list(type: kind == .and ? .and : .or).locale(locale)))
    default: return .string(argument.plainText)
    }
  }

  /// A number as it is shown in every locale.
  struct ShownNumber: Hashable {
    /// The number that a plural counts: 25 for 25%.
    var number: Double
    /// How many decimals the text has.
    var fractionDigits: Int
  }

  /// How many decimals a number is written with, which no locale changes: 1 → `1`, or `1.0` with at
  /// least one decimal; 0.25 as a percentage is 25.
  ///
  /// `nil` for anything but a number.
  func shown(_ argument: Argument) -> ShownNumber? {
    guard case .number(let number) = argument else { return nil }
    let text = plainText(number)
    let digits = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let fractionDigits = digits.count == 2 ? digits[1].count : 0
    guard case .percent = self else {
      return ShownNumber(number: number, fractionDigits: fractionDigits)
    }
    return ShownNumber(number: Double(text) ?? number * 100, fractionDigits: fractionDigits)
  }

  private func text(_ number: Double, _ locale: Locale) -> String {
    switch self {
    case .percent(let digits):
      number.formatted(.percent.precision(digits.foundation).locale(locale))
    case .currency(let code): number.formatted(.currency(code: code).locale(locale))
    case .decimal(let digits):
      number.formatted(.number.precision(digits.foundation).locale(locale))
    default: number.formatted(.number.locale(locale))
    }
  }

  /// A number's digits as English writes them, without sign of percent or currency.
  private func plainText(_ number: Double) -> String {
    let locale = Locale(identifier: "en")
    let text =
      switch self {
      case .percent(let digits):
        number.formatted(.percent.precision(digits.foundation).grouping(.never).locale(locale))
      case .currency(let code):
        number.formatted(
          .currency(code: code).presentation(.isoCode).grouping(.never).locale(locale))
      case .decimal(let digits):
        number.formatted(.number.precision(digits.foundation).grouping(.never).locale(locale))
      default: number.formatted(.number.grouping(.never).locale(locale))
      }
    return text.filter { $0.isASCII && $0.isNumber || $0 == "." || $0 == "-" }
  }

  private func text(
    _ date: Date, _ locale: Locale, _ circumstances: TextCircumstances
  ) -> String {
    switch self {
    case .date(let style):
      return style.text(
        ofSecond: date.timeIntervalSince1970, locale: circumstances.locale,
        timeZone: circumstances.timeZone.identifier)
    case .dateFields(let skeleton):
      return date.formatted(skeleton.style(locale, circumstances.timeZone))
    case .relativeDate(let style, let width):
      // Days are counted in hours: a time zone would matter at the end of a month only.
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      return Date.AnchoredRelativeFormatStyle(
        anchor: date, presentation: style == .named ? .named : .numeric,
        unitsStyle: width.ofRelativeDate, locale: locale, calendar: calendar
      ).format(Date(timeIntervalSince1970: Double(circumstances.now)))
    default: return ""
    }
  }
}

extension ParameterType.FractionDigits? {
  fileprivate var foundation: NumberFormatStyleConfiguration.Precision {
    // If nothing is asked for, the digits are those of Foundation's number formatters.
    guard let self else { return .fractionLength(0...3) }
    return .fractionLength(self.minimum...self.maximum)
  }
}

extension UnitWidth {
  fileprivate var ofRelativeDate: Date.RelativeFormatStyle.UnitsStyle {
    switch self {
    case .wide: .wide
    case .abbreviated: .abbreviated
    case .narrow: .narrow
    }
  }
}
