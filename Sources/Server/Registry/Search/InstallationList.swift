package import Postgres

/// Installations that a filter lets through, in an order, from a place on.
///
/// A page can be found in two ways, and no index serves every filter in every order. A **walk**
/// follows the order's index and leaves out what the filter does not let through: fast when the
/// filter lets much through, but for a rare tag, or for a version that is only found at the other
/// end of the order, it would pass the whole app. To **gather** is to find everything that the
/// filter lets through by the filter's own indexes and to sort that: fast when it is little.
/// The planner knows how many a filter lets through, but assumes that they lie scattered evenly, so
/// it cannot choose between the ways; the first steps of a walk show where they lie.
package struct InstallationList: Sendable {
  package var filter: InstallationFilter
  package var sort = InstallationSort.standard
  /// Where the page before ended in the same order.
  package var after: TimeCursor?
  /// Rows of a page; `nil` for all.
  package var limit: Int?

  package init(
    filter: InstallationFilter, sort: InstallationSort = InstallationSort.standard,
    after: TimeCursor? = nil, limit: Int? = nil
  ) {
    self.filter = filter.lifted
    self.sort = sort
    self.after = after
    self.limit = limit
  }

  /// The rows that the queries ask for; a search by token goes through the ledger first.
  package func source(_ database: PostgresClient) async throws -> InstallationSource {
    InstallationSource(
      filter: filter, ids: try await filter.ids(database), sort: sort, after: after,
      rows: limit.map { $0 + 1 })
  }

  /// Reads the page, and one row more when there are more.
  package func page(_ database: PostgresClient) async throws -> [Installation] {
    let source = try await source(database)
    if let page = try await walked(source, database) { return page }
    // A person and a token have few devices.
    if filter.userIDs == nil, source.ids == nil, let branches = filter.branches(by: sort.key) {
      return try await merged(branches, source, database)
    }
    return try await database.read(.gatherInstallations(source))
  }

  /// The page, found by a walk along the order's index; `nil` when the page does not fill soon.
  private func walked(
    _ source: InstallationSource, _ database: PostgresClient
  ) async throws -> [Installation]? {
    guard let rows = source.rows, !filter.isAnswered(by: sort.key) else {
      return try await database.read(.listInstallations(source))
    }
    guard filter.userIDs == nil, source.ids == nil else { return nil }
    let steps = rows * RegistryLimits.walkedPerRow
    let page = try await database.read(.walkInstallations(source, steps: steps))
    if page.count == rows { return page }
    guard page.count * RegistryLimits.tooLongWalk >= rows else { return nil }
    // As many steps as the page needs when it fills as it has begun; it may fill more slowly.
    let needed = steps * rows / page.count
    if page.count * RegistryLimits.longWalk < rows {
      let plan = try await database.read(.planOfInstallations(source))
      let found = plan.first.map(Self.rows(ofPlan:)) ?? 0
      guard needed <= found else { return nil }
    }
    var rest = source
    rest.after = page.last.map { sort.position(of: $0).place }
    rest.rows = rows - page.count
    let whole =
      try await page + database.read(.walkInstallations(rest, steps: needed * 2))
    // An installation that changed in between may stand in both parts.
    return Set(whole.map(\.id)).count == rows ? whole : nil
  }

  /// The page of the installations that any of some filters finds: the first rows of all their
  /// pages.
  private func merged(
    _ branches: [InstallationFilter], _ source: InstallationSource, _ database: PostgresClient
  ) async throws -> [Installation] {
    var found: [InstallationID: Installation] = [:]
    for branch in branches {
      var list = self
      list.filter = branch
      var source = source
      source.filter = branch
      // A walk for this branch alone would find no more than the first walk, which looked for all
      // branches, unless the order's index narrows the branch.
      let walked =
        branch.isNarrowed(by: sort.key) ? try await list.walked(source, database) : nil
      let page =
        if let walked { walked } else {
          try await database.read(.gatherInstallations(source))
        }
      for installation in page { found[installation.id] = installation }
    }
    let sorted = found.values.sorted { sort.isInFront($0, of: $1) }
    return Array(sorted.prefix(source.rows ?? sorted.count))
  }

  /// How many rows a line of a plan says that there are:
  /// `Index Scan using … (cost=0.55..6066.83 rows=9864 width=24)`; 0 for a line without a number.
  static func rows(ofPlan line: String) -> Int {
    let count = line.split(separator: " ").first { $0.hasPrefix("rows=") }
    return count.flatMap { Int($0.dropFirst("rows=".count)) } ?? 0
  }
}

// MARK: SQL

/// The rows that the queries ask for.
package struct InstallationSource: Sendable {
  package var filter: InstallationFilter
  /// The installations with a token as the filter wants it.
  package var ids: [InstallationID]?
  package var sort = InstallationSort.standard
  package var after: TimeCursor?
  /// A page and one row more, which says whether there is a next page; `nil` for all.
  package var rows: Int?

  /// The condition that a row stands behind the place where the page begins, if there is one.
  fileprivate var position: SQL {
    guard let after else { return "true" }
    let comparison = sort.isDescending ? "<" : ">"
    return sort.key == .id
      ? "installation_id \(constant: comparison) \(after.id)"
      : """
      (\(constant: sort.key.sql), installation_id) \(constant: comparison)
        (\(after.time), \(after.id))
      """
  }

  /// The end of a query that sorts by a column, or by what the index of the order has.
  fileprivate func ordered(by key: String) -> SQL {
    let direction = sort.isDescending ? " DESC" : ""
    // Where the id is the key, a second one would keep the planner from its index.
    let id = sort.key == .id ? "" : ", installation_id\(direction)"
    return "ORDER BY \(constant: key + direction + id)"
  }

  fileprivate var limit: SQL { "LIMIT \(rows.map { Int64($0) })" }
}

extension Command where Self == Query<Installation> {
  /// Leaves the way to the planner: for all rows, whose cost does not depend on where they lie, and
  /// for pages that nothing is left out of.
  package static func listInstallations(_ source: InstallationSource) -> Self {
    Query(
      """
      SELECT \(constant: InstallationColumn.selection) FROM installation
      WHERE \(source.filter.condition(source.ids)) AND \(source.position)
      \(source.ordered(by: source.sort.key.sql)) \(source.limit)
      """)
  }

  /// Follows the order's index for a number of steps, and reads the rows of the page: a step that
  /// has the columns of the filter alone takes half as long.
  static func walkInstallations(_ source: InstallationSource, steps: Int) -> Self {
    Query(
      """
      SELECT \(constant: InstallationColumn.selection) FROM (
        SELECT place, installation_id FROM (
          SELECT *, \(constant: source.sort.key.sql) AS place FROM installation
          WHERE app_id = \(source.filter.appID) AND \(source.position)
            AND \(source.filter.bounds(in: source.sort.key))
          \(source.ordered(by: "place")) LIMIT \(Int64(steps))
        ) AS installation
        WHERE \(source.filter.condition(source.ids, .rows))
        \(source.ordered(by: "place")) \(source.limit)
      ) AS page JOIN installation USING (installation_id)
      WHERE app_id = \(source.filter.appID)
      \(source.ordered(by: "place"))
      """)
  }

  /// Finds everything, sorts it by keys alone, and reads the rows of the page.
  static func gatherInstallations(_ source: InstallationSource) -> Self {
    Query(
      """
      WITH found AS MATERIALIZED (
        SELECT \(constant: source.sort.key.sql) AS place, installation_id FROM installation
        WHERE \(source.filter.condition(source.ids, .index(coverLimit: .max)))
          AND \(source.position)
      ), page AS (
        SELECT * FROM found \(source.ordered(by: "place")) \(source.limit)
      )
      SELECT \(constant: InstallationColumn.selection)
      FROM page JOIN installation USING (installation_id)
      WHERE app_id = \(source.filter.appID)
      \(source.ordered(by: "place"))
      """)
  }
}

extension Command where Self == Query<String> {
  /// The plan of the planner for all that a filter lets through, which says how many it expects. To
  /// gather a row takes as long as a step of a walk.
  static func planOfInstallations(_ source: InstallationSource) -> Self {
    let (filter, way) = (source.filter, WordSearch.index(coverLimit: .max))
    // Words of the index have the app in them, and the planner does not know that it is the same.
    let condition =
      filter.facets.isEmpty && filter.parts.isEmpty
      ? filter.condition(source.ids, way) : filter.conditionBesidesApp(source.ids, way)
    return Query<Void>("SELECT FROM installation WHERE \(condition)").explained
  }
}
