public import DeviceProfile
import Localization

/// The facts about a device that a rendering depends on. All devices in the same circumstances get
/// the same content.
///
/// Example: an iPhone with iOS 17.4.1 and one with 16.2 are in the same circumstances if their
/// languages find the same localizations. For a message with keys it only counts that both have iOS
/// 10 or later.
public struct Circumstances: Sendable, Hashable {
  /// The device. Facts that make no difference are left out, or replaced by a typical value.
  public let device: Device
  public let catalogs: DeviceCatalogs
  /// Why the device cannot take the push that the message asks for.
  public let obstacle: SystemObstacle?

  /// Leaves out facts that make no difference.
  /// - Parameters:
  ///   - aspects: the facts that may make a difference.
  ///   - explain: whether the answer shows everything, so that nothing may be left out.
  init(
    of device: Device, _ catalogs: DeviceCatalogs, for message: Message, in app: AppFacts,
    _ aspects: DeviceAspects, explain: Bool
  ) {
    self.catalogs = catalogs
    obstacle = message.push?.obstacle(on: device, in: app)
    if explain {
      self.device = device
      return
    }
    var typical = Device(platform: device.platform)
    typical.startsActivitiesOften = device.startsActivitiesOften
    if message.choosesByLanguage { typical.languages = device.languages }
    if aspects.contains(.locale) { typical.locale = device.settings }
    if aspects.contains(.timeZone) { typical.timeZone = device.timeZone }
    if aspects.contains(.attributes) { typical.attributes = device.attributes }
    if aspects.contains(.authorization) { typical.permissions = device.permissions.decisive }
    if aspects.contains(.bundleID) { typical.bundleID = device.bundleID }
    if aspects.contains(.abilities) {
      typical.isLanguageOverridden = device.isLanguageOverridden
      typical.osVersion = device.osVersion.map(device.platform.landmark)
      typical.localization = device.localization
      typical.capabilities = device.capabilities.intersection(
        [Device.locKeyCapability, Device.localNotificationCapability])
      typical.backgroundRefresh = device.backgroundRefresh
    }
    self.device = typical
  }
}

extension Message {
  /// Whether the languages of a device matter beside those that its catalogs are read in.
  fileprivate var choosesByLanguage: Bool {
    fallbackLanguage != nil || alert?.languages.isEmpty == false || push != nil
  }
}

extension Device {
  /// The locale of the person, or else the first language; the first of the two that is a tag.
  var settings: String? {
    [locale, languages.first?.text].compactMap(\.self)
      .first { LanguageTag(String($0.prefix { $0 != "@" })) != nil }
  }
}

extension Permissions {
  /// The permissions that can change a notification. An unknown switch counts as allowed, except
  /// that of critical alerts.
  fileprivate var decisive: Permissions {
    var decisive = Permissions()
    decisive.isDenied = isDenied
    if alert == false { decisive.alert = false }
    if sound == false { decisive.sound = false }
    if badge == false { decisive.badge = false }
    decisive.criticalAlert = criticalAlert
    return decisive
  }
}
