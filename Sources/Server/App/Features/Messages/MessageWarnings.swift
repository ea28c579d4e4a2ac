internal import Content
internal import EventLoop
internal import Localization
internal import Postgres
internal import Rendering

extension LoopContext {
  /// Warnings about parts of a message that may not say what is meant. Then warnings about keys
  /// that the message needs and a catalog lacks: the catalogs that devices still use, the last
  /// upload first, and the server's catalog.
  ///
  /// Keys of the app are compared with the server's catalog as long as the app has no other
  /// catalog.
  func warnings(_ message: Message, of app: AppRecord) async throws -> [MessageWarning] {
    let check = MessageCheck(message)
    var warnings = check.warnings
    func compare(_ choice: KeyedText.CatalogChoice, with version: String) async throws -> Bool {
      let catalog = try await content.catalog(version, of: app.id)?.catalog
      guard catalog != nil || version == CatalogKey.serverVersion else { return false }
      // Entries may be megabytes.
      warnings += try await shared.workers.requests.run {
        check.warnings(choice, in: catalog, version: catalog.map { _ in version })
      }
      return true
    }
    if check.asks(.app) {
      var isCompared = false
      let recent = try await database.read(.recentBuilds(appID: app.id))
      let used = try await content.catalogVersions(of: app.id).used(by: recent)
      for version in used.prefix(Limits.checkedCatalogs) {
        isCompared = try await compare(.app, with: version) || isCompared
      }
      if !isCompared { _ = try await compare(.app, with: CatalogKey.serverVersion) }
    }
    if check.asks(.server) { _ = try await compare(.server, with: CatalogKey.serverVersion) }
    return Array(warnings.prefix(Limits.messageWarnings))
  }
}
