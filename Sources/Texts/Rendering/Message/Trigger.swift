import FoundationEssentials
import JSON

/// When the app shows a local notification, in the words of the payload.
///
/// The three kinds are those of Apple's `UNNotificationTrigger`.
public enum Trigger: Sendable, Hashable {
  /// So many seconds after the app got it.
  case timeInterval(seconds: Int, repeats: Bool)
  /// When the clock of the device says so.
  case calendar([Component: Int], repeats: Bool)
  /// At the moment that an argument names, by the clock of the device.
  case moment(parameter: String)
  /// When the device gets into or out of a circle.
  case location(Region, repeats: Bool)

  /// A field of a date in the Gregorian calendar, as `DateComponents` counts it.
  public enum Component: String, Sendable, Hashable, CaseIterable {
    case year, month, day, hour, minute, second
    /// 1 is Sunday.
    case weekday

    /// The values that the field can have.
    var range: ClosedRange<Int> {
      switch self {
      case .year: 1970...9999
      case .month: 1...12
      case .day: 1...31
      case .hour: 0...23
      case .minute, .second: 0...59
      case .weekday: 1...7
      }
    }
  }

  /// A circle on the earth.
  public struct Region: Sendable, Hashable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// Metres.
    public var radius: Double
    /// Whether getting in counts.
    public var onEntry: Bool
    /// Whether getting out counts.
    public var onExit: Bool
  }

  /// The trigger as a payload carries it to a device of a time zone.
  func json(_ arguments: Arguments, timeZone: TimeZone) -> JSONValue {
    switch self {
    case .timeInterval(let seconds, let repeats):
      return .object([
        "type": .string(Kind.timeInterval.rawValue), "seconds": .integer(Int64(seconds)),
        "repeats": .bool(repeats),
      ])
    case .calendar(let date, let repeats): return Self.json(date, repeats: repeats)
    case .moment(let parameter):
      let date = arguments.moment(parameter).map { Self.date($0, timeZone) }
      return Self.json(date ?? [:], repeats: false)
    case .location(let region, let repeats):
      return .object([
        "type": .string(Kind.location.rawValue), "latitude": .double(region.latitude),
        "longitude": .double(region.longitude), "radius": .double(region.radius),
        "on_entry": .bool(region.onEntry), "on_exit": .bool(region.onExit),
        "repeats": .bool(repeats),
      ])
    }
  }

  /// The names of the kinds in JSON.
  enum Kind: String, CaseIterable {
    case timeInterval = "time_interval"
    case calendar, location
  }

  private static func json(_ date: [Component: Int], repeats: Bool) -> JSONValue {
    let members = date.map { component, value in
      (key: component.rawValue, value: JSONValue.integer(Int64(value)))
    }
    return .object([
      "type": .string(Kind.calendar.rawValue), "repeats": .bool(repeats),
      "date": .object(JSONObject(members)),
    ])
  }

  private static func date(_ moment: Double, _ timeZone: TimeZone) -> [Component: Int] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let date = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: moment))
    let fields: [(Component, Int?)] = [
      (.year, date.year), (.month, date.month), (.day, date.day), (.hour, date.hour),
      (.minute, date.minute), (.second, date.second),
    ]
    return Dictionary(fields.compactMap { field in field.1.map { (field.0, $0) } }) { $1 }
  }
}
