/// What the person allows: `UNNotificationSettings`, as the HTTP contract has it.
public struct NotificationAuthorization: Hashable, Sendable {
  /// `UNAuthorizationStatus`.
  public enum Status: String, Hashable, Sendable {
    case notDetermined = "not_determined"
    case denied, authorized, provisional, ephemeral
  }

  /// A switch in the settings of the app.
  public enum Switch: String, Hashable, Sendable, CaseIterable {
    case alert, badge, sound, announcement
    case carPlay = "car_play"
    case criticalAlert = "critical_alert"
    case directMessages = "direct_messages"
    case lockScreen = "lock_screen"
    case notificationCenter = "notification_center"
    case providesAppNotificationSettings = "provides_app_notification_settings"
    case scheduledDelivery = "scheduled_delivery"
    case timeSensitive = "time_sensitive"
  }

  /// Whether notifications are allowed at all.
  public var status: Status
  /// The switches that there are on this system; on or off.
  public var switches: [Switch: Bool]

  /// What the person allows.
  public init(_ status: Status, _ switches: [Switch: Bool] = [:]) {
    self.status = status
    self.switches = switches
  }

  var payloadValue: PayloadValue {
    var members: [String: PayloadValue] = ["status": .string(status.rawValue)]
    for (name, isOn) in switches { members[name.rawValue] = .bool(isOn) }
    return .object(members)
  }
}

/// Whether the system wakes the app for silent notifications: `UIBackgroundRefreshStatus`.
public enum BackgroundRefreshStatus: String, Hashable, Sendable {
  case available, denied, restricted
}
