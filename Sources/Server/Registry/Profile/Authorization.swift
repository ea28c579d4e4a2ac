internal import ASCII
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

  /// Switches that the index keeps as one word: a word for each switch would double the words of a
  /// registration. Switches that apps report together are together.
  static let groups: [[AuthorizationSwitch]] = [
    [.alert, .badge, .sound, .lockScreen],
    [.notificationCenter, .criticalAlert, .timeSensitive, .scheduledDelivery],
    [.announcement, .carPlay, .directMessages, .providesAppNotificationSettings],
  ]

  /// How a switch stands in the word of its group; `nil` is not reported.
  static func letter(_ value: Bool?) -> Character { value.map { $0 ? "t" : "f" } ?? "-" }

  /// How it stands in the text of an ``Authorization``: `"alert":true`.
  func member(_ value: Bool) -> String { "\"\(rawValue)\":\(value)" }

  /// Its group, and all words of the group in which it has this value. Each of the other three
  /// switches may be on, off or not reported, so there are 27.
  func words(_ value: Bool) -> (group: Int, words: [String]) {
    let group = Self.groups.firstIndex { $0.contains(self) } ?? 0
    let words = Self.groups[group].reduce([""]) { words, other in
      let letters = (other == self ? [value] : [true, false, nil]).map(Self.letter)
      return words.flatMap { word in letters.map { word + String($0) } }
    }
    return (group, words)
  }
}

/// What the person allowed: the status and those switches that the app reported.
///
/// Held and stored as JSON text like ``Attributes``: two are equal when their texts are.
package struct Authorization: Hashable, Sendable {
  /// `{"alert":true,"status":"authorized"}`.
  package let json: String

  /// An authorization read from the database.
  package init(json: String) { self.json = json }

  /// Encodes a status and switches.
  /// - Parameter isOn: Whether a switch is on, `nil` when it was not reported; asked for each once.
  package init(status: AuthorizationStatus, isOn: (AuthorizationSwitch) -> Bool?) {
    var writer = JSONWriter()
    writer.object { writer in
      for name in Self.names {
        if let name {
          guard let value = isOn(name) else { continue }
          writer.member(name.rawValue, value)
        } else {
          writer.member("status", status.rawValue)
        }
      }
    }
    json = writer.text
  }

  /// The status; `nil` when this version does not know it.
  var status: AuthorizationStatus? {
    members["status"]?.text.flatMap(AuthorizationStatus.init)
  }

  /// Whether a switch is on; `nil` when it was not reported.
  func allows(_ name: AuthorizationSwitch) -> Bool? { Self.allows(name, members) }

  /// The word of each group of switches (``AuthorizationSwitch/groups``) of which any was reported.
  var switchLetters: [(group: Int, letters: String)] {
    let members = members
    return AuthorizationSwitch.groups.enumerated().compactMap { index, group in
      let values = group.map { Self.allows($0, members) }
      guard values.contains(where: { $0 != nil }) else { return nil }
      return (index, String(values.map(AuthorizationSwitch.letter)))
    }
  }

  private static func allows(
    _ name: AuthorizationSwitch, _ members: JSONObject
  ) -> Bool? {
    if case .bool(let value)? = members[name.rawValue] { value } else { nil }
  }

  private var members: JSONObject {
    guard case .object(let members)? = JSONValue(parsing: Array(json.utf8)) else { return [:] }
    return members
  }

  /// What the authorization means for a notification. The switch `alert` is that of banners: a
  /// person who turned them off may still find texts on the lock screen and in the list.
  package var permissions: Permissions {
    var permissions = Permissions()
    let members = members
    func allows(_ name: AuthorizationSwitch) -> Bool? { Self.allows(name, members) }
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
    .map(AuthorizationSwitch.init(spelled:))
}
