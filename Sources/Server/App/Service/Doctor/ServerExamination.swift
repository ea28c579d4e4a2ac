internal import EventLoop
internal import Postgres

/// Looks at a database as `postilion serve` would use it; on a loop. A server that gives no answer
/// is asked no more.
struct ServerExamination: Sendable {
  let address: DatabaseAddress
  let replica: DatabaseAddress?
  /// Whether it is the private PostgreSQL, whose account is always the same.
  let isPrivate: Bool
  /// The loops of the service, and the connections that each has for calls.
  let loops: Int
  let connections: Int
  /// How long each answer may take.
  let waitNanoseconds: UInt64
  let loop: EventLoop

  /// The findings about the server.
  func entries() async -> [Checkup.Entry] {
    do throws(PostgresError) {
      try await requireSessionsOfTheirOwn(address, loop: loop, within: waitNanoseconds)
    } catch {
      return [Self.unreachable("database", "DATABASE_URL", error)]
    }
    let database = client(address)
    defer { database.close() }
    var entries: [Checkup.Entry] = []
    do throws(PostgresError) {
      try await look(at: database, &entries)
    } catch {
      entries.append(.wrong("database", "\(error.stateOfDatabase) (\(error))"))
    }
    return entries
  }

  private func client(_ address: DatabaseAddress) -> PostgresClient {
    let client = PostgresClient(
      address, connections: 1, loop: loop, answerNanoseconds: waitNanoseconds)
    client.start()
    return client
  }

  private func look(
    at database: PostgresClient, _ entries: inout [Checkup.Entry]
  ) async throws(PostgresError) {
    let asked = Monotonic.wallClockMicroseconds()
    guard let facts = try await database.read(ReadServerFacts()).first else { return }
    let answered = Monotonic.wallClockMicroseconds()
    entries.append(facts.server(at: isPrivate ? "private" : address.description))
    if !isPrivate {
      let schema = try await database.read(ReadSchema(names: ExpectedSchema.own.owners))
      entries.append(facts.rights(schema))
      entries.append(
        facts.sessions(
          calls: loops * connections + Limits.sessionsBesides,
          streams: loops * (PostgresClient.descriptors(connections: 0))))
    }
    let fitness = try await DatabaseFitness.look(at: database, steps: Migration.all.map(\.name))
    entries.append(Self.schema(fitness))
    if fitness.fault == nil {
      let partitions = try await database.read(.listPartitions())
      entries.append(
        facts.partitions(Set(partitions), tables: PartitionedTable.all.map(\.name)))
      entries.append(await changes(database))
    }
    entries.append(Self.clock(facts.time.microseconds, asked: asked, answered: answered))
    if let replica { entries.append(await standby(replica, of: database)) }
    if !isPrivate { entries.append(facts.size) }
  }

  /// The finding about a server that is asked no more.
  static func unreachable(
    _ check: String, _ variable: String, _ error: PostgresError
  ) -> Checkup.Entry {
    switch error.code {
    case .login:
      .wrong(
        check, "It does not let the service in: \(error.message).",
        "Look at user, password and database in \(variable), and at pg_hba.conf of the server.")
    case .misuse: .wrong(check, "It cannot be used: \(error.message).")
    case _ where error.message.contains("certificate"):
      .wrong(
        check, "It cannot be trusted: \(error.message).",
        "sslrootcert=… in \(variable) names a file that the service can read, with the certificate "
          + "of the authority that signed the server's. With sslmode=verify-full the server's has "
          + "the name of the host.")
    case _ where error.message.contains("SSL"):
      .wrong(
        check, "It cannot be reached by TLS: \(error.message).",
        "Turn on ssl in postgresql.conf of the server, or look at sslmode in \(variable).")
    default:
      .wrong(
        check, "It cannot be reached: \(error.message).",
        "Look at host and port in \(variable), and whether PostgreSQL runs there.")
    }
  }

  static func schema(_ fitness: DatabaseFitness) -> Checkup.Entry {
    if let fault = fitness.fault {
      return .wrong(
        "schema", fault,
        fault.contains("postilion migrate")
          ? "Run it with the account that owns the tables, as postilion_owner of sql/roles.sql."
          : "The table in docs/operations.md, Health, says what to do.")
    }
    if let degradation = fitness.degradation {
      return .note(
        "schema", degradation, "docs/operations.md, Degraded, says what to do.")
    }
    let newest = Migration.all.last?.name ?? ""
    return .ok("schema", "It is the one that this release needs, with the step \(newest).")
  }

  /// Whether a change is taken: the disk may be full, or the server read-only.
  private func changes(_ database: PostgresClient) async -> Checkup.Entry {
    do throws(PostgresError) {
      _ = try await database.write(TryWrite())
      return .ok("changes", "The database takes changes.")
    } catch {
      return .wrong("changes", "\(error.stateOfDatabase) (\(error))")
    }
  }

  /// The difference between the clock of the database and the clock of this machine. The database's
  /// answer only bounds it, as in ``DatabaseClock``.
  ///
  ///     asked at 100, answered at 102 with 300 → 198 ahead; with 101 → no difference
  static func clock(_ time: Int64, asked: Int64, answered: Int64) -> Checkup.Entry {
    let difference = time < asked ? time - asked : max(0, time - answered)
    let milliseconds = difference.magnitude / 1000
    guard difference.magnitude >= Limits.clockDifferenceMicroseconds else {
      return .ok("clock", "The clocks of the database and this machine agree within a second.")
    }
    return .wrong(
      "clock",
      "The clock of the database is \(milliseconds) ms \(difference > 0 ? "ahead of" : "behind") "
        + "that of this machine.",
      "Synchronize both, as by NTP: the times of registrations are those of the database, and APNs "
        + "compares its answers with them.")
  }

  private func standby(
    _ address: DatabaseAddress, of primary: PostgresClient
  ) async -> Checkup.Entry {
    let variable = "POSTILION_READ_URL"
    do throws(PostgresError) {
      try await requireSessionsOfTheirOwn(address, loop: loop, within: waitNanoseconds)
      let replica = client(address)
      defer { replica.close() }
      guard let written = try await primary.read(WrittenPosition()).first else {
        return .wrong("replica", "The primary does not say where its log ends.")
      }
      let replayed = try await replica.read(ReplayedPosition(cluster: written.cluster)).first
      guard case .some(.some(let position)) = replayed else {
        return .wrong(
          "replica", "It is no standby of the database.",
          "\(variable) names a hot standby of the server in DATABASE_URL.")
      }
      let bytes = max(0, written.position - position)
      return .ok("replica", "It follows the database, \(bytes) bytes of its log behind.")
    } catch {
      return Self.unreachable("replica", variable, error)
    }
  }
}
