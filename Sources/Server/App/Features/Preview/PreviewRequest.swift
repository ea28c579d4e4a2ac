internal import ASCII
internal import Content
internal import DeviceProfile
internal import JSON
internal import Localization
internal import Registry
internal import Rendering

/// The body of `POST …/preview`: the message with its values, and the assumed device.
struct PreviewRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  var message: MessageChoice
  /// The languages to show; `nil` for all there are.
  var languages: Set<LanguageTag>?
  /// The app version whose strings the device has; `nil` for the last upload.
  var appVersion: String?
  /// A device of today that can localize by itself, in no language yet.
  var device: Device
  var options = RenderOptions()

  init?(reading fields: FieldReader) {
    let message = fields.messageChoice()
    languages = fields.previewedLanguages("languages")
    appVersion = fields.appCatalog("app_version")
    device = Device(platform: fields.word("platform").value ?? .ios)
    device.locale = fields.text("locale", maximum: RegistryLimits.localeBytes).value
    device.timeZone = fields.timeZone("time_zone").value
    device.attributes = fields.attributes("attributes").value?.json
    // The version is later than any version that a key needs.
    device.osVersion = Version(999)
    device.capabilities = [Device.locKeyCapability]
    options.localization = fields.word("localization").value ?? .auto
    guard let message else { return nil }
    self.message = message
  }
}

extension FieldReader {
  /// `"all"`, or a list of languages; `nil` for all.
  fileprivate func previewedLanguages(_ name: String) -> Set<LanguageTag>? {
    switch json(name).value {
    case nil: return nil
    case .string(let word) where word.isSpelled(like: "all"): return nil
    case .array(let elements): return languageTags(name, in: elements).map(Set.init)
    case let value?:
      refuseType(name, "\"all\" or an array of language tags", value)
      return nil
    }
  }
}
