#if canImport(UserNotifications)
  import UserNotifications

  extension NotificationAuthorization {
    /// What the settings of the system say.
    public init(_ settings: UNNotificationSettings) {
      let status = Status(systemValue: settings.authorizationStatus.rawValue)
      self.init(status, Self.switches(of: settings).compactMapValues(Self.isOn))
    }

    /// Whether a switch is on; `nil` where the system does not have it for this app.
    private static func isOn(_ setting: UNNotificationSetting) -> Bool? {
      isOn(systemValue: setting.rawValue)
    }

    /// The switches that there are on this system, as Apple's pages of them say.
    private static func switches(
      of settings: UNNotificationSettings
    ) -> [Switch: UNNotificationSetting] {
      var switches: [Switch: UNNotificationSetting] = [:]
      #if !os(watchOS)
        switches[.badge] = settings.badgeSetting
      #endif
      #if !os(tvOS)
        switches[.alert] = settings.alertSetting
        switches[.sound] = settings.soundSetting
        switches[.notificationCenter] = settings.notificationCenterSetting
        switches[.criticalAlert] = settings.criticalAlertSetting
        switches[.timeSensitive] = settings.timeSensitiveSetting
        switches[.scheduledDelivery] = settings.scheduledDeliverySetting
        switches[.directMessages] = settings.directMessagesSetting
      #endif
      #if !os(tvOS) && !os(watchOS)
        switches[.lockScreen] = settings.lockScreenSetting
        switches[.providesAppNotificationSettings] =
          settings.providesAppNotificationSettings ? .enabled : .disabled
      #endif
      #if os(iOS)
        switches[.carPlay] = settings.carPlaySetting
      #endif
      #if os(iOS) || os(watchOS)
        switches[.announcement] = settings.announcementSetting
      #endif
      return switches
    }
  }
#endif
