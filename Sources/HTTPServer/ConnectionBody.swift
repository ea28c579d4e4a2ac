internal import HTTP

/// The body of the request that a connection is at.
final class ConnectionBody: BodyReader {
  private let connection: Connection
  private var awaitsInvitation: Bool
  private var hasEnded = false
  private var hasFailed = false

  init(_ connection: Connection, _ head: RequestHead) {
    self.connection = connection
    awaitsInvitation = head.expectsContinue
  }

  func next() async throws -> [UInt8]? {
    guard !hasEnded else { return nil }
    if awaitsInvitation {
      awaitsInvitation = false
      connection.sendContinue()
    }
    do {
      if let bytes = try await connection.nextBodyBytes() { return bytes }
      hasEnded = true
      return nil
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Reads and drops what the handler left.
  /// - Returns: Whether the body is over, so that another request may follow.
  func discardRest(upTo limit: Int) async -> Bool {
    var rest = limit
    while !hasEnded {
      guard !hasFailed, !awaitsInvitation, rest >= 0 else { return false }
      guard let bytes = try? await next() else { continue }
      rest -= bytes.count
    }
    return true
  }
}

/// Writes a streamed answer to its connection.
final class ConnectionWriter: BodyWriter {
  private let connection: Connection
  private let isChunked: Bool

  init(_ connection: Connection, isChunked: Bool) {
    self.connection = connection
    self.isChunked = isChunked
  }

  func write(_ bytes: [UInt8]) async throws {
    try await connection.writeStreamed(bytes, isChunked: isChunked)
  }
}
