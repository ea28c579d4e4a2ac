public import Localization

/// The type of a message's parameter, and how the server writes its values into a text.
///
/// All but `string` and `choice` depend on the locale, a date also on the device's time zone.
public enum ParameterType: Sendable, Hashable {
  /// Text, put in as it is.
  case string
  /// A whole number: 1234567 → `1,234,567`.
  case integer
  /// A number: 1234.5 → `1,234.5`.
  case decimal(FractionDigits?)
  /// A share of one: 0.25 → `25%`.
  case percent(FractionDigits?)
  /// An amount of money, with its ISO 4217 code: 9.9 → `€9.90`.
  case currency(code: String)
  /// A moment: an RFC 3339 text or Unix seconds → `May 2, 2022 at 5:32 PM`.
  case date(DateStyle)
  /// A moment by the fields of a skeleton: `yMMMEd` → `Mon, May 2, 2022`.
  case dateFields(DateSkeleton)
  /// A moment as seen from the time of rendering: `in 2 hours`.
  case relativeDate(RelativeStyle, UnitWidth)
  /// A length of time in seconds: 3900 → `1 hour, 5 minutes`.
  case duration(UnitWidth)
  /// Texts: `A`, `B`, `C` → `A, B, and C`.
  case list(ListKind)
  /// One of these words, which picks among texts.
  case choice([String])

  /// How many digits follow the decimal separator.
  public struct FractionDigits: Sendable, Hashable {
    public var minimum: Int
    public var maximum: Int
  }

  /// How a distance in time is worded.
  public enum RelativeStyle: String, Sendable, Hashable, CaseIterable {
    /// Always by a number: `in 1 day`.
    case numeric
    /// By a name where there is one: `tomorrow`.
    case named
  }

  /// The word between the last two texts of a list.
  public enum ListKind: String, Sendable, Hashable, CaseIterable {
    /// All of them.
    case and
    /// One of them.
    case or
  }
}

/// A value that a message is given each time it is sent.
public struct Parameter: Sendable, Hashable {
  public var type: ParameterType
  /// What stands in when there is no other value; without it one is required.
  public var defaultValue: Argument?
  /// The attribute of a device that is its value when no argument is given.
  public var attribute: String?
}
