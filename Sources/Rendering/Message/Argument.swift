import FoundationEssentials
import FoundationInternationalization
import JSON
import Localization

/// The value of a parameter, as it came.
public enum Argument: Sendable, Hashable {
  /// A text.
  case text(String)
  /// A whole number, or seconds.
  case integer(Int64)
  /// A number.
  case number(Double)
  /// A moment in seconds since 1970, and the text that named it.
  case moment(Double, text: String)
  /// Texts.
  case list([String])

  /// The value as it stands in identifiers and data: no locale's habits, ASCII digits.
  var plainText: String {
    switch self {
    case .text(let text): text
    case .integer(let number): number.description
    case .number(let number): Self.text(number)
    case .moment(_, let text): text
    case .list(let texts): texts.joined(separator: ", ")
    }
  }

  private static func text(_ number: Double) -> String {
    var writer = JSONWriter(capacity: 24)
    writer.value(.double(number))
    return writer.text
  }
}

extension ParameterType {
  /// The argument that a JSON value stands for; nil when it cannot.
  func argument(_ value: JSONValue) -> Argument? {
    switch (self, value) {
    case (.string, .string(let text)): return .text(text)
    case (.integer, .integer(let number)): return .integer(number)
    case (.decimal, .integer(let number)), (.percent, .integer(let number)),
      (.currency, .integer(let number)):
      return .number(Double(number))
    case (.decimal, .double(let number)), (.percent, .double(let number)),
      (.currency, .double(let number)):
      return .number(number)
    case (.date, .integer(let seconds)):
      return Self.moments.contains(seconds)
        ? .moment(Double(seconds), text: seconds.description) : nil
    case (.date, .string(let text)):
      return Self.seconds(rfc3339: text).map { .moment($0, text: text) }
    case (.duration, .integer(let seconds)):
      return Self.durations.contains(seconds) ? .integer(seconds) : nil
    case (.list, .array(let elements)):
      let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return texts.count == elements.count && texts.count <= MessageLimits.parameters
        ? .list(texts) : nil
    default: return nil
    }
  }

  /// What ``argument(_:)`` takes, for messages to developers.
  var expectation: String {
    switch self {
    case .string: "a string"
    case .integer: "a whole number"
    case .decimal, .percent, .currency: "a number"
    case .date: "an RFC 3339 time such as \"2022-05-02T19:32:41Z\", or Unix seconds"
    case .duration: "a whole number of seconds, 0 or more"
    case .list: "an array of at most \(MessageLimits.parameters) strings"
    }
  }

  /// A value as the server writes it into a text.
  ///
  /// Whole numbers stay numbers, for a text may have a plural of them.
  func value(of argument: Argument, locale: String, timeZone: TimeZone) -> ArgumentValue {
    let locale = Locale(identifier: locale)
    return switch (self, argument) {
    case (.duration(let width), .integer(let seconds)):
      .string(
        Duration.seconds(seconds).formatted(
          Duration.UnitsFormatStyle(
            allowedUnits: [.days, .hours, .minutes, .seconds], width: width.foundation
          ).locale(locale)))
    case (_, .integer(let number)): .integer(number)
    case (let type, .number(let number)):
      .decimal(number, text: type.text(number, locale), fractionDigits: nil)
    case (.date(let style), .moment(let seconds, _)):
      .string(
        Date(timeIntervalSince1970: seconds).formatted(
          Date.FormatStyle(
            date: style.foundationDate, time: style.foundationTime, locale: locale,
            timeZone: timeZone)))
    case (.list(let kind), .list(let texts)):
      .string(
        texts.formatted(
          .list(type: kind == .and ? .and : .or).locale(locale)))
    default: .string(argument.plainText)
    }
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

  /// The years 1 to 9999, which RFC 3339 can name.
  private static let moments: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
  /// Up to a thousand years.
  private static let durations: ClosedRange<Int64> = 0...31_556_952_000

  private static func seconds(rfc3339 text: String) -> Double? {
    // Foundation's parser ignores what follows the time.
    let rest = text.utf8.dropFirst(19).drop { $0 == UInt8(ascii: ".") || $0.isDigit }
    guard text.utf8.count <= 40, rest.elementsEqual("Z".utf8) || Substring(rest).isOffset else {
      return nil
    }
    let style = Date.ISO8601FormatStyle()
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return ((try? style.parse(text)) ?? (try? fractional.parse(text)))?.timeIntervalSince1970
  }
}

extension ParameterType.FractionDigits? {
  fileprivate var foundation: NumberFormatStyleConfiguration.Precision {
    // Without a wish, what Foundation's number formatters do.
    guard let self else { return .fractionLength(0...3) }
    return .fractionLength(self.minimum...self.maximum)
  }
}

extension ParameterType.DateStyle {
  fileprivate var foundationDate: Date.FormatStyle.DateStyle {
    switch date {
    case .none: .omitted
    case .short: .numeric
    case .medium: .abbreviated
    case .long: .long
    case .full: .complete
    }
  }

  fileprivate var foundationTime: Date.FormatStyle.TimeStyle {
    switch time {
    case .none: .omitted
    case .short: .shortened
    case .medium: .standard
    case .long, .full: .complete
    }
  }
}

extension ParameterType.DurationWidth {
  fileprivate var foundation: Duration.UnitsFormatStyle.UnitWidth {
    switch self {
    case .wide: .wide
    case .abbreviated: .abbreviated
    case .narrow: .narrow
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension Substring {
  /// Whether this is `+hh:mm` or `-hh:mm`.
  fileprivate var isOffset: Bool {
    let bytes = Array(utf8)
    return bytes.count == 6 && (bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"))
      && bytes[1].isDigit && bytes[2].isDigit && bytes[3] == UInt8(ascii: ":")
      && bytes[4].isDigit && bytes[5].isDigit
  }
}
