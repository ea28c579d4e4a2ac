public import DeviceProfile
import Localization

/// What of a device a rendering depends on: all devices in the same circumstances get the same
/// content.
///
/// Example: of iOS 17.4.1 a message with keys depends on this alone, that it is 10 or later. So an
/// iPhone with 17.4.1 and one with 16.2 are in the same circumstances if their languages find the
/// same localizations.
public struct Circumstances: Sendable, Hashable {
  /// The device; what makes no difference is left out or replaced by something typical.
  public let device: Device
  /// What its texts may come from.
  public let catalogs: DeviceCatalogs

  /// Leaves out what makes no difference.
  /// - Parameters:
  ///   - aspects: what may make one.
  ///   - explain: whether everything is told of, and so nothing is left out.
  init(
    of device: Device, _ catalogs: DeviceCatalogs, for message: Message, _ aspects: DeviceAspects,
    explain: Bool
  ) {
    self.catalogs = catalogs
    if explain {
      self.device = device
      return
    }
    var typical = Device(platform: device.platform)
    if message.choosesByLanguage { typical.languages = device.languages }
    if aspects.contains(.locale) { typical.locale = device.settings }
    if aspects.contains(.timeZone) { typical.timeZone = device.timeZone }
    if aspects.contains(.attributes) { typical.attributes = device.attributes }
    if aspects.contains(.authorization) { typical.permissions = device.permissions.decisive }
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
  /// The circumstances of a device, whatever the values of the parameters are.
  public func circumstances(
    of device: Device, catalogs: DeviceCatalogs, _ options: RenderOptions
  ) -> Circumstances {
    Circumstances(of: device, catalogs, for: self, aspects(options), explain: options.explain)
  }

  /// Whether the languages of a device matter beside those that its catalogs are read in.
  fileprivate var choosesByLanguage: Bool {
    fallbackLanguage != nil || alert?.languages.isEmpty == false
  }
}

extension Device {
  /// The region settings of the person, or else the first language; what is no tag is none of them.
  var settings: String? {
    [locale, languages.first?.text].compactMap(\.self)
      .first { LanguageTag(String($0.prefix { $0 != "@" })) != nil }
  }
}

extension Permissions {
  /// What can decide something: that a person said nothing is as good as a yes, but for critical
  /// alerts.
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
