internal import EventLoop
internal import Postgres

/// Asks a loop's database whether it can be used, and answers in time whatever the database does:
/// one that hangs says nothing at all. Who asks while a question is out shares its answer.
final class ReadinessProbe: @unchecked Sendable {
  /// What is known in the end.
  enum Answer: Sendable {
    /// The name of the newest migration that the database has.
    case schema(String?)
    case refused(PostgresError)
    /// Nothing in time; the reason is a sentence.
    case late(reason: String)
  }

  private let database: PostgresClient
  private var asking: [UInt64: UnsafeContinuation<Answer, Never>] = [:]
  private var asked: UInt64 = 0
  private var isOut = false

  init(_ database: PostgresClient) { self.database = database }

  /// Asks; on the loop.
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
      return .schema(try await database.read(NewestMigration()).first)
    } catch {
      return .refused(error)
    }
  }

  private var lateness: String {
    database.isConnected
      ? "The database does not answer." : "There is no connection to the database."
  }
}

/// The name of the last migration that the database has.
struct NewestMigration: Statement {
  static let sql = "SELECT name FROM schema_migration ORDER BY name DESC LIMIT 1"

  static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
}
