public import EventLoop
public import HTTP

/// What happens on the wire; logs and metrics are readers of it.
public enum HTTPServerEvent: Sendable {
  case connectionOpened
  /// A connection ended, for whatever reason.
  case connectionClosed
  /// Bytes came that are no request we take; answered and closed. The peer may be a proxy.
  case requestRejected(ParseError, from: IPAddress?)
  /// A peer was too slow.
  case timedOut(Phase)
  /// A body found no room in the memory for clients.
  case bodyTurnedAway
  /// A connection would have held more than there was room for, and was given up.
  case connectionGivenUp
  /// A streamed answer broke off: the peer left, or its source failed.
  case streamAborted

  /// What the peer was late with.
  public enum Phase: String, Sendable { case head, body, idle, write }
}

/// HTTP/1.1 on one loop: accepts, parses, calls the handler, writes what it answers.
public final class HTTPServer: @unchecked Sendable {
  /// Answers one request of a peer. It never throws: errors have become answers before they come
  /// here.
  public typealias Handler = (RequestHead, any BodyReader, IPAddress?) async -> Response
  /// Gives the customer for whom bytes are held, by the request and the peer; by the peer alone as
  /// long as its request has no head yet. `nil` when the customer has no bound of its own.
  public typealias Customer = (RequestHead?, IPAddress) -> UInt128?

  let loop: EventLoop
  let timeouts: ServerTimeouts
  let observe: @Sendable (HTTPServerEvent) -> Void
  let handler: Handler
  let rejection: (ParseError) -> Response
  let memory: ClientMemory
  let customer: Customer
  private var listener: Listener?
  private var connections: [ObjectIdentifier: Connection] = [:]
  /// The most connections since their memory was given back to the system.
  private var peak = 0
  /// Gives freed memory back to the system, without holding up the caller; tests count the calls.
  var trim: () -> Void = SystemMemory.trimApart
  private var drained: [UnsafeContinuation<Void, Never>] = []
  /// The most connections; tests lower it.
  var connectionLimit: Int
  /// Connections that nobody serves until something comes.
  var parkedConnections: Int { connections.values.count(where: \.isParked) }
  private(set) var isDraining = false
  /// Until when requests may still begin on idle connections; only while draining.
  private(set) var graceEnd: UInt64 = 0

  /// A server of a loop.
  /// - Parameters:
  ///   - connections: Clients that it takes at a time; others wait in the kernel's backlog.
  ///   - memory: The memory for clients that it shares with others.
  ///   - customer: The customer whose share of the memory a client takes.
  ///   - observe: Told what happens on the wire.
  ///   - rejection: The answer to bytes that are no request.
  ///   - handler: The answer to a request.
  public init(
    loop: EventLoop, timeouts: ServerTimeouts = ServerTimeouts(), connections: Int = .max,
    memory: ClientMemory = ClientMemory(), customer: @escaping Customer = { _, _ in nil },
    observe: @escaping @Sendable (HTTPServerEvent) -> Void = { _ in },
    rejection: @escaping (ParseError) -> Response, handler: @escaping Handler
  ) {
    self.loop = loop
    self.timeouts = timeouts
    self.memory = memory
    self.customer = customer
    connectionLimit = min(connections, Limits.connections)
    self.observe = observe
    self.rejection = rejection
    self.handler = handler
  }

  /// Listens and begins to accept, until ``drain()``; on the loop.
  public func listen(on address: TakenAddress) throws(SystemError) {
    let listener = try Listener(address, loop: loop) { [self] descriptor in
      accept(descriptor)
    }
    do throws(SystemError) {
      try listener.start()
    } catch {
      listener.close()
      throw error
    }
    self.listener = listener
  }

  private func accept(_ descriptor: Int32) {
    guard let socket = try? StreamSocket(descriptor, loop: loop) else { return }
    let connection = Connection(socket, server: self)
    connections[ObjectIdentifier(connection)] = connection
    peak = max(peak, connections.count)
    if connections.count >= connectionLimit { listener?.setPaused(true) }
    observe(.connectionOpened)
    serve(connection)
  }

  /// Serves a connection that is new or was parked. Its task is cancelled when the client ends its
  /// side, so that long work stops. Like proxies, we take such a client to be gone, although a
  /// client that only sends no more would be entitled to the answer.
  func serve(_ connection: Connection) {
    let task = loop.execute { [self] in
      await connection.serve()
      if !connection.isParked { finish(connection) }
    }
    connection.socket.whenPeerEnds(task.cancel)
  }

  private func finish(_ connection: Connection) {
    connection.socket.close()
    connections[ObjectIdentifier(connection)] = nil
    observe(.connectionClosed)
    if isDraining, connections.isEmpty { endDrain() }
    if connections.count < connectionLimit { listener?.setPaused(false) }
    guard peak >= Limits.trimmedConnections, connections.count < peak / 4 else { return }
    peak = connections.count
    trim()
  }

  /// Stops accepting, answers requests that are under way or arrive within the grace, and returns
  /// when all connections are closed or the drain timeout has passed. A connection ends with our
  /// end of the stream and then its client's, so that no answer is lost, and no request unread.
  public func drain() async {
    if !isDraining { graceEnd = Monotonic.now() + timeouts.graceNanoseconds }
    isDraining = true
    listener?.acceptWaiting()
    listener?.close()
    listener = nil
    for connection in connections.values where connection.isIdle { connection.socket.interrupt() }
    guard !connections.isEmpty else { return }
    loop.execute { [self] in
      await loop.sleep(nanoseconds: timeouts.drainNanoseconds)
      for connection in connections.values { connection.socket.close() }
      endDrain()
    }
    await withUnsafeContinuation { drained.append($0) }
  }

  private func endDrain() {
    for continuation in drained { continuation.resume() }
    drained = []
  }
}
