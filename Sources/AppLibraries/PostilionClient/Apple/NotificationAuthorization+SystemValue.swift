/// The numbers that Apple documents for its types. They are the same on all systems, whereas the
/// names are not: `ephemeral` is one only where there are App Clips.
extension NotificationAuthorization.Status {
  /// Reads `UNAuthorizationStatus`.
  ///
  ///     0   notDetermined      3   provisional
  ///     1   denied             4   ephemeral
  ///     2   authorized         another   authorized, as such a person was asked and not denied
  init(systemValue: Int) {
    switch systemValue {
    case 0: self = .notDetermined
    case 1: self = .denied
    case 3: self = .provisional
    case 4: self = .ephemeral
    default: self = .authorized
    }
  }
}

extension NotificationAuthorization {
  /// Reads `UNNotificationSetting`.
  ///
  ///     0   notSupported: nil      1   disabled: false      2   enabled: true
  static func isOn(systemValue: Int) -> Bool? {
    switch systemValue {
    case 1: false
    case 2: true
    default: nil
    }
  }
}
