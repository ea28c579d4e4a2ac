/// `UNAuthorizationStatus` as the app reported it.
enum AuthorizationStatus: String, Sendable, CaseIterable, Codable {
  case notDetermined = "not_determined"
  case denied, authorized, provisional, ephemeral
}

/// The switches of `UNNotificationSettings` (Apple, UserNotifications), named in snake case.
enum AuthorizationSwitch: String, Sendable, CaseIterable, Codable {
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
/// Held as JSON text in the database's spelling, like ``Attributes``: two are equal when their
/// texts are.
struct Authorization: Hashable, Sendable {
  /// `{"alert": true, "status": "authorized"}`.
  let json: String

  /// One read from the database.
  init(json: String) { self.json = json }

  /// Encodes a status and switches.
  init(status: AuthorizationStatus, switches: [AuthorizationSwitch: Bool]) {
    var writer = JSONTextWriter()
    writer.object { writer in
      for name in Self.names {
        guard let name else {
          writer.field("status", status.rawValue)
          continue
        }
        guard let value = switches[name] else { continue }
        writer.name(name.rawValue)
        writer.literal(value ? "true" : "false")
      }
    }
    json = writer.text
  }

  /// The switches in the order of `jsonb`, by length and then bytes; `nil` is the place of
  /// `status`.
  private static let names: [AuthorizationSwitch?] = {
    let names = AuthorizationSwitch.allCases.map(\.rawValue) + ["status"]
    return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
      .map(AuthorizationSwitch.init(rawValue:))
  }()

  /// All entries by name.
  var entries: [String: Attributes.Value] { Attributes(json: json).entries }

  /// The status.
  var status: AuthorizationStatus? {
    if case .string(let text)? = entries["status"] { .init(rawValue: text) } else { nil }
  }

  /// A switch, `nil` when the app did not report it.
  subscript(name: AuthorizationSwitch) -> Bool? {
    if case .bool(let value)? = entries[name.rawValue] { value } else { nil }
  }
}
