import AppTesting
import EventLoop
import JSON
import Postgres
import Testing

@testable import App
@testable import Registry

/// Every filter and every order of the list of installations has an index that serves it. The plans
/// are made as the service's connections make them.
@Suite struct InstallationPlanTests {
  private static let database = Task {
    let database = try await ScratchCluster.database()
    try await database.query(
      """
      INSERT INTO app (slug, bundle_id, name, development_language, created_at, updated_at)
      VALUES ('a', 'a', 'a', 'en', 'epoch', 'epoch'), ('b', 'b', 'b', 'en', 'epoch', 'epoch');
      INSERT INTO installation (app_id, installation_id, revision, platform, environment,
        apns_token, apns_status, apns_registered_at, apns_presented_at, languages, facets,
        app_version_order, os_version_order, app_build_order, localization, capabilities, user_id,
        tags, created_at, updated_at, last_seen_at)
      SELECT 1 + n % 2, gen_random_uuid(), 1, 'ios', 'production', decode(repeat('00', 32), 'hex'),
        'active', time, time, '{}',
        ARRAY[1 + n % 2 || ':tag:' || n % 100], ARRAY[n % 100], ARRAY[n % 100], ARRAY[n % 100],
        'auto', '{}', 'u' || n, '{}', time, time, time
      FROM generate_series(1, 6000) AS n,
        LATERAL (SELECT timestamptz 'epoch' + make_interval(hours => n * 7919 % 6000)) AS t (time);
      ANALYZE installation
      """)
    return database
  }

  /// - Parameter given: Literals of those parameters that are not null.
  private func plan(
    _ statement: (some Statement).Type, _ count: Int, _ given: [Int: String]
  ) async throws -> String {
    let arguments = (1...count).map { given[$0] ?? "NULL" }.joined(separator: ", ")
    let plan = try await Self.database.value.query(
      """
      SET plan_cache_mode = force_custom_plan;
      SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
      PREPARE statement AS \(statement.sql);
      EXPLAIN EXECUTE statement(\(arguments))
      """)
    return plan.compactMap { $0[0] }.joined(separator: "\n")
  }

  static let filters: [(parameters: [Int: String], index: String)] = [
    ([2: "'{1:tag:7}'"], "installation_facets"), ([3: "'{u8}'"], "installation_user"),
    ([4: "'{0b7c1f7e-3a52-4d0e-9a3c-6a1a0d3b6f10}'"], "installation_pkey"),
    ([5: "'{7}'"], "installation_app_version"), ([6: "'{98}'"], "installation_app_version"),
    ([7: "'{2}'"], "installation_app_version"),
    ([6: "'{3}'", 7: "'{5}'"], "installation_app_version"),
    ([8: "'{7}'"], "installation_os_version"), ([9: "'{98}'"], "installation_os_version"),
    ([10: "'{2}'"], "installation_os_version"),
    ([11: "'1970-09-05'"], "installation_registered"),
    ([11: "'1970-01-01 00:00:01'", 12: "'1970-01-05'"], "installation_registered"),
    ([13: "'1970-09-05'"], "installation_seen"), ([14: "'1970-01-05'"], "installation_seen"),
    ([15: "'{7}'"], "installation_app_build"), ([16: "'{98}'"], "installation_app_build"),
    ([17: "'{2}'"], "installation_app_build"),
    ([18: "'1970-09-05'"], "installation_updated"),
    ([19: "'1970-01-05'"], "installation_updated"),
    ([2: "'{1:tag:7}'", 13: "'1970-05-05'"], "installation_facets"),
    ([2: "'{1:tag:7}'", 5: "'{7}'"], "installation_"),
  ]

  @Test(.onOnePostgres, arguments: filters)
  func whatAFilterFindsIsFoundByItsIndex(
    row: (parameters: [Int: String], index: String)
  ) async throws {
    let given = row.parameters.merging([1: "1", 22: "51"]) { $1 }
    let plan = try await plan(GatherInstallations<Descending<ByLastSeen>>.self, 22, given)
    let found = try #require(plan.split(separator: "CTE found").last)
    #expect(found.contains(row.index), "\(plan)")
    #expect(!plan.contains("Seq Scan"), "\(plan)")
    // The rows of the page are read by key.
    #expect(plan.contains("installation_pkey"), "\(plan)")
  }

  /// What is put together, and the indexes that find it.
  static let conditions: [(json: String, indexes: [String])] = [
    (#"{"any": [{"tag": "7"}, {"tag": "8"}]}"#, ["installation_facets"]),
    (#"{"tags[any]": ["7", "8"]}"#, ["installation_facets"]),
    (#"{"any": [{"tag": "7"}, {"user": "u8"}]}"#, ["installation_facets", "installation_user"]),
    (
      #"{"all": [{"any": [{"app_build": "7"}, {"tag": "8"}]}, {"not": {"tag": "9"}}]}"#,
      ["installation_app_build", "installation_facets"]
    ),
    (#"{"not": {"not": {"tag": "7"}}}"#, ["installation_facets"]),
    (#"{"not": {"platform": "ios"}}"#, ["installation_facets"]),
    (#"{"not": {"any": [{"platform": "ios"}, {"user": "u8"}]}}"#, ["installation_facets"]),
    (#"{"attributes.age[gte]": 7, "attributes.age[lt]": 9}"#, ["installation_facets"]),
    (#"{"attributes.age[in]": [7, 9]}"#, ["installation_facets"]),
    (#"{"attributes.age[exists]": true}"#, ["installation_facets"]),
    (#"{"authorization.alert": false}"#, ["installation_facets"]),
    (#"{"authorization": "denied"}"#, ["installation_facets"]),
    (#"{"capability": "loc-key"}"#, ["installation_facets"]),
    (#"{"time_zone": "Asia/Tokyo"}"#, ["installation_facets"]),
    (#"{"updated_since": "1970-09-05T00:00:00Z"}"#, ["installation_updated"]),
  ]

  @Test(.onOnePostgres, arguments: conditions)
  func whatIsPutTogetherIsFoundByIndexes(row: (json: String, indexes: [String])) async throws {
    var filter = InstallationFilter(appID: 1)
    filter.parts = [
      .filter(
        try JSONValue(body: Array(row.json.utf8)).read {
          InstallationFilter(reading: $0, depth: 1)
        }.body)
    ]
    let source = InstallationSource(filter: filter, after: nil, rows: 51)
    let rows = try await Self.rows(of: GatherInstallations<Descending<ByLastSeen>>(source: source))
    let plan = rows.joined(separator: "\n")
    let found = try #require(plan.split(separator: "CTE found").last)
    for index in row.indexes { #expect(found.contains(index), "\(plan)") }
    #expect(!plan.contains("Seq Scan"), "\(plan)")
    #expect(!found.contains("using installation_created"), "\(plan)")
  }

  @Test(.onOnePostgres) func thePlannerKnowsHowManyAreFound() async throws {
    var filter = InstallationFilter(appID: 1)
    filter.tags = ["8"]
    let source = InstallationSource(filter: filter, after: nil, rows: 51)
    let found = try await Self.read(EstimateInstallations(source: source)).first
    // There are 60 of 3000.
    #expect((40...90).contains(found ?? 0), "\(found ?? 0)")
  }

  /// The plan of a statement with its own parameters.
  private static func rows(of statement: some Statement) async throws -> [String] {
    try await read(Explained(statement: statement))
  }

  /// The rows of a statement.
  private static func read<S: Statement>(_ statement: S) async throws -> [S.Row] {
    try await withClient { try await $0.read(statement) }
  }

  /// Does something with a connection of the service's kind.
  private static func withClient<Result: Sendable>(
    _ body: @escaping @Sendable (PostgresClient) async throws -> Result
  ) async throws -> Result {
    let address = try DatabaseAddress(try await database.value.conninfo)
    let loop = try EventLoop()
    loop.start()
    defer { loop.stop() }
    return try await Task(executorPreference: loop) {
      let client = PostgresClient(
        address, connections: 1, loop: loop, answerNanoseconds: 120_000_000_000)
      client.start()
      defer { client.close() }
      return try await body(client)
    }.value
  }

  private struct Explained<S: Statement>: Statement {
    static var sql: String { "EXPLAIN \(S.sql)" }
    static var isPlannedEachTime: Bool { true }
    var ownText: String? { statement.ownText.map { "EXPLAIN \($0)" } }
    let statement: S
    func bind(to parameters: inout Parameters) { statement.bind(to: &parameters) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  @Test(.onOnePostgres, arguments: InstallationSort.all)
  func aWalkFollowsTheIndexOfItsOrder(sort: InstallationSort) async throws {
    func check<Order: InstallationOrder>(_ order: Order.Type) async throws {
      let place = "'1970-03-01', '0b7c1f7e-3a52-4d0e-9a3c-6a1a0d3b6f10'".split(separator: ", ")
      for after in [[:], [20: String(place[0]), 21: String(place[1])]] {
        let given = [1: "1", 2: "'{1:tag:7}'", 22: "51", 23: "1000"].merging(after) { $1 }
        let plan = try await plan(WalkInstallations<Order>.self, 23, given)
        let index =
          switch sort.key {
          case .createdAt: "installation_created"
          case .lastSeenAt: "installation_seen"
          case .updatedAt: "installation_updated"
          case .registeredAt: "installation_registered"
          case .id: "installation_pkey"
          }
        #expect(plan.contains("using \(index)"), "\(plan)")
        #expect(!plan.contains("Sort"), "\(plan)")
      }
    }
    try await check(sort.order)
  }

  /// Citus makes and drops indexes in blocks only, when the migrator sends all as one text.
  @Test func theIndexesOfTheOrdersAreMadeAlsoWhereTablesAreSpread() async throws {
    let database = try await ScratchCluster.database()
    let migration = try #require(Migration.all.first { $0.name == "m0015_times_in_indexes" })
    let created = "SELECT oid FROM pg_class WHERE relname = 'installation_created'"
    let before = try await database.value(created)
    try await database.query("BEGIN;\n\(migration.sql)\n;\nCOMMIT")
    #expect(try await database.value(created) != before)
  }

  /// Pages of so many that a first walk fills them, that it goes on from its last row, and that all
  /// are gathered: of 3000 installations one of fifty has the tag.
  @Test(arguments: InstallationSort.all, [1, 4, 9, 70])
  func aPageHasTheFirstRowsWhicheverWayItIsFound(sort: InstallationSort, limit: Int) async throws {
    let (all, page) = try await Self.withClient { client in
      var filter = InstallationFilter(appID: 1)
      filter.tags = ["8"]
      let list = InstallationList(filter: filter, sort: sort)
      let part = InstallationList(filter: filter, sort: sort, limit: limit)
      return (try await list.page(client).map(\.id), try await part.page(client).map(\.id))
    }
    #expect(all.count == 60)
    #expect(page == Array(all.prefix(limit + 1)))
  }

  @Test(.onOnePostgres, arguments: InstallationSort.all.filter { $0.key != .id })
  func timesAreBoundedInTheIndexOfAnOrder(sort: InstallationSort) async throws {
    func check<Order: InstallationOrder>(_ order: Order.Type) async throws {
      for (parameter, name) in [
        (11, "apns_registered_at"), (14, "last_seen_at"), (18, "updated_at"),
      ] {
        let given = [1: "1", parameter: "'1970-03-01'", 22: "51"]
        let plan = try await plan(ListInstallations<Order>.self, 22, given)
        let bound = try #require(plan.firstMatch(of: /Index Cond: .*/))
        #expect(bound.output.contains(name), "\(plan)")
        #expect(!plan.contains("Filter"), "\(plan)")
        #expect(!plan.contains("Sort"), "\(plan)")
      }
    }
    try await check(sort.order)
  }
}
