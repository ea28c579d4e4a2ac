internal import Content
internal import EventLoop
internal import HTTP
internal import Localization
internal import Postgres

/// `GET …/catalogs/{version}/coverage`: what a catalog lacks, and how many devices miss it.
enum Coverage {
  static let endpoint = Endpoint(
    .get, Catalogs.path + "/coverage", "getCoverage", .admin,
    decode: Catalogs.key,
    perform: { key, call in try await report(key, call.context) },
    encode: { report, _ in .json(report) })

  private static func report(
    _ key: CatalogKey, _ context: LoopContext
  ) async throws -> CoverageReport {
    guard let loaded = try await context.content.catalog(key) else {
      throw ContentFailure.catalogNotFound
    }
    var report = CoverageReport(
      of: loaded.catalog, version: key.version,
      buildsWithoutCatalog: try await context.database.readApart(
        BuildsWithoutCatalog(appID: key.appID)))
    let lists = try await context.database.open(
      CountLanguageLists(key: key), timeoutMilliseconds: Limits.coverageTimeoutMilliseconds)
    defer { lists.close() }
    while let rows = try await lists.next() {
      var turnBegan = Monotonic.now()
      for (languages, devices) in rows {
        let preferred = languages.compactMap { LanguageTag($0) }
        let chain = context.content.matches.chain(
          for: preferred, in: loaded.catalog, catalogID: loaded.id)
        report.add(preferred, chain: chain, devices: Int(devices))
        // Lists of fifty languages take longer than those of people.
        guard Monotonic.now() - turnBegan >= Limits.coverageTurnNanoseconds else { continue }
        await context.loop.sleep(nanoseconds: 0)
        turnBegan = Monotonic.now()
      }
      // Others of this loop have their turn.
      await context.loop.sleep(nanoseconds: 0)
    }
    return report
  }
}
