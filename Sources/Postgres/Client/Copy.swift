internal import CLibpq
internal import EventLoop
internal import FoundationEssentials

/// A bulk read or write: one `COPY`, on a connection of its own.
///
/// `COPY` cannot bind parameters. Values go in as session variables, and the text reads them:
/// `COPY (SELECT … WHERE app_id = current_setting('postilion.app_id')::int) TO STDOUT`.
public struct CopyCommand: Sendable {
  /// The command's text, constant.
  public let sql: StaticString
  /// Names (`postilion.…`) and values of the session variables that it reads.
  public let variables: [(name: StaticString, value: String)]

  /// A command with its values.
  public init(_ sql: StaticString, variables: [(name: StaticString, value: String)] = []) {
    self.sql = sql
    self.variables = variables
  }
}

extension PostgresClient {
  /// Reads rows in bulk; each is given in `COPY` text format with its newline, and the server waits
  /// while `consume` does. When `consume` throws, the read is broken off.
  public func copyOut(
    _ command: CopyCommand, consume: ([UInt8]) async throws -> Void
  ) async throws {
    try await withCopySession(command, direction: PGRES_COPY_OUT) { session in
      while let row = try await session.nextCopyRow() { try await consume(row) }
    }
  }

  /// Writes rows in bulk, in `COPY` text format, as `produce` gives them; `nil` ends them. All are
  /// committed on return; none when `produce` throws.
  public func copyIn(
    _ command: CopyCommand, produce: () async throws -> [UInt8]?
  ) async throws {
    try await withCopySession(command, direction: PGRES_COPY_IN) { session in
      do {
        while let bytes = try await produce() { try await session.putCopy(bytes) }
      } catch {
        try? await session.endCopy(failure: "the source failed")
        throw error
      }
      try await session.endCopy()
    }
  }

  private func withCopySession(
    _ command: CopyCommand, direction: ExecStatusType, body: (Session) async throws -> Void
  ) async throws {
    try admitStream(for: nil)
    defer { places.give(for: nil) }
    let session = Session(loop: loop)
    try await session.open(conninfo)
    defer { session.close() }
    for variable in command.variables {
      try await session.set("\(variable.name)", to: variable.value)
    }
    try await session.startCopy("\(command.sql)", direction: direction)
    try await body(session)
  }

  /// Takes one of the places for bulk transfers; whoever has it gives it back.
  func admitStream(for holder: UUID?) throws(PostgresError) {
    guard places.take(for: holder) else {
      observe(.overloaded)
      throw PostgresError(.overloaded, "too many bulk transfers", isSafeToRetry: true)
    }
  }
}
