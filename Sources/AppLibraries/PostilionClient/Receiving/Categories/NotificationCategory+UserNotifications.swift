#if canImport(UserNotifications) && !os(tvOS)
  import UserNotifications

  extension [NotificationCategory] {
    /// Tells the system these categories, and no other. Call it at each launch, before the launch
    /// ends: the titles are then in the language that the app has now.
    ///
    /// - Parameter strings: the strings of the app.
    public func register(strings: NotificationStrings = NotificationStrings()) {
      UNUserNotificationCenter.current().setNotificationCategories(
        Set(map { $0.systemCategory(strings: strings) }))
    }
  }

  extension NotificationCategory {
    /// The category for the system.
    ///
    /// - Parameter strings: the strings of the app.
    public func systemCategory(
      strings: NotificationStrings = NotificationStrings()
    ) -> UNNotificationCategory {
      let actions = buttons.map { $0.systemAction(strings: strings) }
      let options = UNNotificationCategoryOptions(rawValue: options.rawValue)
      #if os(watchOS)
        return UNNotificationCategory(
          identifier: identifier, actions: actions, intentIdentifiers: [], options: options)
      #else
        return UNNotificationCategory(
          identifier: identifier, actions: actions, intentIdentifiers: [],
          hiddenPreviewsBodyPlaceholder: hiddenPreview?.string(strings),
          categorySummaryFormat: summary?.string(strings), options: options)
      #endif
    }
  }

  extension NotificationCategory.Button {
    /// The action for the system.
    fileprivate func systemAction(strings: NotificationStrings) -> UNNotificationAction {
      let title = title.string(strings)
      let options = UNNotificationActionOptions(rawValue: options.rawValue)
      let icon = systemImage.map { UNNotificationActionIcon(systemImageName: $0) }
      guard let reply else {
        return UNNotificationAction(
          identifier: identifier, title: title, options: options, icon: icon)
      }
      return UNTextInputNotificationAction(
        identifier: identifier, title: title, options: options, icon: icon,
        textInputButtonTitle: reply.button.string(strings),
        textInputPlaceholder: reply.placeholder.string(strings))
    }
  }
#endif
