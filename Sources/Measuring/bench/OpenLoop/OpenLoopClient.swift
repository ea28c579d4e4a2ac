internal import Glibc

/// Sends requests when they are due and not when the server is ready for them, as devices do: one
/// that is late does not hold up those behind it.
///
/// Latency counts from the time at which a request was due, so that the time in which it had to
/// wait for a connection is part of it (Gil Tene, "coordinated omission"; wrk2). How much later
/// than due the client itself was is told beside it: with a lag of the size of the latencies the
/// client would have measured itself.
struct OpenLoopClient {
  /// What a run measured, in nanoseconds.
  struct Result {
    var latencies: [Int] = []
    /// Of requests for which a connection was free.
    var lags: [Int] = []
    var nanoseconds = 0
  }

  private struct Connection {
    let socket: Socket
    /// What arrived of an answer so far, in pieces.
    var received: [UInt8] = []
    /// The request under way.
    var arrival = 0
  }

  /// As many as wrk has.
  private static let connectionCount = Wrk.connections
  private static let pieceBytes = 64 * 1024
  /// Without an answer for so long the run has failed, in nanoseconds.
  private static let patience = 20_000_000_000

  private let arrivals: Arrivals
  private var poller: Poller
  private var connections: [Connection] = []
  /// Connections without a request under way, the one that waits longest first.
  private var free: [Int] = []
  private var result = Result()

  init(port: Int, _ arrivals: Arrivals) throws(Fault) {
    self.arrivals = arrivals
    poller = try Poller()
    for index in 0..<Self.connectionCount {
      let socket = try Socket.connect(port: port)
      socket.doNotDelay()
      socket.doNotBlock()
      try poller.add(socket.descriptor, key: index)
      connections.append(Connection(socket: socket))
      free.append(index)
    }
    result.latencies.reserveCapacity(arrivals.count)
    result.lags.reserveCapacity(arrivals.count)
  }

  /// Runs to the last answer.
  mutating func run() throws(Fault) -> Result {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
    defer { piece.deallocate() }
    let start = nanoseconds()
    var next = 0
    var ready: [Int] = []
    while result.latencies.count < arrivals.count {
      var wait = Self.patience
      while next < arrivals.count, !free.isEmpty {
        let late = nanoseconds() - start - arrivals.due(next)
        guard late >= 0 else {
          wait = -late
          break
        }
        // Without a connection for those before, the lateness is the server's.
        if free.count > 1 { result.lags.append(late) }
        try send(next, on: free.removeFirst())
        next += 1
      }
      ready.removeAll(keepingCapacity: true)
      try poller.wait(nanoseconds: wait) { ready.append($0) }
      if ready.isEmpty, wait == Self.patience { throw Fault("no answer for 20 s") }
      for index in ready where try receive(index, piece) {
        result.latencies.append(
          nanoseconds() - start - arrivals.due(connections[index].arrival))
        free.append(index)
      }
    }
    result.nanoseconds = nanoseconds() - start
    return result
  }

  private mutating func send(_ arrival: Int, on index: Int) throws(Fault) {
    connections[index].arrival = arrival
    let socket = connections[index].socket
    let isSent = arrivals.withRequest(arrival) { socket.send($0) == $0.count }
    guard isSent else { throw Fault("a request of 1 kB was not sent at once") }
  }

  /// Takes what has arrived.
  /// - Returns: Whether the answer is complete.
  private mutating func receive(
    _ index: Int, _ piece: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Bool {
    let count = connections[index].socket.receive(into: piece)
    guard count > 0 else { throw Fault("a connection was closed") }
    let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
    // Nearly always one piece is the answer.
    if connections[index].received.isEmpty, bytes.messageLength == count {
      try check(bytes)
      return true
    }
    connections[index].received += bytes
    let received = connections[index].received
    guard let length = received.withUnsafeBytes({ $0.messageLength }), received.count >= length
    else { return false }
    guard received.count == length else { throw Fault("an answer is followed by something") }
    connections[index].received = []
    try received.withUnsafeBufferPointer { (bytes) throws(Fault) in
      try check(UnsafeRawBufferPointer(bytes))
    }
    return true
  }

  /// An answer that is no success is a fault.
  private func check(_ answer: UnsafeRawBufferPointer) throws(Fault) {
    // "HTTP/1.1 200"
    guard answer.count > 12, answer[9] == UInt8(ascii: "2") else {
      throw Fault("an answer is \(String(decoding: answer.prefix(200), as: UTF8.self))")
    }
  }

  private func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
