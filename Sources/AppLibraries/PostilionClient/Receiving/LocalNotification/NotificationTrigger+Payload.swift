import Foundation

extension NotificationTrigger {
  /// Reads the member `trigger` of a payload, in the words of Postilion's messages.
  ///
  ///     {"type": "time_interval", "seconds": 300, "repeats": false}
  ///     {"type": "calendar", "date": {"hour": 9, "weekday": 2}, "repeats": true}
  ///     {"type": "calendar", "at": 1777750361}
  ///     {"type": "location", "latitude": 47.4, "longitude": 8.5, "radius": 200,
  ///      "on_entry": true, "on_exit": false}
  ///
  /// `at`, which other senders may use, is a moment: Unix seconds, or ISO 8601 with a time zone.
  /// Values that would stop the app when a system trigger is made of them count as unreadable: a
  /// number of seconds that is not above 0, or beyond a year; a component or place that there is
  /// not. What repeats more often than every 60 seconds repeats every 60.
  ///
  /// - Returns: `nil` if it cannot be read; then the notification is shown at once.
  init?(_ object: [String: PayloadValue]) {
    let repeats = object["repeats"]?.bool ?? false
    let trigger: NotificationTrigger? =
      switch object["type"]?.string {
      case "time_interval": Self.timeInterval(object, repeats: repeats)
      case "calendar": Self.calendar(object, repeats: repeats)
      case "location":
        Region(object).map { .location($0, repeats: repeats) }
      default: nil
      }
    guard let trigger else { return nil }
    self = trigger
  }

  private static func timeInterval(
    _ object: [String: PayloadValue], repeats: Bool
  ) -> NotificationTrigger? {
    guard let seconds = object["seconds"]?.double else { return nil }
    guard seconds > 0, seconds <= ReceivingLimits.triggerSeconds else { return nil }
    let least = repeats ? ReceivingLimits.repeatedSeconds : 0
    return .timeInterval(seconds: max(seconds, least), repeats: repeats)
  }

  private static func calendar(
    _ object: [String: PayloadValue], repeats: Bool
  ) -> NotificationTrigger? {
    if let date = object["date"]?.object {
      return DateComponents(date).map { .calendar($0, repeats: repeats) }
    }
    switch object["at"] {
    case .string(let text)?:
      return ServerTime.date(text).map(NotificationTrigger.moment)
    case let value?:
      guard let seconds = value.double, abs(seconds) < Double(Int32.max) * 4 else { return nil }
      return .moment(Date(timeIntervalSince1970: seconds))
    case nil: return nil
    }
  }
}

extension DateComponents {
  /// Reads the components of a payload; `nil` if there is none, or one that no calendar has.
  fileprivate init?(_ object: [String: PayloadValue]) {
    let fields: [(name: String, range: ClosedRange<Int64>, path: WritableKeyPath<Self, Int?>)] = [
      ("year", 1970...9999, \.year), ("month", 1...12, \.month), ("day", 1...31, \.day),
      ("hour", 0...23, \.hour), ("minute", 0...59, \.minute), ("second", 0...59, \.second),
      ("weekday", 1...7, \.weekday),
    ]
    self.init()
    var isEmpty = true
    for field in fields {
      guard let value = object[field.name], !value.isNull else { continue }
      guard let number = value.integer, field.range.contains(number) else { return nil }
      self[keyPath: field.path] = Int(number)
      isEmpty = false
    }
    if isEmpty { return nil }
  }
}

extension NotificationTrigger.Region {
  /// Reads the circle of a payload; `nil` if a number is missing or out of its range, or neither
  /// getting in nor getting out counts.
  fileprivate init?(_ object: [String: PayloadValue]) {
    func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
      object[name]?.double.flatMap { range.contains($0) ? $0 : nil }
    }
    guard let latitude = number("latitude", -90...90),
      let longitude = number("longitude", -180...180),
      let radius = number("radius", ReceivingLimits.radius)
    else { return nil }
    let onEntry = object["on_entry"]?.bool ?? true
    let onExit = object["on_exit"]?.bool ?? true
    guard onEntry || onExit else { return nil }
    self.init(
      latitude: latitude, longitude: longitude, radius: radius, onEntry: onEntry, onExit: onExit)
  }
}
