internal import JSON
internal import Localization

/// Fields that preview and the check of payloads share.
extension FieldReader {
  /// The version of an app's catalog.
  func appCatalog(_ name: String) -> String? {
    let version = text(name, maximum: Limits.catalogVersionBytes, minimum: 1).value
    if version == CatalogStore.serverVersion {
      refuse(.unknownValue, at: name, "The server's catalog is of no app version.")
    }
    return version
  }

  /// Language tags in an array that is not empty.
  func languageTags(_ name: String, in elements: [JSONValue]) -> [LanguageTag]? {
    guard (1...Limits.previewedLanguages).contains(elements.count) else {
      refuse(
        elements.isEmpty ? .tooShort : .tooMany, at: name,
        "1 to \(Limits.previewedLanguages) languages.")
      return nil
    }
    var tags: [LanguageTag] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element, let tag = LanguageTag(text) else {
        let detail = "A language tag such as pt-BR or zh-Hant-HK."
        refuse(InputFault.invalidLanguage.problem(at: "\(place(name))/\(index)", detail))
        continue
      }
      tags.append(tag)
    }
    return tags
  }
}

extension LoopContext {
  /// The catalog of a version, which must be there, or else of the last upload, if any.
  func catalog(
    asked version: String?, of app: AppRecord
  ) async throws -> (version: String, loaded: CatalogStore.Loaded)? {
    var name = version
    if name == nil {
      name = try await shared.catalogs.versions(of: app.id, on: self).used(by: []).first
    }
    guard let name, let loaded = try await catalog(name, of: app) else {
      if version == nil { return nil }
      throw Problem(.catalogNotFound, "The app has no catalog of that version.")
    }
    return (name, loaded)
  }
}
