internal import Content
internal import EventLoop
public import Postgres
internal import Registry

/// Carries an app from the database of one Postilion to the database of another one, while both
/// serve.
///
/// | step | here | there |
/// |---|---|---|
/// | 1 | the app is `leaving`: it is read and not written | – |
/// | 2 | – | it is `arriving`: its rows are written, and its calls get 503 |
/// | 3 | all rows are compared | all rows are compared |
/// | 4 | it has `left`: each call gets 503 | – |
/// | 5 | – | it is there |
///
/// So at each time at most one of the two takes changes, and every acknowledged change is there at
/// the end. After a move broke off, the same command begins the move again, and throws away the
/// rows that had arrived. A call that must wait gets 503 `app_moving`.
struct AppMove {
  let slug: AppSlug
  let source: PostgresClient
  let target: PostgresClient
  let shared: Shared
  /// Receives a line about each table.
  let tell: @Sendable (String) -> Void
  /// Called behind each step, by its number.
  let reached: @Sendable (_ step: Int) async throws -> Void
  /// Makes sure that no other command moves an app from here.
  let confirm: () async throws -> Void

  /// Why an app was not moved.
  enum Failure: Error, CustomStringConvertible {
    case noApp(AppSlug)
    case isThere(AppSlug)
    case isArriving(AppSlug)
    case hasLeft(AppSlug)
    case stays(AppSlug)
    case isOneDatabase
    case isBusy
    case isChanged(AppSlug)
    case differs(String)

    var description: String {
      switch self {
      case .noApp(let slug): "There is no app \(slug.text) in the database of DATABASE_URL."
      case .isThere(let slug):
        "There is an app \(slug.text) in the database of POSTILION_TARGET_URL already."
      case .isArriving(let slug):
        "The app \(slug.text) is on its way to the database of DATABASE_URL: end that move first."
      case .hasLeft(let slug):
        "The app \(slug.text) has left for another database than that of POSTILION_TARGET_URL."
      case .stays(let slug): "The app \(slug.text) is not on its way."
      case .isOneDatabase: "DATABASE_URL and POSTILION_TARGET_URL lead to the same database."
      case .isBusy:
        "A transaction from before the move does not end: look for it in pg_stat_activity. The app "
          + "stays where it is."
      case .isChanged(let slug):
        "Somebody else moves or deletes the app \(slug.text) meanwhile: look, and begin again."
      case .differs(let table):
        "The rows of \(table) differ after they were copied, maybe as maintenance removed old ones "
          + "meanwhile. Move the app again, or take the move back with --cancel."
      }
    }
  }

  func run() async throws {
    let (app, found) = try await find()
    if app.moving == .left, let found, found.moving == nil, found.isCopy(of: app) {
      return tell("\(slug.text) is there already.")
    }
    // An app that has left arrives where it was going, and nowhere else.
    if app.moving == .left, found?.moving != .arriving { throw Failure.hasLeft(slug) }
    if let found, found.moving == nil || found.moving == .leaving || !found.isCopy(of: app) {
      throw Failure.isThere(slug)
    }
    if app.moving == nil { try await mark(app.id, nil, .leaving, in: source) }
    guard try await writersEnd() else {
      if app.moving == nil { try await mark(app.id, .leaving, nil, in: source) }
      throw Failure.isBusy
    }
    try await reached(1)
    if let found { try await forget(found) }
    let id = try await copy(app.id)
    try await reached(2)
    for table in AppTable.all where table.move != .unquiet && table.move != .never {
      let here = try await sum(of: table, app.id, in: source)
      guard try await sum(of: table, id, in: target) == here else {
        throw Failure.differs(table.name)
      }
    }
    try await reached(3)
    if app.moving != .left { try await mark(app.id, .leaving, .left, in: source) }
    try await reached(4)
    try await mark(id, .arriving, nil, in: target)
    tell("\(slug.text) has arrived. Lead its calls there; then delete it here.")
  }

  /// Takes a move back that has not come to its end.
  func cancel() async throws {
    let (app, found) = try await find()
    guard let moving = app.moving else { throw Failure.stays(slug) }
    let isArriving = found?.moving == .arriving && found?.isCopy(of: app) == true
    if moving == .left, !isArriving { throw Failure.hasLeft(slug) }
    if let found, isArriving { try await forget(found) }
    try await mark(app.id, moving, nil, in: source)
    tell("\(slug.text) stays.")
  }

  /// The app here, and the app of that name there.
  private func find() async throws -> (app: AppRecord, found: AppRecord?) {
    guard try await source.read(.readOrigin()) != target.read(.readOrigin()) else {
      throw Failure.isOneDatabase
    }
    guard let app = try await app(in: source) else { throw Failure.noApp(slug) }
    guard app.moving != .arriving else { throw Failure.isArriving(slug) }
    return (app, try await self.app(in: target))
  }

  private func app(in database: PostgresClient) async throws -> AppRecord? {
    try await database.read(.app(named: slug)).first
  }

  private func mark(
    _ id: Int32, _ from: AppMoving?, _ to: AppMoving?, in database: PostgresClient
  ) async throws {
    try await confirm()
    try await database.transaction { transaction in
      let marked = transaction.add(.markApp(id, from, to))
      transaction.add(SendNotice(notice: .directory))
      try await transaction.send()
      guard !marked.rows.isEmpty else { throw Failure.isChanged(slug) }
    }
  }

  /// Waits until no transaction is under way that did not see that the app leaves. A transaction
  /// that writes for the app holds the app, and so has a number.
  /// - Returns: `false` if something does not end.
  private func writersEnd() async throws -> Bool {
    guard let next = try await source.read(.transactionNumbers()).first?.next else { return false }
    for _ in 0..<Limits.moveWriterLooks {
      if let oldest = try await source.read(.transactionNumbers()).first?.oldest, oldest >= next {
        return true
      }
      await source.loop.sleep(nanoseconds: Limits.moveWriterPauseNanoseconds)
    }
    return false
  }

  /// Throws away the app there, which is left of this move or of an earlier one. Maintenance
  /// removes its rows.
  private func forget(_ found: AppRecord) async throws {
    try await confirm()
    try await target.transaction { transaction in
      let now = try await transaction.run(.lockAppBySlug(slug: slug)).first
      guard now?.id == found.id, now?.moving == found.moving else {
        throw Failure.isChanged(slug)
      }
      transaction.add(.deleteApp(id: found.id, now: shared.clock().wholeMilliseconds))
      transaction.add(SendNotice(notice: .directory))
    }
  }

  // MARK: Rows

  private func copy(_ app: Int32) async throws -> Int32 {
    try await makePartitions()
    var line = "{}"
    for table in AppTable.moved(.first) {
      line = try await source.read(table.lines(of: app)).first ?? line
    }
    guard let id = try await target.write(.insertMovedApp(line)).first else {
      throw Failure.isThere(slug)
    }
    try await copy(.plain, app, id)
    try await copyHistory(app, id)
    try await copy(.behindEvents, app, id)
    try await copy(.unquiet, app, id)
    return id
  }

  private func copy(_ move: AppTable.Move, _ app: Int32, _ id: Int32) async throws {
    for table in AppTable.moved(move) {
      let count = try await copy(table.lines(of: app)) { table.insertion(of: $0, for: id) }
      tell("\(table.name): \(count)")
    }
  }

  private func copyHistory(_ app: Int32, _ id: Int32) async throws {
    let (here, there) = (try await life(of: source), try await life(of: target))
    let now = shared.clock().wholeMilliseconds
    _ = try await target.write(.insertMovedStart(of: id, epochs: (here, there), at: now))
    let count = try await copy(.movedHistory(of: app)) {
      .insertMovedHistory($0, of: id, epochs: (here, there), at: now)
    }
    guard try await life(of: source) == here, try await life(of: target) == there else {
      throw Failure.isChanged(slug)
    }
    tell("events: \(count)")
  }

  private func life(of database: PostgresClient) async throws -> Int64 {
    let reader = ChangeReader(database: database, shared: shared)
    return try await reader.first(.end, of: 0, limit: 1).life.number
  }

  /// Makes partitions there for the months that have a partition here. Without them the rows of
  /// these months would go into the default partition, and be in the way of every later month.
  private func makePartitions() async throws {
    let here = Set(try await source.read(.listPartitions()))
    try await target.exclusively(lease: MaintenanceReport.lease, waits: true) { session in
      let there = Set(try await target.read(.listPartitions()))
      let newest = Month(of: shared.clock()) + 2
      let months = (0...2 * Limits.retentionMonths.upperBound).map { newest - $0 }
      for table in PartitionedTable.all {
        for month in months
        where here.contains(table.partition(month)) && !there.contains(table.partition(month)) {
          try await session.run(PartitionChange.make(table, month).sql)
        }
      }
    }
  }

  /// Reads rows here, and writes them there as they come.
  /// - Returns: How many there were.
  private func copy<Row>(
    _ reading: Query<Row>, _ writing: ([Row]) -> Query<Void>
  ) async throws -> Int {
    let stream = try await source.open(reading)
    defer { stream.close() }
    var count = 0
    while let rows = try await stream.next() {
      count += rows.count
      try await target.transaction { transaction in
        transaction.add(.allowMoving())
        transaction.add(writing(rows))
      }
    }
    return count
  }

  private func sum(
    of table: AppTable, _ app: Int32, in database: PostgresClient
  ) async throws -> RowSum? {
    try await database.readApart(
      table.sum(of: app), timeoutMilliseconds: Limits.moveSumTimeoutMilliseconds
    ).first
  }
}

extension Service {
  /// Carries an app to the database of another Postilion, or takes such a move back.
  /// - Parameters:
  ///   - name: The app's name.
  ///   - target: The other database.
  ///   - isTakenBack: Whether a move that has not come to its end is taken back.
  ///   - reached: Called behind each step of ``AppMove``; tests break off there.
  ///   - tell: Given lines for the operator.
  public func move(
    _ name: String, to target: DatabaseAddress, isTakenBack: Bool,
    reached: @escaping @Sendable (_ step: Int) async throws -> Void = { _ in },
    tell: @escaping @Sendable (String) -> Void
  ) async throws {
    try await withoutServing { [self] context in
      guard let slug = AppSlug(name) else {
        throw PostgresError(.misuse, "There is no app of that name.")
      }
      let clients = [address, target.beginning(with: shared.sessionBeginning)].map {
        PostgresClient(
          $0, connections: 1, loop: context.loop, answerNanoseconds: Limits.moveAnswerNanoseconds)
      }
      for client in clients { client.start() }
      defer { for client in clients { client.close() } }
      for client in clients { try await requireFit(client) }
      _ = try await clients[0].exclusively(lease: "moves", waits: true) { session in
        let move = AppMove(
          slug: slug, source: clients[0], target: clients[1], shared: shared, tell: tell,
          reached: reached, confirm: { try await session.lease.confirm() })
        try await isTakenBack ? move.cancel() : move.run()
      }
    }
  }
}

extension AppRecord {
  /// Whether this is the same app in another database, whatever became of the app there.
  fileprivate func isCopy(of other: Self) -> Bool { createdAt == other.createdAt }
}
