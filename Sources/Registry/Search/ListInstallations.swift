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

  /// What the statements bind; a search by token goes through the ledger first.
  package func source(_ database: PostgresClient) async throws -> InstallationSource {
    InstallationSource(
      filter: filter, ids: try await filter.ids(database), after: after,
      rows: limit.map { $0 + 1 })
  }

  /// Reads the page, and one row more when there are more.
  package func page(_ database: PostgresClient) async throws -> [Installation] {
    try await page(sort.order, try await source(database), database)
  }

  private func page<Order: InstallationOrder>(
    _ order: Order.Type, _ source: InstallationSource, _ database: PostgresClient
  ) async throws -> [Installation] {
    if let page = try await walked(order, source, database) { return page }
    // A person and a token have few devices.
    if filter.userIDs == nil, source.ids == nil, let branches = filter.branches(by: sort.key) {
      return try await merged(branches, order, source, database)
    }
    return try await database.read(GatherInstallations<Order>(source: source))
  }

  /// The page by the order's index, `nil` when it does not fill soon.
  private func walked<Order: InstallationOrder>(
    _ order: Order.Type, _ source: InstallationSource, _ database: PostgresClient
  ) async throws -> [Installation]? {
    guard let rows = source.rows, !filter.isAnswered(by: sort.key) else {
      return try await database.read(ListInstallations<Order>(source: source))
    }
    guard filter.userIDs == nil, source.ids == nil else { return nil }
    let steps = rows * RegistryLimits.walkedPerRow
    let page = try await database.read(WalkInstallations<Order>(source: source, steps: steps))
    if page.count == rows { return page }
    guard page.count * RegistryLimits.tooLongWalk >= rows else { return nil }
    // As many steps as the page needs when it fills as it has begun; it may fill more slowly.
    let needed = steps * rows / page.count
    if page.count * RegistryLimits.longWalk < rows {
      let found = try await database.read(EstimateInstallations(source: source)).first ?? 0
      guard needed <= found else { return nil }
    }
    var rest = source
    rest.after = page.last.map { sort.position(of: $0).place }
    rest.rows = rows - page.count
    let whole =
      try await page + database.read(WalkInstallations<Order>(source: rest, steps: needed * 2))
    // One that changed in between may stand in both parts.
    return Set(whole.map(\.id)).count == rows ? whole : nil
  }

  /// The page of what any of some filters finds: the first rows of all their pages.
  private func merged<Order: InstallationOrder>(
    _ branches: [InstallationFilter], _ order: Order.Type, _ source: InstallationSource,
    _ database: PostgresClient
  ) async throws -> [Installation] {
    var found: [InstallationID: Installation] = [:]
    for branch in branches {
      var list = self
      list.filter = branch
      var source = source
      source.filter = branch
      // A walk for this one alone would find no more than the first walk, which looked for all.
      let walked =
        branch.isNarrowed(by: sort.key) ? try await list.walked(order, source, database) : nil
      let page =
        if let walked { walked } else {
          try await database.read(GatherInstallations<Order>(source: source))
        }
      for installation in page { found[installation.id] = installation }
    }
    let sorted = found.values.sorted { sort.isInFront($0, of: $1) }
    return Array(sorted.prefix(source.rows ?? sorted.count))
  }
}

/// What the statements bind.
package struct InstallationSource: Sendable {
  package var filter: InstallationFilter
  /// The installations with a token as the filter wants it.
  package var ids: [InstallationID]?
  package var after: TimeCursor?
  /// A page and one row more, which says whether there is a next page; `nil` for all.
  package var rows: Int?

  /// Appends the parameters of the filter, the place and the rows, then those of the parts.
  /// - Parameter steps: What a walk has behind the rows.
  func bind(to parameters: inout Parameters, steps: Int? = nil, _ parts: ConditionText?) {
    filter.bind(ids: ids, to: &parameters)
    parameters.append(after?.time, after?.id, rows.map { Int64($0) })
    if let steps { parameters.append(Int64(steps)) }
    parameters.append(parts)
  }
}

/// Leaves the way to the planner: for all rows, whose cost does not depend on where they lie, and
/// for pages that nothing is left out of.
package struct ListInstallations<Order: InstallationOrder>: ConditionedStatement {
  package typealias Row = Installation

  package static func text(and condition: String) -> String {
    """
    SELECT \(InstallationColumn.selection) FROM installation
    WHERE \(InstallationFilter.condition)\(condition) AND \(Order.position)
    ORDER BY \(Order.terms(Order.sort.key.sql)) LIMIT \(InstallationFilter.parameter(3))
    """
  }
  package let source: InstallationSource
  package let condition: ConditionText?

  package init(source: InstallationSource) {
    self.source = source
    condition = source.filter.partsText(behind: 3)
  }

  package func bind(to parameters: inout Parameters) { source.bind(to: &parameters, condition) }
}

/// Follows the order's index for a number of steps, and reads the rows of the page: a step that has
/// the columns of the filter alone takes half as long.
struct WalkInstallations<Order: InstallationOrder>: ConditionedStatement {
  typealias Row = Installation

  static func text(and condition: String) -> String {
    """
    SELECT \(InstallationColumn.selection) FROM (
      SELECT place, installation_id FROM (
        SELECT *, \(Order.sort.key.sql) AS place FROM installation
        WHERE app_id = $1 AND \(Order.position)
          AND \(InstallationFilter.bounds(in: Order.sort.key))
        ORDER BY \(Order.terms("place")) LIMIT \(InstallationFilter.parameter(4))
      ) AS installation
      WHERE \(InstallationFilter.condition)\(condition)
      ORDER BY \(Order.terms("place")) LIMIT \(InstallationFilter.parameter(3))
    ) AS page JOIN installation USING (installation_id)
    WHERE app_id = $1
    ORDER BY \(Order.terms("place"))
    """
  }
  let source: InstallationSource
  /// Rows that it looks at.
  let steps: Int
  let condition: ConditionText?

  init(source: InstallationSource, steps: Int) {
    var source = source
    condition = source.filter.takeColumnsText(behind: 4)
    self.source = source
    self.steps = steps
  }

  func bind(to parameters: inout Parameters) {
    source.bind(to: &parameters, steps: steps, condition)
  }
}

/// Finds everything, sorts it by keys alone, and reads the rows of the page.
struct GatherInstallations<Order: InstallationOrder>: ConditionedStatement {
  typealias Row = Installation

  static func text(and condition: String) -> String {
    """
    WITH found AS MATERIALIZED (
      SELECT \(Order.sort.key.sql) AS place, installation_id FROM installation
      WHERE \(InstallationFilter.condition)\(condition) AND \(Order.position)
    ), page AS (
      SELECT * FROM found ORDER BY \(Order.terms("place")) LIMIT \(InstallationFilter.parameter(3))
    )
    SELECT \(InstallationColumn.selection) FROM page JOIN installation USING (installation_id)
    WHERE app_id = $1
    ORDER BY \(Order.terms("place"))
    """
  }
  let source: InstallationSource
  let condition: ConditionText?

  init(source: InstallationSource) {
    self.source = source
    condition = source.filter.partsText(behind: 3, coverLimit: .max)
  }

  func bind(to parameters: inout Parameters) { source.bind(to: &parameters, condition) }
}

/// How many rows the planner expects a filter to let through. To gather each takes as long as a
/// step of a walk.
struct EstimateInstallations: Statement {
  static let sql = text(where: InstallationFilter.condition)
  var ownText: String? {
    // Words of the index have the app in them, and the planner does not know that it is the same.
    guard parts != nil || !source.filter.facets.isEmpty else { return nil }
    let words = "$1::int4 IS NOT NULL AND \(InstallationFilter.conditionBesidesApp)"
    return Self.text(where: words + (parts?.sql ?? ""))
  }
  static var isPlannedEachTime: Bool { true }

  private static func text(where condition: String) -> String {
    "EXPLAIN SELECT 1 FROM installation WHERE \(condition)"
  }
  private let source: InstallationSource
  private let parts: ConditionText?

  init(source: InstallationSource) {
    self.source = source
    parts = source.filter.partsText(behind: 0, coverLimit: .max)
  }

  func bind(to parameters: inout Parameters) {
    source.filter.bind(ids: source.ids, to: &parameters)
    parameters.append(parts)
  }

  /// A line of the plan, of which the first one has the number for all:
  /// `Index Scan using … (cost=0.55..6066.83 rows=9864 width=24)`; 0 in others without one.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int {
    let line: String = try row.next()
    let count = line.split(separator: " ").first { $0.hasPrefix("rows=") }
    return count.flatMap { Int($0.dropFirst("rows=".count)) } ?? 0
  }
}

// MARK: Orders

/// An order as a type: the text of a statement is constant, so each order has a statement type.
package protocol InstallationOrder: SendableMetatype {
  static var sort: InstallationSort { get }
}

enum ByCreation: InstallationOrder { static let sort = InstallationSort(key: .createdAt) }
enum ByLastSeen: InstallationOrder { static let sort = InstallationSort(key: .lastSeenAt) }
enum ByUpdate: InstallationOrder { static let sort = InstallationSort(key: .updatedAt) }
enum ByRegistration: InstallationOrder { static let sort = InstallationSort(key: .registeredAt) }
enum ByID: InstallationOrder { static let sort = InstallationSort(key: .id) }

/// The reverse of an ascending order.
enum Descending<Order: InstallationOrder>: InstallationOrder {
  static var sort: InstallationSort { InstallationSort(key: Order.sort.key, isDescending: true) }
}

extension InstallationOrder {
  /// The terms of `ORDER BY`; where the id is the key, a second one would keep the planner from its
  /// index.
  static func terms(_ key: String) -> String {
    let direction = sort.isDescending ? " DESC" : ""
    return "\(key)\(direction)" + (sort.key == .id ? "" : ", installation_id\(direction)")
  }

  /// Behind the place in the first two parameters of the statement, if there is one.
  package static var position: String {
    let comparison = sort.isDescending ? "<" : ">"
    let (time, id) = (InstallationFilter.parameter(1), InstallationFilter.parameter(2))
    let place =
      sort.key == .id
      ? "installation_id \(comparison) \(id)"
      : "(\(sort.key.sql), installation_id) \(comparison) (\(time), \(id))"
    return "(\(time)::timestamptz IS NULL OR \(place))"
  }
}

extension InstallationSort {
  /// The order as a type.
  package var order: any InstallationOrder.Type {
    switch key {
    case .createdAt: directed(ByCreation.self)
    case .lastSeenAt: directed(ByLastSeen.self)
    case .updatedAt: directed(ByUpdate.self)
    case .registeredAt: directed(ByRegistration.self)
    case .id: directed(ByID.self)
    }
  }

  private func directed<Order: InstallationOrder>(
    _ order: Order.Type
  ) -> any InstallationOrder.Type {
    isDescending ? Descending<Order>.self : order
  }
}
