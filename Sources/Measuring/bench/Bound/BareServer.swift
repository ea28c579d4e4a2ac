internal import Glibc

/// The physical bound of a service over HTTP: epoll, `recv`, `send`, and where the row has a
/// database, libpq's pipeline.
///
/// It is as bare as a program can be that takes the same load: one thread, no routing, no keys, no
/// validation, no JSON, and an answer that is always the same bytes. It uses nothing of the
/// product's own event loop, HTTP server and PostgreSQL client: a bound that was made of them would
/// hide what they cost. What is left is what the kernel, libpq and PostgreSQL take for this work on
/// this machine, and nobody who writes to a socket and a database for each request avoids it.
///
/// Requests that wait together are one statement, as a batch is what makes a database fast.
struct BareServer {
  private struct Connection {
    let socket: Socket
    /// What arrived of a request so far, in pieces.
    var received: [UInt8] = []
  }

  private static let pieceBytes = 64 * 1024
  private static let listenerKey = -1

  private let listener: Socket
  /// The answer to everything.
  private let answer: [UInt8]
  private var poller: Poller
  /// By key; descriptors are small numbers.
  private var connections: [Int: Connection] = [:]
  private var databases: [BareDatabase] = []
  /// What the next statement is about, and who is answered then.
  private var batch = BareBatch()

  /// - Parameter databases: Connections that run statements; without any, all is answered at once.
  init(answer: [UInt8], databases: [BareDatabase]) throws(Fault) {
    self.answer = answer
    self.databases = databases
    poller = try Poller()
    let (socket, port) = try Socket.listen()
    listener = socket
    try poller.add(listener.descriptor, key: Self.listenerKey)
    for (index, database) in databases.enumerated() {
      try poller.add(database.descriptor, key: Self.listenerKey - 1 - index)
    }
    say("bound \(port)")
  }

  /// Serves until the process is stopped.
  mutating func serve() throws(Fault) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
    defer { piece.deallocate() }
    var ready: [Int] = []
    while true {
      ready.removeAll(keepingCapacity: true)
      try poller.wait { ready.append($0) }
      for key in ready {
        if key >= 0 {
          try receive(key, piece)
        } else if key == Self.listenerKey {
          try accept()
        } else {
          for key in try databases[Self.listenerKey - 1 - key].finished() { answer(key) }
        }
      }
      for index in databases.indices where !batch.isEmpty && !databases[index].isBusy {
        try databases[index].run(batch)
        batch = BareBatch()
      }
    }
  }

  private mutating func accept() throws(Fault) {
    while let socket = listener.accept() {
      let key = Int(socket.descriptor)
      connections[key] = Connection(socket: socket)
      try poller.add(socket.descriptor, key: key)
    }
  }

  private mutating func receive(
    _ key: Int, _ piece: UnsafeMutableRawBufferPointer
  ) throws(Fault) {
    guard let socket = connections[key]?.socket else { return }
    let count = socket.receive(into: piece)
    guard count > 0 else {
      connections[key] = nil
      poller.remove(socket.descriptor)
      socket.close()
      return
    }
    let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
    let isFirst = connections[key]?.received.isEmpty ?? true
    // Nearly always one piece is the request.
    if isFirst, bytes.messageLength == count {
      take(bytes, from: key)
      return
    }
    connections[key]?.received += bytes
    let received = connections[key]?.received ?? []
    received.withUnsafeBytes { bytes in
      guard bytes.messageLength == bytes.count else { return }
      connections[key]?.received = []
      take(bytes, from: key)
    }
  }

  private mutating func take(_ request: UnsafeRawBufferPointer, from key: Int) {
    if databases.isEmpty {
      answer(key)
    } else {
      batch.add(request, from: key)
    }
  }

  private func answer(_ key: Int) {
    guard let socket = connections[key]?.socket else { return }
    _ = answer.withUnsafeBytes { socket.send($0) }
  }
}
