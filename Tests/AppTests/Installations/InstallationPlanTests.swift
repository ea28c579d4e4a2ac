import AppTesting
import DeviceProfile
import EventLoop
import Foundation
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
    try await database.seedInstallations(6000)
    try await database.query("ANALYZE installation")
    return database
  }

  private static func time(_ hours: Int64) -> Timestamp {
    Timestamp(microseconds: hours * 3_600_000_000)
  }

  private static func filter(_ change: (inout InstallationFilter) -> Void) -> InstallationFilter {
    var filter = InstallationFilter(appID: 1)
    change(&filter)
    return filter
  }

  private static let version = Version("7")
  private static let filters: [(filter: InstallationFilter, index: String)] = [
    (filter { $0.tags = ["7"] }, "installation_facets"),
    (filter { $0.userIDs = ["u8"] }, "installation_user"),
    (filter { $0.appVersion.exactly = version }, "installation_app_version"),
    (filter { $0.appVersion.from = Version("98") }, "installation_app_version"),
    (filter { $0.appVersion.below = Version("2") }, "installation_app_version"),
    (
      filter { $0.appVersion = Bounds(from: Version("3"), below: Version("5")) },
      "installation_app_version"
    ),
    (filter { $0.osVersion.exactly = version }, "installation_os_version"),
    (filter { $0.osVersion.from = Version("98") }, "installation_os_version"),
    (filter { $0.osVersion.below = Version("2") }, "installation_os_version"),
    (filter { $0.registered.from = time(5928) }, "installation_registered"),
    (filter { $0.registered.below = time(96) }, "installation_registered"),
    (filter { $0.seen.from = time(5928) }, "installation_seen"),
    (filter { $0.seen.below = time(96) }, "installation_seen"),
    (filter { $0.appBuild.exactly = version }, "installation_app_build"),
    (filter { $0.appBuild.from = Version("98") }, "installation_app_build"),
    (filter { $0.appBuild.below = Version("2") }, "installation_app_build"),
    (filter { $0.updated.from = time(5928) }, "installation_updated"),
    (filter { $0.updated.below = time(96) }, "installation_updated"),
    (
      filter {
        $0.tags = ["7"]
        $0.seen.from = time(2976)
      }, "installation_facets"
    ),
    (
      filter {
        $0.tags = ["7"]
        $0.appVersion.exactly = version
      }, "installation_"
    ),
  ]

  @Test(.onOnePostgres, arguments: filters.indices)
  func whatAFilterFindsIsFoundByItsIndex(number: Int) async throws {
    let (filter, index) = Self.filters[number]
    let source = InstallationSource(
      filter: filter, ids: nil, sort: .latestSeen, after: nil, rows: 51)
    let plan = try await Self.plan(of: .gatherInstallations(source))
    let found = try #require(plan.split(separator: "CTE found").last)
    #expect(found.contains(index), "\(plan)")
    #expect(!plan.contains("Seq Scan"), "\(plan)")
    // The rows of the page are read by key.
    #expect(plan.contains("installation_pkey"), "\(plan)")
  }

  @Test(.onOnePostgres) func namedInstallationsAreFoundByTheirKeys() async throws {
    let source = InstallationSource(
      filter: InstallationFilter(appID: 1), ids: [InstallationID(UUID())], sort: .latestSeen,
      after: nil, rows: 51)
    let plan = try await Self.plan(of: .gatherInstallations(source))
    let found = try #require(plan.split(separator: "CTE found").last)
    #expect(found.contains("installation_pkey"), "\(plan)")
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
    (#"{"attributes[age][gte]": 7, "attributes[age][lt]": 9}"#, ["installation_facets"]),
    (#"{"attributes[age][in]": [7, 9]}"#, ["installation_facets"]),
    (#"{"attributes[age][exists]": true}"#, ["installation_facets"]),
    (#"{"authorization[alert]": false}"#, ["installation_facets"]),
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
    let source = InstallationSource(filter: filter, sort: .latestSeen, after: nil, rows: 51)
    let plan = try await Self.plan(of: .gatherInstallations(source))
    let found = try #require(plan.split(separator: "CTE found").last)
    for index in row.indexes { #expect(found.contains(index), "\(plan)") }
    #expect(!plan.contains("Seq Scan"), "\(plan)")
    #expect(!found.contains("using installation_created"), "\(plan)")
  }

  @Test(.onOnePostgres) func thePlannerKnowsHowManyAreFound() async throws {
    var filter = InstallationFilter(appID: 1)
    filter.tags = ["8"]
    let source = InstallationSource(filter: filter, after: nil, rows: 51)
    let lines = try await Self.withClient { try await $0.read(.planOfInstallations(source)) }
    let found = lines.first.map(InstallationList.rows(ofPlan:))
    // There are 60 of 3000.
    #expect((40...90).contains(found ?? 0), "\(found ?? 0)")
  }

  /// The plan of a query.
  private static func plan(of query: Query<Installation>) async throws -> String {
    let lines = try await withClient { client in
      try await client.transaction { transaction in
        for way in ["seqscan", "hashjoin", "mergejoin"] {
          transaction.add(Query<Void>("SET LOCAL enable_\(constant: way) = off"))
        }
        return try await transaction.run(query.explained)
      }
    }
    return lines.joined(separator: "\n")
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

  @Test(.onOnePostgres, arguments: InstallationSort.all)
  func aWalkFollowsTheIndexOfItsOrder(sort: InstallationSort) async throws {
    for after in [nil, TimeCursor(time: Self.time(1416), id: UUID())] {
      let source = InstallationSource(
        filter: Self.filter { $0.tags = ["7"] }, ids: nil, sort: sort, after: after, rows: 51)
      let plan = try await Self.plan(of: .walkInstallations(source, steps: 1000))
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
    let bounds: [(filter: InstallationFilter, column: String)] = [
      (Self.filter { $0.registered.from = Self.time(1416) }, "apns_registered_at"),
      (Self.filter { $0.seen.below = Self.time(1416) }, "last_seen_at"),
      (Self.filter { $0.updated.from = Self.time(1416) }, "updated_at"),
    ]
    for (filter, column) in bounds {
      let source = InstallationSource(filter: filter, ids: nil, sort: sort, after: nil, rows: 51)
      let plan = try await Self.plan(of: .listInstallations(source))
      let bound = try #require(plan.firstMatch(of: /Index Cond: .*/))
      #expect(bound.output.contains(column), "\(plan)")
      #expect(!plan.contains("Filter"), "\(plan)")
      #expect(!plan.contains("Sort"), "\(plan)")
    }
  }
}

extension InstallationSort {
  fileprivate static let latestSeen = all.first { $0.text == "-last_seen_at" } ?? standard
}
