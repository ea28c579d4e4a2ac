internal import EventLoop
internal import Postgres
internal import Synchronization
internal import Telemetry

/// A hot standby as one loop sees it: lists, exports, statistics and audiences are read there, as
/// long as it is near its primary.
final class Replica: @unchecked Sendable {
  private let server: ReplicaServer
  private let database: PostgresClient
  private let primary: PostgresClient
  private var progress = ReplicaProgress()
  /// The cluster of the primary.
  private var cluster: Int64?
  private var isClosed = false

  /// A call that the standby does not answer has a quarter of its time left for the primary.
  /// - Parameter connections: As many as the loop has to the primary.
  init(_ server: ReplicaServer, of primary: PostgresClient, connections: Int) {
    self.server = server
    self.primary = primary
    database = PostgresClient(
      server.settings.address, connections: connections, loop: primary.loop,
      answerNanoseconds: primary.answerNanoseconds / 4 * 3, observe: server.observe)
  }

  /// Refuses a pooler that shares sessions. A replica that cannot be reached is not checked.
  func refusePooler() async throws(PostgresError) {
    do throws(PostgresError) {
      try await requireSessionsOfTheirOwn(
        server.settings.address, loop: database.loop, within: Limits.replicaStartNanoseconds)
    } catch {
      guard error.code != .misuse else {
        throw PostgresError(.misuse, "POSTILION_READ_URL: \(error.message)")
      }
    }
  }

  /// Connects, and compares the two servers each second until ``close()``; on the loop.
  func start() {
    database.start()
    database.loop.execute { [self] in
      while !isClosed {
        await compare()
        await database.loop.sleep(nanoseconds: Limits.replicaPauseNanoseconds)
      }
    }
  }

  func close() {
    isClosed = true
    database.close()
  }

  /// Reads from the standby, or from the primary when the standby is too far behind or fails. A
  /// read does not wait for a standby without a connection.
  func read<Result>(_ body: (PostgresClient) async throws -> Result) async throws -> Result {
    if database.isConnected, let lag = progress.lag(at: Monotonic.now()),
      lag <= server.settings.limitNanoseconds
    {
      do {
        let result = try await body(database)
        server.reads.child("replica").increment()
        return result
      } catch let error as PostgresError where error.isOfStandby {
        // The primary answers.
      }
    }
    server.reads.child("primary").increment()
    return try await body(primary)
  }

  private func compare() async {
    let asked = Monotonic.now()
    if let written = try? await primary.read(WrittenPosition()).first {
      progress.written(written.position, at: asked)
      cluster = written.cluster
    }
    if let cluster {
      switch try? await database.read(ReplayedPosition(cluster: cluster)).first {
      case .some(.some(let position)): progress.replayed(position)
      // The server was promoted, or belongs to another cluster: its log goes on without the
      // primary's.
      case .some(.none): progress = ReplicaProgress()
      case .none: break
      }
    }
    let lag = progress.lag(at: Monotonic.now()).map { Int($0 / 1_000_000) }
    server.lag.store(lag ?? -1, ordering: .relaxed)
  }
}

extension PostgresError {
  /// Whether the error is about the standby and not about the call: the standby is gone, it lacks
  /// something, or the changes that it replays were in the way (40001, 40P01; PostgreSQL manual,
  /// 27.4.2). A call that takes too long takes no less on the primary.
  fileprivate var isOfStandby: Bool {
    [.outage, .breakdown].contains(condition) || ["40001", "40P01"].contains(sqlState)
  }
}

/// Which server is the replica, and how far it may be behind.
struct ReplicaSettings: Sendable {
  let address: DatabaseAddress
  let limitNanoseconds: UInt64
}

/// The replica as the loops share it, with its metrics.
final class ReplicaServer: Sendable {
  let settings: ReplicaSettings
  let reads: MetricFamily<Counter>
  /// Milliseconds of changes that the replica lacked when last compared; negative as long as nobody
  /// knows.
  let lag = Atomic(-1)
  let observe: @Sendable (PostgresEvent) -> Void

  init(_ settings: ReplicaSettings, _ observation: Observation) {
    self.settings = settings
    observe = { observation.replica($0) }
    reads = observation.metrics.counter(
      "postilion_replica_reads_total", "Reads that a replica may answer, by the server that did.",
      "server", ["replica", "primary"])
    observation.metrics.gauge(
      "postilion_replica_lag_seconds", "How far the replica was behind when last compared."
    ) { [self] in
      let milliseconds = lag.load(ordering: .relaxed)
      return milliseconds < 0 ? nil : Double(milliseconds) / 1000
    }
  }
}

/// The place where the log of a primary ends, and its cluster; a standby refuses to say.
struct WrittenPosition: Statement {
  static let sql = """
    SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::int8, system_identifier
    FROM pg_control_system()
    """
  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (position: Int64, cluster: Int64) {
    (try row.next(), try row.next())
  }
}

/// The place up to which a standby has replayed the log of a cluster; NULL on a server that is no
/// standby of the cluster.
struct ReplayedPosition: Statement {
  static let sql = """
    SELECT CASE WHEN pg_is_in_recovery() AND system_identifier = $1
      THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8 END
    FROM pg_control_system()
    """
  let cluster: Int64

  func bind(to parameters: inout Parameters) { parameters.append(cluster) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64? {
    try row.next()
  }
}

extension Observation {
  /// Something happened to a connection of the replica. The primary does its work meanwhile.
  func replica(_ event: PostgresEvent) {
    switch event {
    case .disconnected(let error), .connectFailed(let error, _):
      logger.log(.warning, "replica_failed", ["cause": .string(error.description)])
    default: break
    }
  }
}
