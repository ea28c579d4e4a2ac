import AppTesting
import DeviceProfile
import EventLoop
import FoundationEssentials
import Postgres
import Testing

@testable import App
@testable import Registry

/// Registrations that wait together go out together, and none pays for another.
@Suite struct GroupCommitTests {
  /// A service of one loop and one app, whose database is the test's own.
  private struct Committer {
    let service: TestService
    let app: TestApp
    let appID: Int32
    private let now = Timestamp(microseconds: 1_700_000_000_000_000)

    init(clock: (@Sendable () -> Timestamp)? = nil) async throws {
      service = try await TestService.start(clock: clock)
      app = try await service.app(.inProcess)
      let slug = try #require(AppSlug(app.slug))
      appID = try #require(service.service.shared.directory.snapshot.apps[slug]?.id)
    }

    /// An installation of a revision that holds a token, or none.
    func installation(
      _ id: InstallationID, revision: Int64 = 1, token: DeviceToken? = nil
    ) -> Installation {
      var installation = Installation(
        appID: appID, id: id, revision: revision, platform: .ios, environment: .production,
        createdAt: now, updatedAt: now, lastSeenAt: now)
      installation.credentials[.apns] = token.map { .active($0, in: .production, at: now) }
      return installation
    }

    /// A change of an installation that has one token or none.
    func change(
      _ id: InstallationID, to revision: Int64 = 1, token: DeviceToken? = nil,
      owner: InstallationID? = nil
    ) -> ChangeSet {
      let after = installation(id, revision: revision, token: token)
      var cause = TokenEvent.Cause(.backend)
      if let key = after.tokenKey(at: CredentialPlace(.apns)), let owner {
        cause.owners = [key: TokenOwner(id: owner)]
      }
      let before = revision > 1 ? installation(id, revision: revision - 1) : nil
      return ChangeSet(
        transitions: [Transition(from: before, to: after, at: now, cause)])
    }

    /// Commits changes that all wait in the same cycle of the loop.
    /// - Returns: For each `written`, `outrun`, or the SQLSTATE against it.
    func commit(_ changes: [ChangeSet]) async -> [String] {
      let context = service.service.contexts[0]
      return await context.loop.run {
        await withTaskGroup { group in
          for (index, change) in changes.enumerated() {
            group.addTask(executorPreference: context.loop) {
              do throws(PostgresError) {
                let result = try await context.registrar.commits.commit(change)
                return (index, result == .outrun ? "outrun" : "written")
              } catch {
                return (index, error.sqlState ?? "\(error)")
              }
            }
          }
          var outcomes = changes.map { _ in "" }
          for await (index, outcome) in group { outcomes[index] = outcome }
          return outcomes
        }
      }
    }

    /// How many transactions wrote events of tokens.
    func transactions() async throws -> String? {
      try await service.database.value("SELECT count(DISTINCT xmin::text) FROM token_history")
    }

    /// Lets the database refuse an installation.
    func refuse(_ id: InstallationID, sqlState: String) async throws {
      try await service.database.query(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '\(sqlState)'; END$$;
        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON installation FOR EACH ROW
          WHEN (NEW.installation_id = '\(id.text)') EXECUTE FUNCTION refuse();
        """)
    }
  }

  private static func ids(_ count: Int) -> [InstallationID] {
    (0..<count).map { _ in InstallationID(UUID()) }
  }

  private static func token() throws -> DeviceToken { try DeviceToken(parsing: Sample.token()) }

  @Test func whatWaitsTogetherIsOneTransaction() async throws {
    let committer = try await Committer()
    let changes = try Self.ids(50).map { committer.change($0, token: try Self.token()) }
    #expect(await committer.commit(changes) == Array(repeating: "written", count: 50))
    #expect(try await committer.transactions() == "1")
    await committer.service.stop()
  }

  @Test(.onOnePostgres) func callersDoNotWaitForARoundThatStandsStill() async throws {
    let committer = try await Committer()
    try await committer.service.database.query(
      """
      CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN PERFORM pg_sleep(5); RETURN NEW; END$$;
      CREATE TRIGGER nap BEFORE INSERT ON installation FOR EACH STATEMENT EXECUTE FUNCTION nap();
      """)
    let context = committer.service.service.contexts[0]
    await context.loop.run { context.database.answerNanoseconds = 1_000_000_000 }
    let outcomes = await committer.commit(Self.ids(2).map { committer.change($0) })
    #expect(outcomes.allSatisfy { $0.contains("not committed in time") }, "\(outcomes)")
    await context.loop.run { context.database.answerNanoseconds = .max }
    #expect(await committer.commit([committer.change(Self.ids(1)[0])]) == ["written"])
    // The first two are made, though nobody was told.
    #expect(try await committer.app.stored() == "3 0 0 0")
    await committer.service.stop()
  }

  @Test(.onOnePostgres, arguments: ["23514", "22021", "22P02", "40001"])
  func aRowThatTheDatabaseRefusesFailsAlone(sqlState: String) async throws {
    let committer = try await Committer()
    let ids = Self.ids(50)
    try await committer.refuse(ids[20], sqlState: sqlState)
    var expected = ids.map { _ in "written" }
    expected[20] = sqlState
    #expect(await committer.commit(ids.map { committer.change($0) }) == expected)
    #expect(try await committer.app.stored() == "49 0 0 0")

    // Over HTTP: the neighbours hear nothing of it.
    let more = Self.ids(20) + [ids[20]]
    let app = committer.app
    let statuses = try await withThrowingTaskGroup { group in
      for id in more {
        group.addTask {
          (id, try await app.sender.put(app.installation(id.text), Sample.report()).status)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let refused = sqlState.hasPrefix("40") ? 503 : 500
    for id in more { #expect(statuses[id] == (id == ids[20] ? refused : 201)) }
    #expect(try await committer.app.stored() == "69 20 0 0")
    await committer.service.stop()
  }

  @Test func whoLosesARaceLosesAlone() async throws {
    let committer = try await Committer()
    let (token, ids) = (try Self.token(), Self.ids(10))
    #expect(await committer.commit([committer.change(ids[0], token: token)]) == ["written"])
    let changes = ids.dropFirst().map { committer.change($0, token: $0 == ids[5] ? token : nil) }
    var expected = changes.map { _ in "written" }
    expected[4] = "outrun"
    #expect(await committer.commit(changes) == expected)
    #expect(try await committer.app.stored() == "9 1 0 0")
    await committer.service.stop()
  }

  @Test func changesOfOneInstallationKeepTheirOrder() async throws {
    let committer = try await Committer()
    let (id, others) = (Self.ids(1)[0], Self.ids(30))
    var changes: [ChangeSet] = []
    for (revision, other) in zip(Int64(1)..., others) {
      changes += [committer.change(id, to: revision), committer.change(other)]
    }
    #expect(await committer.commit(changes) == changes.map { _ in "written" })
    #expect(
      try await committer.service.database.value(
        "SELECT revision FROM installation WHERE installation_id = '\(id.text)'") == "30")
    await committer.service.stop()
  }

  /// What waits for the first connection is asked before it tells of Citus.
  @Test func installationsAreReadAlikeBeforeCitusIsKnown() async throws {
    let committer = try await Committer()
    let ids = Self.ids(3)
    let changes = ids.dropFirst().map { committer.change($0) }
    #expect(await committer.commit(changes) == ["written", "written"])
    let keys = ids.map { InstallationKey(appID: committer.appID, id: $0) }
    let (context, stored) = (committer.service.service.contexts[0], Set(ids.dropFirst()))
    let found = try await Task(executorPreference: context.loop) {
      try await context.database.read(LoadInstallations(keys: keys))
    }.value
    #expect(Set(found.map(\.id)) == stored)
    await committer.service.stop()
  }

  @Test func theyKeepItBesideOneThatLoses() async throws {
    let committer = try await Committer()
    let (token, ids) = (try Self.token(), Self.ids(3))
    #expect(await committer.commit([committer.change(ids[0], token: token)]) == ["written"])
    let outcomes = await committer.commit([
      committer.change(ids[1]), committer.change(ids[2], token: token),
      committer.change(ids[1], to: 2),
      committer.change(ids[1], to: 3),
    ])
    #expect(outcomes == ["written", "outrun", "written", "written"])
    await committer.service.stop()
  }

  @Test(.onOnePostgres) func theyKeepItBesideOneThatTheDatabaseRefuses() async throws {
    let committer = try await Committer()
    let ids = Self.ids(2)
    try await committer.refuse(ids[1], sqlState: "23514")
    let outcomes = await committer.commit([
      committer.change(ids[0]), committer.change(ids[1]), committer.change(ids[0], to: 2),
      committer.change(ids[0], to: 3),
    ])
    #expect(outcomes == ["written", "23514", "written", "written"])
    await committer.service.stop()
  }

  @Test func aTokenThatWasGivenUpMeanwhileDoesNotMove() async throws {
    let committer = try await Committer()
    let (token, ids) = (try Self.token(), Self.ids(2))
    let path = committer.app.installation(ids[0].text)
    _ = try await committer.app.admin.put(path, Sample.report(token.hex))
    #expect(try await committer.app.admin.delete("\(path)/credentials/apns").status == 204)
    #expect(
      await committer.commit([committer.change(ids[1], token: token, owner: ids[0])]) == ["outrun"])
    #expect(await committer.commit([committer.change(ids[1], token: token)]) == ["written"])
    await committer.service.stop()
  }

  /// Deleted and made anew within the millisecond in which it was made: what was decided on the
  /// former one must not be written onto the next.
  @Test func aFormerLifeIsNotWrittenOntoTheNextOneOfItsMillisecond() async throws {
    let time = Timestamp(microseconds: 1_700_000_000_000_000)
    let committer = try await Committer(clock: { time })
    let (id, token) = (Self.ids(1)[0], try Self.token())
    let path = committer.app.installation(id.text)
    #expect(try await committer.app.client.put(path, Sample.report()).status == 201)
    let context = committer.service.service.contexts[0]
    let appID = committer.appID
    let loaded = await context.loop.run {
      try? await context.registrar.load(appID: appID, id: id)
    }
    let former = try #require(loaded)
    #expect(try await committer.app.admin.delete(path).status == 204)
    #expect(try await committer.app.client.put(path, Sample.report(token.hex)).status == 201)
    let late = [
      Transition(
        from: former, to: former.revised(at: time) { $0.appBuild = "9" }, at: time, .init(.app)),
      Transition(deleting: former, at: time, .init(.backend)),
    ]
    for transition in late {
      #expect(await committer.commit([ChangeSet(transitions: [transition])]) == ["outrun"])
    }
    let shown = try await committer.app.admin.get(path).json
    #expect(shown["credentials"]["apns"]["token"] == .string(token.hex))
    #expect(shown["app_build"] == .null)
    await committer.service.stop()
  }

  /// Deleted and made anew, an installation has another time of creation.
  @Test func aFormerLifeOfAnInstallationIsNotWrittenOntoTheNextOne() async throws {
    let committer = try await Committer()
    let id = Self.ids(1)[0]
    let token = try Self.token()
    let former = committer.installation(id)
    #expect(await committer.commit([committer.change(id)]) == ["written"])
    let path = committer.app.installation(id.text)
    #expect(try await committer.app.admin.delete(path).status == 204)
    #expect(try await committer.app.client.put(path, Sample.report(token.hex)).status == 201)
    // Both were decided before.
    let deletion = ChangeSet(
      transitions: [Transition(deleting: former, at: former.createdAt, .init(.backend))])
    #expect(await committer.commit([committer.change(id, to: 2)]) == ["outrun"])
    #expect(await committer.commit([deletion]) == ["outrun"])
    #expect(
      try await committer.app.admin.get(path).json["credentials"]["apns"]["token"]
        == .string(token.hex))
    await committer.service.stop()
  }
}
