internal import HTTP

/// The body of the request that a connection is at.
final class ConnectionBody: BodyReader {
  private let connection: Connection
  private let head: RequestHead
  private var awaitsInvitation: Bool
  private var hasEnded = false
  private var hasFailed = false
  private let length: Int?
  /// The bytes of the memory for clients that the body has.
  private var held = HeldBytes()

  init(_ connection: Connection, _ head: RequestHead) {
    self.connection = connection
    self.head = head
    awaitsInvitation = head.expectsContinue
    length = if case .length(let length) = head.framing { length } else { nil }
  }

  func next() async throws -> [UInt8]? {
    guard !hasEnded else { return nil }
    invite()
    do {
      if let bytes = try await connection.nextBodyBytes() { return bytes }
      hasEnded = true
      return nil
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Invites the body if its client waits for that.
  func invite() {
    guard awaitsInvitation else { return }
    awaitsInvitation = false
    connection.sendContinue()
  }

  func nextArrived() throws -> [UInt8]? {
    guard !hasEnded, !awaitsInvitation else { return nil }
    do {
      return try connection.nextArrivedBodyBytes(&hasEnded)
    } catch {
      hasFailed = true
      throw error
    }
  }

  func collect(upTo limit: Int) async throws -> [UInt8] {
    var body: [UInt8] = []
    var capacity = 0
    while let piece = try await next() {
      let count = body.count + piece.count
      guard count <= limit else { throw BodyTooLarge(limit: limit) }
      if body.isEmpty {
        try hold(piece.count)
        capacity = piece.count
        body = piece
        continue
      }
      if count > capacity {
        capacity = max(count, min(2 * capacity, length ?? limit))
        try hold(capacity)
        // Room that is not written to costs no memory, and to move megabytes holds up the loop.
        let room = capacity < Limits.movedBodyBytes ? capacity : length ?? capacity
        body.reserveCapacity(min(room, limit))
      }
      body += piece
    }
    return body
  }

  /// Takes room in memory, before it is used. A body that came whole waits for us and not for its
  /// client, so its customer is not looked up.
  private func hold(_ bytes: Int) throws(NoRoomForBody) {
    let memory = connection.server.memory
    guard held.set(bytes, in: memory, for: bytes == length ? nil : connection.customer(of: head))
    else {
      connection.server.observe(.bodyTurnedAway)
      throw NoRoomForBody()
    }
  }

  /// The request is answered: its body is needed no longer.
  func release() { held.release(in: connection.server.memory) }

  /// Drops the bytes that have arrived and that the handler left unread, and waits for nothing: an
  /// answer is not kept back for a body that nobody reads.
  /// - Returns: Whether the body is over, so that another request may follow.
  func skipArrived() -> Bool {
    if hasEnded { return true }
    guard !hasFailed, !awaitsInvitation else { return false }
    return connection.skipArrivedBody(upTo: Limits.discardedBodyBytes)
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

  func flush() async throws { try await connection.flushStreamed() }
}
