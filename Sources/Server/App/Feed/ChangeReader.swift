internal import Postgres
internal import Registry
internal import Telemetry

struct ChangeReader: Sendable {
  let database: PostgresClient
  let shared: Shared
}

extension ChangeReader {
  init(_ context: LoopContext) { self.init(database: context.database, shared: context.shared) }

  /// The changes behind some places.
  /// - Parameter limit: The maximum number of changes for each place.
  /// - Returns: A page for each place.
  func pages(behind places: [ChangePlace], limit: Int) async throws -> [ChangePage] {
    let now = shared.clock().wholeMilliseconds
    let rows = try await inThisLife {
      let rows = try await database.read(ReadChanges(places: places, limit: limit))
      return rows.isEmpty ? nil : rows
    }
    let life = rows[0].life
    var found = [[ChangeEntry]](repeating: [], count: places.count)
    var goesOn = [Bool](repeating: false, count: places.count)
    var positions = places.map(\.position)
    for row in rows {
      positions[row.place] = row.position
      goesOn[row.place] = row.goesOn
      guard let change = row.change else { continue }
      found[row.place].append(change)
      shared.noteRead(change.position.transaction, in: life.number)
    }
    return places.indices.map { index in
      ChangePage(
        found[index], behind: positions[index], limit: limit, in: life, at: now,
        goesOn: goesOn[index])
    }
  }

  /// The first changes for a reader, of this life of the database.
  /// - Throws: `changes_gone`; ``PostgresError``.
  func first(_ start: ChangeStart, of appID: Int32, limit: Int) async throws -> ChangePage {
    switch start {
    case .beginning:
      return try await page(behind: ChangePlace(appID: appID, position: .start), limit: limit)
    case .end:
      let now = shared.clock().wholeMilliseconds
      let (life, position) = try await inThisLife {
        try await database.read(FindNewestChange(appID: appID)).first
      }
      return ChangePage([], behind: position, limit: limit, in: life, at: now)
    case .cursor(let cursor):
      let page = try await page(
        behind: ChangePlace(
          appID: appID, position: cursor.position, epoch: cursor.epoch), limit: limit)
      if let loss = cursor.loss(in: page.life, goesOn: page.goesOn) { throw Problem(loss) }
      return page
    }
  }

  private func page(behind place: ChangePlace, limit: Int) async throws -> ChangePage {
    try await pages(behind: [place], limit: limit)[0]
  }

  /// Reads. If this life of the database has no number, gives it one and reads again. Example: the
  /// schema was made after the session began.
  private func inThisLife<Value>(_ read: () async throws -> Value?) async throws -> Value {
    if let value = try await read() { return value }
    try await beginLife()
    guard let value = try await read() else {
      throw PostgresError(.disconnected, "the database changes its life", isSafeToRetry: true)
    }
    return value
  }

  /// Makes sure that this life of the database has a number.
  /// - Parameter cause: The reason why another life begins. Unless it goes on from the life before,
  ///   all cursors, the places of webhooks and all claim codes are void.
  func beginLife(_ cause: LifeCause? = nil) async throws {
    let word = try await database.transaction { transaction in
      _ = try await transaction.run(shared.lifeToBegin(cause))
      return try await transaction.run(.begunLife()).first ?? ""
    }
    shared.noteLife(word)
  }
}

extension Problem {
  /// The problem of a reader that cannot go on from its place.
  init(_ loss: ChangeCursor.Loss) {
    let cause =
      switch loss {
      case .otherLife: "The cursor is of an earlier life of the database, before a restore."
      case .expired: "Changes after the cursor are older than what is kept."
      }
    self.init(
      .changesGone,
      cause + " Take a new cursor with after=now, then read all installations, then go on from it.")
  }
}
