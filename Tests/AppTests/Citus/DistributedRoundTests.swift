import AppTesting
import DeviceProfile
import EventLoop
import FoundationEssentials
import Postgres
import Testing

@testable import App
@testable import Registry

/// What a round writes on a cluster of Citus is what it writes elsewhere. Its statements are also
/// those of any PostgreSQL, so this needs no cluster.
@Suite struct DistributedRoundTests {
  private static let now = Timestamp(microseconds: 1_700_000_000_000_000)
  private static let ids = (0..<3).map { _ in InstallationID(UUID()) }

  /// One database of its own, whose rounds are written in one of the two ways.
  private struct Writer {
    let service: TestService
    let appID: Int32
    let isDistributed: Bool

    init(isDistributed: Bool) async throws {
      self.isDistributed = isDistributed
      service = try await TestService.start()
      let slug = try #require(AppSlug(try await service.app(.inProcess).slug))
      appID = try #require(service.service.shared.directory.snapshot.apps[slug]?.id)
    }

    func installation(_ index: Int, revision: Int64, _ token: DeviceToken?) -> Installation {
      var installation = Installation(
        appID: appID, id: ids[index], revision: revision, platform: .ios, environment: .production,
        createdAt: now, updatedAt: now, lastSeenAt: now)
      installation.credentials.apns = token.map { .active($0, at: now) }
      return installation
    }

    /// Writes a round.
    /// - Parameter expected: What it must return, or nothing stays written.
    /// - Returns: The SQLSTATE against it, or how many rows of installations and tokens it gave.
    func write(
      _ transitions: [Transition], isWhole: Bool, expected: String? = nil
    ) async throws -> String {
      let writes = RoundWrites(
        [ChangeSet(transitions: transitions)],
        ledgerEntries: transitions.flatMap(\.ledgerEntries), areSpread: isDistributed)
      let context = service.service.contexts[0]
      return await context.loop.run {
        do {
          return try await context.database.transaction { transaction in
            var answer = "0 0"
            if isWhole {
              try await writes.addWhole(to: transaction)
            } else {
              let written = writes.add(to: transaction)
              try await transaction.send()
              answer = "\(written.installations.flatMap { $0() }.count) \(written.tokens().count)"
            }
            guard answer == expected ?? answer else {
              throw PostgresError(.server(sqlState: "LOST1"), "another writer was faster")
            }
            return answer
          }
        } catch {
          return (error as? PostgresError)?.sqlState ?? "\(error)"
        }
      }
    }

    /// Everything that rounds write, in text.
    func stored() async throws -> String? {
      try await service.database.value(
        """
        SELECT concat_ws(' ',
          (SELECT string_agg(i.revision || i.installation_id::text
            || coalesce(encode(i.apns_token, 'hex'), '-'), ' ' ORDER BY installation_id)
            FROM installation AS i),
          (SELECT string_agg(encode(t.token, 'hex') || coalesce(t.installation_id::text, '-')
            || coalesce(t.moved_from::text, '-') || coalesce(t.takeovers::text, '-')
            || coalesce(t.former_owners::text, '-'), ' ' ORDER BY token) FROM token_owner AS t),
          (SELECT string_agg(event, ' ' ORDER BY id) FROM token_history))
        """)
    }
  }

  /// A round of each kind: two devices, a rotation beside a new device, and a takeover.
  private static func rounds(_ writer: Writer, _ tokens: [DeviceToken]) -> [[Transition]] {
    func step(
      _ index: Int, _ revision: Int64, _ before: DeviceToken?, _ after: DeviceToken?,
      from owner: Int? = nil
    ) -> Transition {
      let next = writer.installation(index, revision: revision, after)
      var cause = TokenEvent.Cause(.app)
      if let owner, let key = next.tokenKey(.apns) {
        cause.owners = [key: TokenOwner(id: ids[owner])]
      }
      let stored =
        revision > 1 ? writer.installation(index, revision: revision - 1, before) : nil
      return Transition(from: stored, to: next, at: now, cause)
    }
    return [
      [step(0, 1, nil, tokens[0]), step(1, 1, nil, tokens[1])],
      [step(0, 2, tokens[0], tokens[2]), step(2, 1, nil, tokens[3])],
      // It takes the token of another, which is given none.
      [step(1, 2, tokens[1], nil), step(2, 2, tokens[3], tokens[1], from: 1)],
      // The token was given up, so the ledger knows it.
      [step(1, 3, nil, tokens[0])],
      // Decided on a state that is gone.
      [step(0, 2, tokens[0], tokens[3])],
    ]
  }

  @Test(arguments: [true, false])
  func bothWaysWriteTheSame(isWhole: Bool) async throws {
    let tokens = try (0..<4).map { _ in try DeviceToken(parsing: Sample.token()) }
    var outcomes: [[String]] = []
    var stored: [String?] = []
    for isDistributed in [false, true] {
      let writer = try await Writer(isDistributed: isDistributed)
      var outcome: [String] = []
      for round in Self.rounds(writer, tokens) {
        var answer = try await writer.write(round, isWhole: isWhole)
        if ["23505", "XX000"].contains(answer) {
          // As the queue does: a row was there that was taken for new.
          answer = try await writer.write(round, isWhole: false, expected: "1 1")
          if answer == "1 1" { answer = "0 0" }
        }
        outcome.append(answer)
      }
      outcomes.append(outcome)
      stored.append(try await writer.stored())
      await writer.service.stop()
    }
    #expect(outcomes[0] == outcomes[1])
    #expect(outcomes[0].last == (isWhole ? "LOST1" : "0 0"))
    #expect(stored[0] == stored[1])
    #expect(stored[0]?.isEmpty == false)
  }
}
