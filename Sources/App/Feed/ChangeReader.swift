internal import Postgres
internal import Registry

/// Reads the changes of apps.
struct ChangeReader: Sendable {
  let database: PostgresClient
  let shared: Shared

  init(_ context: LoopContext) { self.init(database: context.database, shared: context.shared) }

  init(database: PostgresClient, shared: Shared) {
    self.database = database
    self.shared = shared
  }

  /// The changes behind some places.
  /// - Parameter limit: Of each place.
  /// - Returns: A page for each; `nil` when the database lives anew, and nobody has noticed.
  func pages(behind places: [ChangePlace], limit: Int) async throws -> [ChangePage]? {
    let now = shared.clock().wholeMilliseconds
    let rows = try await database.read(ReadChanges(places: places, limit: limit))
    guard let life = rows.first?.life else { return nil }
    var found = [[ChangeEntry]](repeating: [], count: places.count)
    for row in rows { if let change = row.change { found[row.place].append(change) } }
    return zip(places, found).map {
      ChangePage($1, behind: $0.position, limit: limit, in: life, at: now)
    }
  }

  /// The first changes for a reader, of this life of the database.
  /// - Throws: `changes_gone`; ``PostgresError``.
  func first(_ start: ChangeStart, of appID: Int32, limit: Int) async throws -> ChangePage {
    switch start {
    case .beginning: return try await page(behind: .start, of: appID, limit: limit)
    case .end:
      let now = shared.clock().wholeMilliseconds
      let (life, position) = try await inThisLife {
        try await database.read(FindNewestChange(appID: appID)).first
      }
      return ChangePage([], behind: position, limit: limit, in: life, at: now)
    case .cursor(let cursor):
      let page = try await page(behind: cursor.position, of: appID, limit: limit)
      if let loss = cursor.loss(in: page.life) { throw Problem(loss) }
      return page
    }
  }

  private func page(
    behind position: ChangePosition, of appID: Int32, limit: Int
  ) async throws -> ChangePage {
    try await inThisLife {
      try await pages(
        behind: [ChangePlace(appID: appID, position: position)], limit: limit)?.first
    }
  }

  /// Reads again when it turns out that the database lives anew.
  private func inThisLife<Value>(_ read: () async throws -> Value?) async throws -> Value {
    if let value = try await read() { return value }
    try await beginLife()
    guard let value = try await read() else {
      throw PostgresError(.disconnected, "the database changes its life", isSafeToRetry: true)
    }
    return value
  }

  /// Sees to it that this life of the database has a number.
  func beginLife() async throws {
    guard try await database.read(LoadChangeEpoch()).isEmpty else { return }
    // Of 63 random bits, so that it is no negative number in SQL.
    let number = shared.randomNumber()
    try await database.transaction { transaction in
      transaction.add(LockHistories())
      transaction.add(InsertChangeEpoch(number: number))
      try await transaction.send()
    }
  }
}

extension Problem {
  /// A reader cannot go on from where it stands.
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
