internal import JSON
internal import Localization
internal import Rendering

/// The body of `POST …/preview`: what to say, with which values, to whom one would say it.
struct PreviewQuestion: RequestBody {
  static var policy: FieldPolicy { .strict }

  var message: MessageChoice
  /// The languages to show; `nil` for all there are.
  var languages: Set<LanguageTag>?
  /// Whose strings the app has; `nil` for those of the newest catalog.
  var appVersion: String?
  /// A device of today that can localize by itself, in no language yet.
  var device: Device
  var options = RenderOptions()

  init?(reading fields: FieldReader) {
    let message = fields.messageChoice()
    languages = fields.previewedLanguages("languages")
    appVersion = fields.text("app_version", maximum: Limits.catalogVersionBytes, minimum: 1).value
    if appVersion == CatalogStore.serverVersion {
      fields.refuse(.unknownValue, at: "app_version", "The server's catalog is of no app version.")
    }
    device = Device(platform: fields.word("platform").value ?? .ios)
    device.locale = fields.text("locale", maximum: Limits.localeBytes).value
    device.timeZone = fields.timeZone("time_zone").value
    // Later than any version that a key waits for.
    device.osVersion = OSVersion(999)
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
    case nil, .string("all"): return nil
    case .array(let elements):
      guard (1...Limits.previewedLanguages).contains(elements.count) else {
        refuse(
          elements.isEmpty ? .tooShort : .tooMany, at: name,
          "1 to \(Limits.previewedLanguages) languages.")
        return nil
      }
      var languages: Set<LanguageTag> = []
      for (index, element) in elements.enumerated() {
        guard case .string(let text) = element, let tag = LanguageTag(text) else {
          let detail = "A language tag such as pt-BR or zh-Hant-HK."
          refuse(InputFault.invalidLanguage.problem(at: "\(place(name))/\(index)", detail))
          continue
        }
        languages.insert(tag)
      }
      return languages
    case let value?:
      refuseType(name, "\"all\" or an array of language tags", value)
      return nil
    }
  }
}
