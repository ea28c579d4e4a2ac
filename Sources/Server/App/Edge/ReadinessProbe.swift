internal import EventLoop
internal import Postgres

/// Asks a loop's database whether it takes changes, and answers in time whatever the database does:
/// a database that hangs says nothing at all. A caller that asks while a question is out shares its
/// answer.
final class ReadinessProbe: @unchecked Sendable {
  /// The outcome of a question.
  enum Answer: Sendable {
    /// The database takes changes.
    case takesChanges
    case refused(PostgresError)
    /// No answer in time; the reason is a sentence.
    case late(reason: String)
  }

  private let database: PostgresClient
  private var asking: [UInt64: UnsafeContinuation<Answer, Never>] = [:]
  private var asked: UInt64 = 0
  private var isOut = false

  init(_ database: PostgresClient) { self.database = database }

  /// Asks the database; on the loop.
  func ask() async -> Answer {
    precondition(database.loop.isCurrent, "the probe is its loop's")
    asked += 1
    let number = asked
    database.loop.execute { [self] in
      await database.loop.sleep(nanoseconds: Limits.readinessNanoseconds)
      asking.removeValue(forKey: number)?.resume(returning: .late(reason: lateness))
    }
    if !isOut {
      isOut = true
      database.loop.execute { [self] in
        let answer = await question()
        isOut = false
        for (_, continuation) in asking { continuation.resume(returning: answer) }
        asking = [:]
      }
    }
    return await withUnsafeContinuation { asking[number] = $0 }
  }

  private func question() async -> Answer {
    do throws(PostgresError) {
      _ = try await database.write(TryWrite())
      return .takesChanges
    } catch {
      return .refused(error)
    }
  }

  private var lateness: String {
    database.isConnected
      ? "The database does not answer." : "There is no connection to the database."
  }
}

/// A change that leaves everything as it is.
///
/// For PostgreSQL the lock of a row counts as a write: it is logged and confirmed like any other.
/// So a standby refuses it, a full log ends it, and a synchronous standby that is gone delays it.
/// There is no new version of the row, and so nothing to tidy up. The statement also writes 128 kB,
/// more than the memory that it may take, into a temporary file where the tables are. This shows
/// whether the disk has room.
struct TryWrite: Statement {
  typealias Row = Bool
  static let sql = """
    SELECT true FROM set_config('temp_tablespaces', '', true) AS place,
      set_config('work_mem', '64kB', true) AS memory,
      LATERAL (
        SELECT count(*) FROM unnest(
          array_fill(repeat('x', 1024), ARRAY[128 + 0 * length(place || memory)])) AS piece
      ) AS written,
      schema_migration
    WHERE name = (SELECT max(name) FROM schema_migration)
    FOR NO KEY UPDATE OF schema_migration
    """
}
