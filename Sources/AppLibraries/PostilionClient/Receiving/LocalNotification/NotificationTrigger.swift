import Foundation

/// When a local notification is shown.
///
/// Three kinds are those of Apple's `UNNotificationTrigger` and of Postilion's messages; the fourth
/// is a calendar date that an app has as a `Date`.
public enum NotificationTrigger: Sendable, Hashable {
  /// So many seconds from now, more than 0; at least 60 if it repeats.
  case timeInterval(seconds: Double, repeats: Bool)
  /// When the clock of the device shows these components, of the Gregorian calendar. A date that is
  /// over is never shown.
  case calendar(DateComponents, repeats: Bool)
  /// When the device gets into or out of a circle. Only iOS has it.
  case location(Region, repeats: Bool)
  /// At a moment; at once if it is over.
  case moment(Date)

  /// A circle on the earth.
  public struct Region: Sendable, Hashable {
    /// Degrees north, -90 to 90.
    public var latitude: Double
    /// Degrees east, -180 to 180.
    public var longitude: Double
    /// Metres.
    public var radius: Double
    /// Whether getting in counts.
    public var onEntry: Bool
    /// Whether getting out counts.
    public var onExit: Bool

    /// A circle.
    public init(
      latitude: Double, longitude: Double, radius: Double, onEntry: Bool = true,
      onExit: Bool = true
    ) {
      self.latitude = latitude
      self.longitude = longitude
      self.radius = radius
      self.onEntry = onEntry
      self.onExit = onExit
    }
  }

  /// The year, month, day, hour, minute and second that the clock of a time zone shows at a moment,
  /// of the Gregorian calendar, as ``calendar(_:repeats:)`` takes them.
  public static func components(of moment: Date, in timeZone: TimeZone) -> DateComponents {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: moment)
  }
}
