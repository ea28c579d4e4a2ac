import AppTesting
import Foundation
import TestSupport
import Testing

/// Transactions commit in any order; no reader misses one for that.
@Suite struct LateCommitTests {
  private func appID(_ app: TestApp) async throws -> String {
    try #require(
      try await app.service.database.value("SELECT id FROM app WHERE slug = '\(app.slug)'"))
  }

  /// A command that writes an event of an installation whose id says which it is.
  private func insert(_ number: Int, _ appID: String) -> String {
    let id = "'00000000-0000-4000-8000-\(String(String(number + 1_000_000_000_000).suffix(12)))'"
    return number.isMultiple(of: 3)
      ? """
      INSERT INTO app_history (app_id, installation_id, at, event, source)
      VALUES (\(appID), \(id), now(), 'updated', 'app')
      """
      : """
      INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event,
        source)
      VALUES (\(appID), \(id), now(), 'production', 'apns', '\\x00', 'registered', 'app')
      """
  }

  private func number(_ item: JSON) -> Int? {
    item["installation_id"].string.flatMap { Int($0.suffix(12)) }
  }

  /// All events of an app, in the order of their transactions.
  private func order(_ appID: String, _ database: ScratchDatabase) async throws -> [Int] {
    try await database.query(
      """
      SELECT right(installation_id::text, 12)::bigint FROM (
        SELECT transaction_id, id, installation_id FROM token_history WHERE app_id = \(appID)
        UNION ALL
        SELECT transaction_id, id, installation_id FROM app_history WHERE app_id = \(appID)
      ) AS h ORDER BY transaction_id, id
      """
    ).compactMap { $0[0].flatMap { Int($0) } }
  }

  /// One transaction stays open while others come and go.
  @Test func whatCommitsLateIsReadAllTheSame() async throws {
    let app = try await TestApp.make(.socket)
    let appID = try await appID(app)
    let session = try await ScratchSession(app.service.database)
    try await session.query("BEGIN; \(insert(1, appID))")
    var ids: [String] = []
    for _ in 0..<5 {
      ids.append(Sample.id())
      let path = app.installation(ids.last ?? "")
      #expect(try await app.admin.put(path, Sample.report()).status == 201)
    }
    // They are younger than what may still come.
    let early = try await app.sender.get("\(app.path)/changes")
    #expect(early.json["items"] == [])
    try await session.query("COMMIT")
    let items = try await allChanges(of: app)
    #expect(number(items[0]) == 1)
    #expect(items.dropFirst().compactMap { $0["installation_id"].string } == ids)
  }

  /// Some transactions at once that write, commit and roll back in any order, and a reader that
  /// reads in between and keeps its cursor. Beside it reads one that goes by numbers alone.
  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func nothingIsMissingAndNothingComesTwice(seed: UInt64) async throws {
    let app = try await TestApp.make(.socket)
    let database = app.service.database
    let appID = try await appID(app)
    var random = SplitMix64(seed: seed)
    var sessions: [ScratchSession] = []
    for _ in 0..<4 { sessions.append(try await ScratchSession(database)) }
    var open: [Int: [Int]] = [:]
    var committed: Set<Int> = []
    var (read, naive): ([Int], Set<Int>) = ([], [])
    var (cursor, last, written) = ("", "0", 0)

    func readPages() async throws {
      while true {
        let after = cursor.isEmpty ? "" : "&after=\(cursor)"
        let page = try await app.sender.get(
          "\(app.path)/changes?limit=\(1 + random.next() % 4)\(after)")
        try #require(page.status == 200, "\(page.text)")
        read += page.json["items"].elements.compactMap(number)
        cursor = try #require(page.json["next_cursor"].string)
        if page.json["has_more"] == false { break }
      }
      let rows = try await database.query(
        """
        SELECT id, right(installation_id::text, 12)::bigint FROM (
          SELECT id, installation_id FROM token_history WHERE app_id = \(appID)
          UNION ALL SELECT id, installation_id FROM app_history WHERE app_id = \(appID)
        ) AS h WHERE id > \(last) ORDER BY id
        """)
      last = (rows.last?[0] ?? nil) ?? last
      naive.formUnion(rows.compactMap { $0[1].flatMap { Int($0) } })
    }

    for _ in 0..<150 {
      let index = Int(random.next() % UInt64(sessions.count))
      switch (open[index], random.next() % 4) {
      case (_, 0): try await readPages()
      case (nil, _):
        written += 1
        try await sessions[index].query("BEGIN; \(insert(written, appID))")
        open[index] = [written]
      case (let numbers?, 1):
        written += 1
        try await sessions[index].query(insert(written, appID))
        open[index] = numbers + [written]
      case (let numbers?, _):
        let isKept = random.next() % 5 != 0
        try await sessions[index].query(isKept ? "COMMIT" : "ROLLBACK")
        if isKept { committed.formUnion(numbers) }
        open[index] = nil
      }
    }
    for (index, numbers) in open {
      try await sessions[index].query("COMMIT")
      committed.formUnion(numbers)
    }
    try await eventually {
      try await readPages()
      return read.count >= committed.count
    }
    #expect(Set(read) == committed, "seed \(seed)")
    #expect(read.count == committed.count, "seed \(seed): some came twice")
    let order = try await order(appID, database)
    #expect(read == order, "seed \(seed)")
    #expect(naive != committed, "seed \(seed): by numbers alone nothing would have been missed")
  }
}
