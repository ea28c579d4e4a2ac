internal import Content
internal import EventLoop
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres
internal import Registry
internal import Rendering
internal import Synchronization

/// `GET …/catalogs/{version}/coverage`: the texts that a catalog lacks, and how many devices miss
/// them.
enum Coverage {
  static let endpoint = Endpoint(
    .get, CatalogKey.path + "/coverage", "getCoverage", .admin, isLong: true,
    decode: Question.init,
    perform: { question, call in
      try await answer(question, call.context, for: call.holder, at: call.now)
    },
    encode: { json, _ in .json(text: json) })

  private struct Question: Sendable {
    let key: CatalogKey
    var maximumAge = 0
    /// The installations to count; `nil` for all.
    var filter: InstallationFilter?

    init(_ key: CatalogKey) { self.key = key }

    init(_ request: Request, _ query: inout QueryReader) throws {
      key = try CatalogKey(request)
      maximumAge = query.maximumAge()
      let filter = InstallationFilter(appID: request.app.id, from: &query)
      if !filter.isEmpty { self.filter = filter }
    }
  }

  /// Counts the coverage of an app's last uploads anew, for callers that accept an older answer.
  static func countAhead(_ app: AppRecord, _ context: LoopContext, at now: Timestamp) async throws {
    let versions = try await context.content.catalogVersions(of: app.id).names
    guard !versions.isEmpty else { return }
    let builds = try await context.readBehind {
      try await $0.readApart(.buildsWithoutCatalog(appID: app.id))
    }
    for version in versions.prefix(Limits.countedCatalogs) {
      let question = Question(CatalogKey(appID: app.id, version: version))
      _ = try await answer(question, context, for: nil, at: now, buildsWithoutCatalog: builds)
    }
  }

  private static func answer(
    _ question: Question, _ context: LoopContext, for holder: Int32?, at now: Timestamp,
    buildsWithoutCatalog builds: [SeenBuild]? = nil
  ) async throws -> [UInt8] {
    if let filter = question.filter {
      let counted = try await context.readBehind { database in
        try await report(
          question.key, filter, context, database, for: holder, at: now,
          buildsWithoutCatalog: builds)
      }
      return try await context.shared.workers.requests.run { counted.json }
    }
    let key = CountedAnswers.Key(
      operation: "getCoverage", appID: question.key.appID, target: question.key.version)
    return try await context.counted(key, at: now, maximumAge: question.maximumAge) {
      try await context.readBehind {
        try await report(
          question.key, nil, context, $0, for: holder, at: now, buildsWithoutCatalog: builds)
      }
    }
  }

  private static func report(
    _ key: CatalogKey, _ filter: InstallationFilter?, _ context: LoopContext,
    _ database: PostgresClient, for holder: Int32?, at now: Timestamp,
    buildsWithoutCatalog known: [SeenBuild]?
  ) async throws -> CoverageReport {
    guard let loaded = try await context.content.catalog(key) else {
      throw ContentFailure.catalogNotFound
    }
    let builds =
      if let known {
        known
      } else {
        try await database.readApart(.buildsWithoutCatalog(appID: key.appID), for: holder)
      }
    let messages = try await keys(of: key, context, for: holder)
    let server =
      key.version == CatalogKey.serverVersion
      ? nil : try await context.content.catalog(CatalogKey.serverVersion, of: key.appID)
    let count = try await context.shared.workers.requests.run {
      CoverageCount(
        CoverageReport(
          of: loaded.catalog, version: key.version, countedAt: now, buildsWithoutCatalog: builds,
          messages: MessageCoverage(
            messages, in: loaded.catalog, version: key.version, server: server?.catalog)),
        server: server)
    }
    let asked = (filter ?? InstallationFilter(appID: key.appID)).ofApp(key.appID)
    let lists = try await database.open(
      .countLanguageLists(key: key, asked, try await asked.ids(database)), for: holder,
      timeoutMilliseconds: Limits.coverageTimeoutMilliseconds)
    defer { lists.close() }
    while let rows = try await lists.next() {
      try await context.shared.workers.requests.run { count.add(rows, loaded) }
    }
    return count.report
  }

  /// The keys of all messages. The catalog of a build should have them. The server's catalog should
  /// have them only as long as there is no build.
  private static func keys(
    of key: CatalogKey, _ context: LoopContext, for holder: Int32?
  ) async throws -> [(name: String, keys: MessageKeys)] {
    if key.version == CatalogKey.serverVersion {
      let builds = try await context.content.catalogVersions(of: key.appID).names
      guard builds.isEmpty else { return [] }
    }
    var messages: [(name: String, keys: MessageKeys)] = []
    let all = MessageRecord.list(of: key.appID)
    let stream = try await context.database.open(all, for: holder)
    defer { stream.close() }
    while let records = try await stream.next() {
      messages += try await context.shared.workers.requests.run {
        records.compactMap { record in
          // This release does not judge messages that it cannot read.
          (try? record.message()).flatMap(MessageKeys.init).map { (name: record.name, keys: $0) }
        }
      }
    }
    return messages
  }
}

/// A report while devices are counted, on whichever thread has its turn.
private final class CoverageCount: Sendable {
  private struct State {
    var report: CoverageReport
    var matches = MatchMemo()
  }
  private let state: Mutex<State>
  /// The server's catalog, which stands in for keys that the catalog lacks.
  private let server: LoadedCatalog?

  init(_ report: CoverageReport, server: LoadedCatalog?) {
    state = Mutex(State(report: report))
    self.server = server
  }

  var report: CoverageReport { state.withLock { $0.report } }

  /// Counts devices by their lists of languages.
  func add(_ rows: [(languages: [String], installations: Int64)], _ loaded: LoadedCatalog) {
    state.withLock { state in
      for (languages, devices) in rows {
        let preferred = languages.compactMap { LanguageTag($0) }
        let chain = state.matches.chain(
          for: preferred, in: loaded.catalog, catalogID: loaded.id)
        var view: CatalogView?
        if let server, !state.report.messages.isEmpty {
          view = CatalogView(
            server.catalog,
            chain: state.matches.chain(
              for: preferred, in: server.catalog, catalogID: server.id))
        }
        state.report.add(preferred, chain: chain, server: view, devices: Int(devices))
      }
    }
  }
}
