package import JSON
package import Localization

/// Fields that preview and the check of payloads share.
extension FieldReader {
  /// The version of an app's catalog.
  package func appCatalog(_ name: String) -> String? {
    let version = text(name, maximum: ContentLimits.catalogVersionBytes, minimum: 1).value
    if version == CatalogKey.serverVersion {
      refuse(.unknownValue, at: name, "The server's catalog is of no app version.")
    }
    return version
  }

  /// Language tags in an array that is not empty.
  package func languageTags(_ name: String, in elements: [JSONValue]) -> [LanguageTag]? {
    guard (1...ContentLimits.previewedLanguages).contains(elements.count) else {
      refuse(
        elements.isEmpty ? .tooShort : .tooMany, at: name,
        "1 to \(ContentLimits.previewedLanguages) languages.")
      return nil
    }
    var tags: [LanguageTag] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element, let tag = LanguageTag(reading: text) else {
        let detail = "A language tag such as pt-BR or zh-Hant-HK."
        refuse(InputFault.invalidLanguage.problem(at: "\(pointer(to: name))/\(index)", detail))
        continue
      }
      tags.append(tag)
    }
    return tags
  }
}
