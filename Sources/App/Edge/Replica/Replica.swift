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
  /// Which cluster the primary is of.
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

  /// Refuses a pooler that shares sessions. A replica that cannot be reached does without.
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

  /// Ends all connections.
  func close() {
    isClosed = true
    database.close()
  }

  /// Reads from the standby, or from the primary when the standby is too far behind or fails. One
  /// without a connection is not waited for.
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
      // It was promoted, or is another one's: its log goes on without the primary's.
      case .some(.none): progress = ReplicaProgress()
      case .none: break
      }
    }
    let lag = progress.lag(at: Monotonic.now()).map { Int($0 / 1_000_000) }
    server.lag.store(lag ?? -1, ordering: .relaxed)
  }
}

extension PostgresError {
  /// Whether it tells of the standby and not of the call: it is gone, it lacks something, or what
  /// it replays was in the way (40001, 40P01; PostgreSQL manual, 27.4.2). A call that takes too
  /// long takes no less on the primary.
  fileprivate var isOfStandby: Bool {
    [.outage, .breakdown].contains(condition) || ["40001", "40P01"].contains(sqlState)
  }
}

/// Which server is the replica, and how far it may be behind.
struct ReplicaSettings: Sendable {
  let address: DatabaseAddress
  let limitNanoseconds: UInt64
}

/// The replica as the loops share it, with what is told of it.
final class ReplicaServer: Sendable {
  let settings: ReplicaSettings
  let reads: MetricFamily<Counter>
  /// Milliseconds that it lacked when last compared; negative as long as nobody knows.
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

/// Where the log of a primary ends, and of which cluster it is; a standby refuses to say.
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

/// What a standby has replayed of the log of a cluster; NULL of a server that is none.
struct ReplayedPosition: Statement {
  static let sql = """
    SELECT CASE WHEN pg_is_in_recovery() AND system_identifier = $1
      THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8 END
    FROM pg_control_system()
    """
  let cluster: Int64

  func bind(to parameters: inout Parameters) { parameters.append(cluster) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64? {
    try row.nextOptional()
  }
}
