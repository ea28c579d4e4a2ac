/// The locale in which values inside a text are written.
///
/// The words are those of the text's localization, the habits those of the device's region, as in
/// an app on that device:
///
/// | localization | device's locale | result |
/// |---|---|---|
/// | `fr` | `en_CA` | `fr_CA` |
/// | `zh-Hant` | `zh_HK` | `zh_Hant_HK` |
/// | `en-GB` | `de_DE` | `en_DE` |
/// | `de` | `de_CH@calendar=iso8601` | `de_CH@calendar=iso8601` |
/// | `pt-BR` | none | `pt_BR` |
enum FormatLocale {
  static func identifier(localization: String, deviceLocale: String?) -> String {
    let text = Subtags(localization)
    guard let deviceLocale else { return text.identifier(region: text.region) }
    let device = Subtags(deviceLocale)
    if device.language == text.language, text.script == nil || text.script == device.script {
      return deviceLocale
    }
    return text.identifier(region: device.region ?? text.region)
  }

  private struct Subtags {
    var language: Substring
    var script: Substring?
    var region: Substring?

    init(_ identifier: String) {
      let name = identifier.prefix { $0 != "@" && $0 != "." }
      let fields = name.split { $0 == "-" || $0 == "_" }
      language = fields.first ?? "en"
      for field in fields.dropFirst() {
        switch field.utf8.count {
        case 4 where script == nil && region == nil: script = field
        case 2...3 where region == nil: region = field
        default: break
        }
      }
    }

    func identifier(region: Substring?) -> String {
      [language, script, region].compactMap { $0 }.joined(separator: "_")
    }
  }
}
