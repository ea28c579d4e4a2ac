import AppTesting
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
        apns_token, apns_status, apns_registered_at, languages, facets, app_version_order,
        os_version_order, localization, capabilities, user_id, tags, created_at, updated_at,
        last_seen_at)
      SELECT 1 + n % 2, gen_random_uuid(), 1, 'ios', 'production', '\\x00', 'active', time, '{}',
        ARRAY[1 + n % 2 || ':tag:' || n % 100], ARRAY[n % 100], ARRAY[n % 100], 'auto', '{}',
        'u' || n, '{}', time, time, time
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
    ([2: "'{1:tag:7}'", 13: "'1970-05-05'"], "installation_facets"),
    ([2: "'{1:tag:7}'", 5: "'{7}'"], "installation_"),
  ]

  @Test(arguments: filters)
  func whatAFilterFindsIsFoundByItsIndex(
    row: (parameters: [Int: String], index: String)
  ) async throws {
    let given = row.parameters.merging([1: "1", 17: "51"]) { $1 }
    let plan = try await plan(GatherInstallations<Descending<ByLastSeen>>.self, 17, given)
    let found = try #require(plan.split(separator: "CTE found").last)
    #expect(found.contains(row.index), "\(plan)")
    #expect(!plan.contains("Seq Scan"), "\(plan)")
    // The rows of the page are read by key.
    #expect(plan.contains("installation_pkey"), "\(plan)")
  }

  @Test(arguments: InstallationSort.all)
  func aWalkFollowsTheIndexOfItsOrder(sort: InstallationSort) async throws {
    func check<Order: InstallationOrder>(_ order: Order.Type) async throws {
      let place = "'1970-03-01', '0b7c1f7e-3a52-4d0e-9a3c-6a1a0d3b6f10'".split(separator: ", ")
      for after in [[:], [15: String(place[0]), 16: String(place[1])]] {
        let given = [1: "1", 2: "'{1:tag:7}'", 17: "51", 18: "1000"].merging(after) { $1 }
        let plan = try await plan(WalkInstallations<Order>.self, 18, given)
        let index =
          switch sort.key {
          case .createdAt: "installation_created"
          case .lastSeenAt: "installation_seen"
          case .registeredAt: "installation_registered"
          case .id: "installation_pkey"
          }
        #expect(plan.contains("using \(index)"), "\(plan)")
        #expect(!plan.contains("Sort"), "\(plan)")
      }
    }
    try await check(sort.order)
  }
}
