package import DeviceProfile
internal import JSON

/// `UNAuthorizationStatus` as the app reported it.
package enum AuthorizationStatus: String, Sendable, CaseIterable {
  case notDetermined = "not_determined"
  case denied, authorized, provisional, ephemeral
}

/// The switches of `UNNotificationSettings` (Apple, UserNotifications), named in snake case.
package enum AuthorizationSwitch: String, Sendable, CaseIterable {
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

/// What the person allowed: the status and those switches that the app reported.
///
/// Held and stored as JSON text like ``Attributes``: two are equal when their texts are.
package struct Authorization: Hashable, Sendable {
  /// `{"alert":true,"status":"authorized"}`.
  package let json: String

  /// One read from the database.
  package init(json: String) { self.json = json }

  /// Encodes a status and switches.
  package init(status: AuthorizationStatus, switches: [AuthorizationSwitch: Bool]) {
    var writer = JSONWriter()
    writer.object { writer in
      for name in Self.names {
        if let name {
          guard let value = switches[name] else { continue }
          writer.member(name.rawValue, value)
        } else {
          writer.member("status", status.rawValue)
        }
      }
    }
    json = writer.text
  }

  /// What it means for a notification. The switch `alert` is that of banners: who turned them off
  /// may still find texts on the lock screen and in the list.
  package var permissions: Permissions {
    var permissions = Permissions()
    guard case .object(let members)? = JSONValue(parsing: Array(json.utf8)) else {
      return permissions
    }
    func allows(_ name: AuthorizationSwitch) -> Bool? {
      if case .bool(let value)? = members[name.rawValue] { value } else { nil }
    }
    let places = [AuthorizationSwitch.alert, .lockScreen, .notificationCenter].map(allows)
    permissions.isDenied = members["status"] == .string(AuthorizationStatus.denied.rawValue)
    permissions.alert = places.contains(true) ? true : allows(.alert)
    permissions.sound = allows(.sound)
    permissions.badge = allows(.badge)
    permissions.criticalAlert = allows(.criticalAlert)
    return permissions
  }

  /// The switches in the order of their names; `nil` is the place of `status`.
  private static let names: [AuthorizationSwitch?] =
    (AuthorizationSwitch.allCases.map(\.rawValue) + ["status"]).sorted()
    .map(AuthorizationSwitch.init(rawValue:))
}
