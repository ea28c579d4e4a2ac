// swift-format-ignore-file
// A stub: the signatures of Apple's UserNotifications that this repository uses, for type checks on
// Linux. What a system does not have (API_UNAVAILABLE in Apple's headers) is not there for it
// either. Its classes say nothing of Sendable, and its completion handlers neither: some SDKs say
// more.
import CoreLocation
import Foundation

// MARK: Constants

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

public enum UNAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case denied = 1
  case authorized = 2
  case provisional = 3
  case ephemeral = 4
}

public enum UNNotificationSetting: Int, Sendable {
  case notSupported = 0
  case disabled = 1
  case enabled = 2
}

public enum UNNotificationInterruptionLevel: UInt, Sendable {
  case passive, active, timeSensitive, critical
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static var badge: Self { .init(rawValue: 1) }
  public static var sound: Self { .init(rawValue: 2) }
  public static var alert: Self { .init(rawValue: 4) }
  public static var carPlay: Self { .init(rawValue: 8) }
  public static var criticalAlert: Self { .init(rawValue: 16) }
  public static var providesAppNotificationSettings: Self { .init(rawValue: 32) }
  public static var provisional: Self { .init(rawValue: 64) }
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static var badge: Self { .init(rawValue: 1) }
  public static var sound: Self { .init(rawValue: 2) }
  public static var list: Self { .init(rawValue: 8) }
  public static var banner: Self { .init(rawValue: 16) }
}

// MARK: Settings

open class UNNotificationSettings: NSObject {
  open var authorizationStatus: UNAuthorizationStatus { fatalError() }
  #if !os(watchOS)
    open var badgeSetting: UNNotificationSetting { fatalError() }
  #endif
  #if !os(tvOS)
    open var soundSetting: UNNotificationSetting { fatalError() }
    open var alertSetting: UNNotificationSetting { fatalError() }
    open var notificationCenterSetting: UNNotificationSetting { fatalError() }
    open var criticalAlertSetting: UNNotificationSetting { fatalError() }
    open var timeSensitiveSetting: UNNotificationSetting { fatalError() }
    open var scheduledDeliverySetting: UNNotificationSetting { fatalError() }
    open var directMessagesSetting: UNNotificationSetting { fatalError() }
  #endif
  #if !os(tvOS) && !os(watchOS)
    open var lockScreenSetting: UNNotificationSetting { fatalError() }
    open var providesAppNotificationSettings: Bool { fatalError() }
  #endif
  #if os(iOS)
    open var carPlaySetting: UNNotificationSetting { fatalError() }
  #endif
  #if os(iOS) || os(watchOS)
    open var announcementSetting: UNNotificationSetting { fatalError() }
  #endif
}

// MARK: Content

public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

#if !os(tvOS)
  open class UNNotificationSound: NSObject {
    public override required init() {}
    open class var `default`: UNNotificationSound { fatalError() }
    open class var defaultCritical: UNNotificationSound { fatalError() }
    open class func defaultCriticalSound(withAudioVolume volume: Float) -> Self { fatalError() }
    #if !os(watchOS)
      public convenience init(named name: UNNotificationSoundName) { self.init() }
      open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> Self { fatalError() }
      open class func criticalSoundNamed(
        _ name: UNNotificationSoundName, withAudioVolume volume: Float
      ) -> Self { fatalError() }
    #endif
  }

  open class UNNotificationAttachment: NSObject {
    // Apple's is a convenience initializer that fails by its NSError.
    public init(identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil) throws {}
    open var identifier: String { fatalError() }
    open var url: URL { fatalError() }
  }
#endif

open class UNNotificationContent: NSObject {
  open var badge: NSNumber? { fatalError() }
  #if !os(tvOS)
    open var attachments: [UNNotificationAttachment] { fatalError() }
    open var body: String { fatalError() }
    open var categoryIdentifier: String { fatalError() }
    open var sound: UNNotificationSound? { fatalError() }
    open var subtitle: String { fatalError() }
    open var threadIdentifier: String { fatalError() }
    open var title: String { fatalError() }
    open var userInfo: [AnyHashable: Any] { fatalError() }
    open var targetContentIdentifier: String? { fatalError() }
    open var interruptionLevel: UNNotificationInterruptionLevel { fatalError() }
    open var relevanceScore: Double { fatalError() }
  #endif
  #if !os(tvOS) && !os(macOS)
    open var launchImageName: String { fatalError() }
  #endif
  #if !os(tvOS) && !os(watchOS)
    @available(iOS 16, macOS 13, *)
    open var filterCriteria: String? { fatalError() }
  #endif
}

open class UNMutableNotificationContent: UNNotificationContent {
  open override var badge: NSNumber? { get { fatalError() } set {} }
  #if !os(tvOS)
    open override var attachments: [UNNotificationAttachment] { get { fatalError() } set {} }
    open override var body: String { get { fatalError() } set {} }
    open override var categoryIdentifier: String { get { fatalError() } set {} }
    open override var sound: UNNotificationSound? { get { fatalError() } set {} }
    open override var subtitle: String { get { fatalError() } set {} }
    open override var threadIdentifier: String { get { fatalError() } set {} }
    open override var title: String { get { fatalError() } set {} }
    open override var userInfo: [AnyHashable: Any] { get { fatalError() } set {} }
    open override var targetContentIdentifier: String? { get { fatalError() } set {} }
    open override var interruptionLevel: UNNotificationInterruptionLevel {
      get { fatalError() }
      set {}
    }
    open override var relevanceScore: Double { get { fatalError() } set {} }
  #endif
  #if !os(tvOS) && !os(macOS)
    open override var launchImageName: String { get { fatalError() } set {} }
  #endif
  #if !os(tvOS) && !os(watchOS)
    @available(iOS 16, macOS 13, *)
    open override var filterCriteria: String? { get { fatalError() } set {} }
  #endif
}

// MARK: Requests

open class UNNotificationTrigger: NSObject {
  open var repeats: Bool { fatalError() }
}

open class UNPushNotificationTrigger: UNNotificationTrigger {}

open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
  public convenience init(timeInterval: TimeInterval, repeats: Bool) { self.init() }
}

open class UNCalendarNotificationTrigger: UNNotificationTrigger {
  public convenience init(dateMatching dateComponents: DateComponents, repeats: Bool) {
    self.init()
  }
}

#if (os(iOS) && !targetEnvironment(macCatalyst)) || os(watchOS)
  open class UNLocationNotificationTrigger: UNNotificationTrigger {
    public convenience init(region: CLRegion, repeats: Bool) { self.init() }
  }
#endif

open class UNNotificationRequest: NSObject {
  public convenience init(
    identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?
  ) { self.init() }
  open var identifier: String { fatalError() }
  open var content: UNNotificationContent { fatalError() }
  open var trigger: UNNotificationTrigger? { fatalError() }
}

open class UNNotification: NSObject {
  open var date: Date { fatalError() }
  open var request: UNNotificationRequest { fatalError() }
}

#if !os(tvOS)
  open class UNNotificationResponse: NSObject {
    open var notification: UNNotification { fatalError() }
    open var actionIdentifier: String { fatalError() }
  }

  open class UNTextInputNotificationResponse: UNNotificationResponse {
    open var userText: String { fatalError() }
  }
#endif

// MARK: The centre

open class UNUserNotificationCenter: NSObject {
  open class func current() -> UNUserNotificationCenter { fatalError() }
  open weak var delegate: (any UNUserNotificationCenterDelegate)?
  open func requestAuthorization(
    options: UNAuthorizationOptions = [],
    completionHandler: @escaping (Bool, (any Error)?) -> Void
  ) {}
  open func getNotificationSettings(
    completionHandler: @escaping (UNNotificationSettings) -> Void
  ) {}
  open func add(
    _ request: UNNotificationRequest,
    withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
  ) {}
  open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {}
  #if !os(tvOS)
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}
  #endif
}

/// All its methods are optional on Apple's systems; here not, so that the library cannot miss one
/// by a slip of its signature.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
  #if !os(tvOS)
    func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void)
  #endif
  #if !os(tvOS) && !os(watchOS)
    func userNotificationCenter(
      _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
  #endif
}

#if !os(tvOS)
  open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
      _ request: UNNotificationRequest,
      withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
  }
#endif

// MARK: Categories and badge

#if !os(tvOS)
  public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var customDismissAction: Self { .init(rawValue: 1) }
    #if !os(macOS)
      public static var allowInCarPlay: Self { .init(rawValue: 2) }
    #endif
    #if !os(watchOS)
      public static var hiddenPreviewsShowTitle: Self { .init(rawValue: 4) }
      public static var hiddenPreviewsShowSubtitle: Self { .init(rawValue: 8) }
    #endif
  }

  public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var authenticationRequired: Self { .init(rawValue: 1) }
    public static var destructive: Self { .init(rawValue: 2) }
    public static var foreground: Self { .init(rawValue: 4) }
  }

  open class UNNotificationActionIcon: NSObject {
    public convenience init(templateImageName: String) { self.init() }
    public convenience init(systemImageName: String) { self.init() }
  }

  open class UNNotificationAction: NSObject {
    public convenience init(
      identifier: String, title: String, options: UNNotificationActionOptions = []
    ) { self.init() }
    public convenience init(
      identifier: String, title: String, options: UNNotificationActionOptions = [],
      icon: UNNotificationActionIcon?
    ) { self.init() }
    open var identifier: String { fatalError() }
    open var title: String { fatalError() }
  }

  open class UNTextInputNotificationAction: UNNotificationAction {
    public convenience init(
      identifier: String, title: String, options: UNNotificationActionOptions = [],
      icon: UNNotificationActionIcon?, textInputButtonTitle: String, textInputPlaceholder: String
    ) { self.init() }
  }

  open class UNNotificationCategory: NSObject {
    public convenience init(
      identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
      options: UNNotificationCategoryOptions = []
    ) { self.init() }
    #if !os(watchOS)
      public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String?, categorySummaryFormat: String?,
        options: UNNotificationCategoryOptions = []
      ) { self.init() }
    #endif
    open var identifier: String { fatalError() }
  }
#endif

extension UNUserNotificationCenter {
  #if !os(tvOS)
    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
  #endif
  #if !os(watchOS)
    @available(iOS 16, macOS 13, tvOS 16, *)
    public func setBadgeCount(
      _ newBadgeCount: Int, withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
    ) {}
  #endif
}
