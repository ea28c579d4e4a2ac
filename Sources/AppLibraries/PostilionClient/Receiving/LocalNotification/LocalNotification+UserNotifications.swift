#if canImport(UserNotifications)
  import Foundation
  import UserNotifications

  /// Makes the trigger for a place; `nil` where nothing can wait for one. The module
  /// `PostilionLocation` has one: so only apps that want it are linked with CoreLocation.
  public typealias RegionTrigger =
    @Sendable (
      _ region: NotificationTrigger.Region, _ repeats: Bool
    ) -> UNNotificationTrigger?

  extension LocalNotification {
    /// The request for the system.
    ///
    /// - Parameters:
    ///   - bundle: where attachments are that have only a name.
    ///   - now: the time, from which a moment is counted.
    ///   - regionTrigger: makes the trigger for a place.
    /// - Returns: `nil` if the trigger is a place, and nothing can wait for one.
    public func request(
      bundle: Bundle = .main, now: Date = Date(),
      regionTrigger: RegionTrigger = { _, _ in nil }
    ) -> UNNotificationRequest? {
      let trigger = trigger?.systemTrigger(now: now, regionTrigger: regionTrigger)
      if case .location? = self.trigger, trigger == nil { return nil }
      return UNNotificationRequest(
        identifier: identifier, content: content.systemContent(bundle: bundle), trigger: trigger)
    }
  }

  extension NotificationContent {
    /// The content for the system. Attachments that it does not take, such as a file that there is
    /// not, and those that were not fetched, are left out.
    ///
    /// - Parameter bundle: where attachments are that have only a name.
    public func systemContent(bundle: Bundle = .main) -> UNMutableNotificationContent {
      let content = UNMutableNotificationContent()
      content.badge = badge.map { NSNumber(value: $0) }
      #if !os(tvOS)
        content.title = title
        content.subtitle = subtitle
        content.body = body
        content.sound = sound?.systemSound
        content.categoryIdentifier = category
        content.threadIdentifier = threadID
        content.userInfo = userInfo.compactMapValues(\.propertyList)
        content.attachments = attachments.compactMap { $0.systemAttachment(bundle: bundle) }
        content.interruptionLevel = interruptionLevel?.systemLevel ?? .active
        if let relevanceScore { content.relevanceScore = relevanceScore }
      #endif
      #if os(iOS) || os(macOS)
        content.targetContentIdentifier = targetContentID
        if #available(iOS 16, macOS 13, *) { content.filterCriteria = filterCriteria }
      #endif
      #if os(iOS)
        content.launchImageName = launchImage
      #endif
      return content
    }
  }

  extension NotificationTrigger {
    /// The trigger for the system; `nil` is at once.
    ///
    /// The system stops an app that asks for an interval of 0, or repeats within a minute: such
    /// values become the least that it takes.
    ///
    /// - Parameters:
    ///   - now: the time, from which a moment is counted.
    ///   - regionTrigger: makes the trigger for a place.
    /// - Returns: `nil` for a moment that is over, and for a place where nothing can wait for one.
    public func systemTrigger(
      now: Date = Date(), regionTrigger: RegionTrigger = { _, _ in nil }
    ) -> UNNotificationTrigger? {
      switch self {
      case .timeInterval(let seconds, let repeats):
        let least = repeats ? ReceivingLimits.repeatedSeconds : 1
        return UNTimeIntervalNotificationTrigger(
          timeInterval: seconds > least ? seconds : least, repeats: repeats)
      case .calendar(var date, let repeats):
        // Without this a device with another calendar takes the year for one of its own.
        date.calendar = date.calendar ?? Calendar(identifier: .gregorian)
        return UNCalendarNotificationTrigger(dateMatching: date, repeats: repeats)
      case .moment(let moment):
        let seconds = moment.timeIntervalSince(now)
        guard seconds > 0 else { return nil }
        return UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: false)
      case .location(let region, let repeats):
        return regionTrigger(region, repeats)
      }
    }
  }

  #if !os(tvOS)
    extension RemotePayload.InterruptionLevel {
      /// The level as the system has it.
      public var systemLevel: UNNotificationInterruptionLevel {
        switch self {
        case .passive: .passive
        case .active: .active
        case .timeSensitive: .timeSensitive
        case .critical: .critical
        }
      }
    }

    extension RemotePayload.Sound {
      /// The sound as the system has it. Without the entitlement a critical one is an ordinary one.
      /// A watch has no sounds of the app's own: there it is the default one.
      public var systemSound: UNNotificationSound {
        switch self {
        case .named("default"): return .default
        case .named(let name):
          #if os(watchOS)
            return .default
          #else
            return UNNotificationSound(named: .init(rawValue: name))
          #endif
        case .critical(let sound):
          let volume = sound.volume.map { Float($0) }
          #if !os(watchOS)
            if let name = sound.name, !name.isEmpty, name != "default" {
              let file = UNNotificationSoundName(rawValue: name)
              return volume.map { .criticalSoundNamed(file, withAudioVolume: $0) }
                ?? .criticalSoundNamed(file)
            }
          #endif
          return volume.map { .defaultCriticalSound(withAudioVolume: $0) } ?? .defaultCritical
        }
      }
    }

    extension NotificationAttachment {
      /// The attachment for the system; `nil` if there is no such file, it is of no kind that
      /// notifications show, or it was not fetched.
      ///
      /// - Parameter bundle: where the file is if it has only a name.
      public func systemAttachment(bundle: Bundle = .main) -> UNNotificationAttachment? {
        let file: URL? =
          switch source {
          case .bundled(let name): bundle.url(forResource: name, withExtension: nil)
          case .file(let url): url
          case .remote: nil
          }
        return file.flatMap {
          try? UNNotificationAttachment(identifier: identifier, url: $0, options: nil)
        }
      }
    }
  #endif
#endif
