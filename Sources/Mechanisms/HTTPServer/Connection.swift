internal import EventLoop
internal import HTTP

/// One connection: reads requests in order, answers each before the next, keeps pipelined answers
/// together in one write.
final class Connection: @unchecked Sendable {
  let socket: StreamSocket
  unowned let server: HTTPServer
  private let peer: IPAddress?
  private var parser = RequestParser()
  private var output: [UInt8] = []
  /// The head of the request to which the waiting bytes belong, until its answer is written.
  private var head: RequestHead?
  /// The bytes of the memory for clients that the connection has while it waits for its client.
  private var held = HeldBytes()
  /// The peer takes nothing any more.
  private var isBroken = false
  /// The peer has ended its side, or said that it would send no more.
  private var isPeerDone = false
  /// Whether the connection waits for the next request, so that a drain may interrupt it.
  private(set) var isIdle = false
  /// Until when the connection waits for the next request at most.
  private var idleEnd: UInt64?
  /// Whether no task serves the connection until something comes.
  private(set) var isParked = false
  /// How slowly the body under way may come.
  private var bodyAllowance: PeerAllowance
  /// Whether an answer is written while the body of its request is read. Two tasks do this, and
  /// only the one that writes touches the output.
  private var isDuplex = false
  /// Whether the answer is made while it is written.
  private var isStreaming = false
  /// How long writes have taken, and since when one is under way.
  private var writing = Stopwatch()

  /// A streamed answer broke off. It is an error of its own, so that no error of the producer is
  /// answered in the middle of the stream.
  private struct StreamBroke: Error {}

  /// There is no room for the bytes that would have to be kept while we wait for the client.
  private struct NoRoom: Error {}

  init(_ socket: StreamSocket, server: HTTPServer) {
    self.socket = socket
    self.server = server
    peer = socket.peer
    bodyAllowance = server.timeouts.bodyAllowance
  }

  /// Serves requests until either side ends the connection, or it is parked.
  func serve() async {
    isParked = false
    do {
      while let head = try await nextHead() {
        guard try await answer(head) else { break }
      }
      if !isParked { try await end() }
    } catch let error as ParseError {
      await reject(error)
    } catch {
      // The peer is gone or too slow; there is nobody to tell.
    }
  }

  // MARK: Reading

  /// The next request's head; `nil` when the connection is over between requests, or parked.
  private func nextHead() async throws -> RequestHead? {
    defer { held.release(in: server.memory) }
    var headDeadline: UInt64?
    while true {
      if case .head(let head) = try parser.next() { return head }
      try await flush()
      head = nil
      try hold(parser.keptBytes)
      let isBetween = parser.isBetweenRequests
      if !isBetween, headDeadline == nil {
        headDeadline = server.loop.nanoseconds + server.timeouts.headNanoseconds
      }
      isIdle = isBetween
      let end = idleEnd ?? server.loop.nanoseconds + server.timeouts.idleNanoseconds
      idleEnd = end
      let received = try await receive(
        until: headDeadline ?? end, phase: isBetween ? .idle : .head)
      if isParked { return nil }
      (isIdle, idleEnd) = (false, nil)
      guard received else { return nil }
    }
  }

  /// Feeds the parser with what the socket has.
  /// - Returns: How many bytes; 0 at the end of the stream, `nil` when there is nothing yet.
  private func readAvailable() throws -> Int? {
    let count = try socket.readAvailable { bytes in
      parser.append(bytes)
      return bytes.count
    }
    if count == 0 { isPeerDone = true }
    return count
  }

  /// Feeds the parser with what the socket has, waiting for it if need be.
  /// - Returns: `false` at the end of the stream, when an idle connection has waited enough, or
  ///   when it is parked.
  private func receive(until given: UInt64, phase: HTTPServerEvent.Phase) async throws -> Bool {
    var deadline = given
    let parking =
      phase == .idle ? server.loop.nanoseconds + server.timeouts.parkNanoseconds : .max
    while true {
      if !socket.isDrained, let count = try readAvailable() {
        if phase == .body { bodyAllowance.moved(count) }
        return count > 0
      }
      let isLeaving = phase == .idle && server.isDraining
      let began = phase == .body ? Monotonic.now() : 0
      let written = writing.nanoseconds(at: began)
      let wake = await socket.waitReadable(
        until: isLeaving ? server.graceEnd : min(deadline, parking))
      if phase == .body {
        // A client that has yet to take its answers is not late with its body.
        let excused = writing.nanoseconds(at: Monotonic.now()) - written
        let waited = Monotonic.now() - began
        bodyAllowance.waited(waited - min(excused, waited))
      }
      switch wake {
      case .ready: continue
      // A drain interrupts idle connections. They have its grace until it closes them.
      case .interrupted where phase == .idle && server.isDraining && !socket.isClosed: continue
      case .interrupted: return false
      case .timedOut
      where !isLeaving && parking <= server.loop.nanoseconds
        && server.loop.nanoseconds < deadline:
        if let count = try readAvailable() { return count > 0 }
        park(until: deadline)
        return false
      case .timedOut where phase == .body && !bodyAllowance.isExhausted:
        deadline = Monotonic.now() + bodyAllowance.left
      case .timedOut:
        // A request that arrived in the last moment is answered, too.
        if isLeaving { return try readAvailable() ?? 0 > 0 }
        server.observe(.timedOut(phase))
        if phase == .idle { return false }
        throw ParseError(
          .requestTimeout, "\(phase.rawValue)_timeout",
          "The request's \(phase.rawValue) did not arrive in time.")
      }
    }
  }

  /// Ends the task that serves the connection, and frees the memory that its requests took. When
  /// something comes, the time is over or somebody interrupts, another task goes on.
  private func park(until deadline: UInt64) {
    isParked = true
    output = []
    socket.whenReadable(until: deadline) { [unowned self] in server.serve(self) }
  }

  /// The next piece of the current request's body, `nil` at its end.
  func nextBodyBytes() async throws -> [UInt8]? {
    while true {
      switch try parser.next() {
      case .body(let bytes): return bytes
      case .end: return nil
      case .head, nil: break
      }
      if !isDuplex { try await flush() }
      guard try await receive(until: Monotonic.now() + bodyAllowance.left, phase: .body) else {
        throw ParseError(
          .badRequest, "body_incomplete", "The connection ended before the body was complete.")
      }
    }
  }

  /// A piece of the current request's body that has arrived already.
  /// - Parameter isOver: Set when the body is over.
  func nextArrivedBodyBytes(_ isOver: inout Bool) throws -> [UInt8]? {
    while true {
      switch try parser.next() {
      case .body(let bytes): return bytes
      case .end:
        isOver = true
        return nil
      case .head: return nil
      case nil:
        guard let count = try readAvailable(), count > 0 else { return nil }
        bodyAllowance.moved(count)
      }
    }
  }

  /// Drops the part of the current request's body that has arrived, without waiting.
  /// - Returns: Whether the body is over.
  func skipArrivedBody(upTo limit: Int) -> Bool {
    var rest = limit
    do {
      while rest >= 0 {
        switch try parser.next() {
        case .body(let bytes): rest -= bytes.count
        case .end: return true
        case .head: return false
        case nil: guard let count = try readAvailable(), count > 0 else { return false }
        }
      }
    } catch {
      // The bytes that follow are no request, so this request was the last one.
    }
    return false
  }

  /// Whether more than the current request has arrived.
  private func hasMoreArrived() -> Bool {
    _ = try? readAvailable()
    return !parser.isBetweenRequests
  }

  /// Invites the body of a client that waits for it (RFC 9110 section 10.1.1).
  func sendContinue() {
    ResponseEncoder.continueLine(into: &output)
  }

  // MARK: Answering

  /// Answers one request.
  /// - Returns: Whether the connection goes on.
  private func answer(_ head: RequestHead) async throws -> Bool {
    bodyAllowance = server.timeouts.bodyAllowance
    self.head = head
    let body = ConnectionBody(self, head)
    defer { body.release() }
    let response = await server.handler(head, body, peer)
    // Behind the head of the answer an invitation would come too late.
    if response.readsRequest { body.invite() }
    var isBodyRead = response.readsRequest || body.skipArrived()
    let endsWithStream =
      ResponseEncoder.framing(of: response, version: head.version) == .untilClose
    // A server that stops answers all requests that have arrived, the last with
    // `Connection: close`.
    let keepsAlive =
      head.keepAlive && isBodyRead && !endsWithStream && (!server.isDraining || hasMoreArrived())
    try await write(response, to: head, keepsAlive: keepsAlive)
    // An answer may have ended before the body that it read.
    if response.readsRequest { isBodyRead = body.skipArrived() }
    isPeerDone = isPeerDone || (!head.keepAlive && isBodyRead)
    return keepsAlive && isBodyRead
  }

  private func write(
    _ response: Response, to head: RequestHead, keepsAlive: Bool
  ) async throws {
    let framing = ResponseEncoder.framing(of: response, version: head.version)
    ResponseEncoder.head(
      of: response, framing: framing, date: server.loop.perSecond(HTTPDate.format),
      connection: keepsAlive ? .keepAlive : .close, version: head.version, into: &output)
    if head.method != .head, framing != .none {
      switch response.body {
      case .empty: break
      case .bytes(let bytes) where bytes.count <= Limits.gatheredBodyBytes,
        .fixed(let bytes) where bytes.count <= Limits.gatheredBodyBytes:
        output.append(contentsOf: bytes)
      case .bytes(let bytes): try await flush(bytes)
      case .fixed(let bytes): try await flush(bytes, isFixed: true)
      case .stream(let produce):
        if response.readsRequest {
          isDuplex = true
          bodyAllowance = server.timeouts.duplexAllowance
          // The client may wait for the head before it sends more.
          try await flush()
        }
        isStreaming = true
        defer { (isDuplex, isStreaming) = (false, false) }
        try await stream(produce, isChunked: framing == .chunked)
      }
    }
    if output.count >= Limits.outputBytes { try await flush() }
  }

  private func stream(
    _ produce: @escaping @Sendable (any BodyWriter) async throws -> Void, isChunked: Bool
  ) async throws {
    do {
      try await produce(ConnectionWriter(self, isChunked: isChunked))
    } catch {
      server.observe(.streamAborted)
      if isChunked {
        // Without the last chunk the peer knows that the answer is not whole. It gets the output
        // that there is: answers to earlier requests may be in it.
        if !isBroken { try await flush() }
      } else {
        // The end of the connection would pass for the end of the answer.
        socket.resetOnClose()
      }
      throw StreamBroke()
    }
    if isChunked { ResponseEncoder.lastChunk(into: &output) }
    try await flush()
  }

  /// Gathers a piece of a streamed answer; waits while the peer reads slowly.
  func writeStreamed(_ bytes: [UInt8], isChunked: Bool) async throws {
    if isChunked {
      ResponseEncoder.encodeChunk(bytes, into: &output)
    } else {
      output.append(contentsOf: bytes)
    }
    if isDuplex || output.count >= Limits.outputBytes { try await flush() }
  }

  /// Writes the gathered output, and behind it a body, which is not copied.
  /// - Parameter isFixed: The body is in memory whether or not anybody reads it.
  private func flush(_ body: [UInt8] = [], isFixed: Bool = false) async throws {
    guard !output.isEmpty || !body.isEmpty else { return }
    do {
      let written = try socket.writeAvailable(output, body)
      if written < output.count + body.count {
        try hold(output.count + (isFixed ? 0 : body.count) + parser.keptBytes)
        writing.start(at: Monotonic.now())
        defer {
          writing.stop(at: Monotonic.now())
          held.release(in: server.memory)
        }
        try await socket.write(
          output, body, from: written,
          allowance: isStreaming ? server.timeouts.streamAllowance : server.timeouts.writeAllowance)
      }
    } catch {
      isBroken = true
      // The task that reads the body waits for a peer that is given up.
      if isDuplex { socket.interrupt() }
      if let error = error as? SystemError, error.isTimeout { server.observe(.timedOut(.write)) }
      throw error
    }
    if output.capacity > Limits.keptOutputBytes {
      output = []
    } else {
      output.removeAll(keepingCapacity: true)
    }
  }

  /// Takes room for the bytes that are kept while we wait for the client. Bytes that find no room
  /// must not be kept.
  private func hold(_ bytes: Int) throws {
    guard bytes > Limits.uncountedBytes else { return }
    guard held.set(bytes, in: server.memory, for: customer(of: head)) else {
      server.observe(.connectionGivenUp)
      throw NoRoom()
    }
  }

  /// The customer whose share of the memory for clients a request takes.
  func customer(of head: RequestHead?) -> UInt128? {
    peer.flatMap { server.customer(head, $0) }
  }

  private func reject(_ error: ParseError) async {
    server.observe(.requestRejected(error, from: peer))
    let response = server.rejection(error)
    let framing = ResponseEncoder.framing(of: response, version: .http11)
    ResponseEncoder.head(
      of: response, framing: framing, date: server.loop.perSecond(HTTPDate.format),
      connection: .close, into: &output)
    if case .bytes(let bytes) = response.body { output.append(contentsOf: bytes) }
    try? await end()
  }

  /// Ends our side and lets the peer take the last answer before the connection is closed: closing
  /// at once, with bytes of the peer unread, would make the kernel throw the answer away (RFC 9112
  /// section 9.6).
  private func end() async throws {
    try await flush()
    guard !isPeerDone else { return }
    socket.shutdownWriting()
    let last = Monotonic.now() + server.timeouts.lingerTotalNanoseconds
    var budget = Limits.lingerBytes
    while budget > 0 {
      if let count = try socket.readAvailable({ $0.count }) {
        guard count > 0 else { return }
        budget -= count
      } else {
        let deadline = min(Monotonic.now() + server.timeouts.lingerNanoseconds, last)
        guard await socket.waitReadable(until: deadline) == .ready else { return }
      }
    }
  }
}

extension Connection {
  /// Sends what a streamed answer has gathered.
  func flushStreamed() async throws { try await flush() }
}
