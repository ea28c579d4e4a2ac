internal import Content
internal import EventLoop
internal import Localization
internal import Postgres
internal import Rendering

extension LoopContext {
  /// What a message says otherwise than it may be meant; then what it wants of the catalogs that
  /// devices still use, the last upload first, and of the server's, and does not find.
  ///
  /// Keys of the app are compared with the server's catalog as long as there is no other.
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
      let recent = try await database.read(RecentBuilds(appID: app.id))
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
