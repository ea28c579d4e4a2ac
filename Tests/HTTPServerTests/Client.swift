import EventLoop
import Glibc

/// A bare client: it sends bytes and reads answers, and knows nothing that a server could hide
/// behind.
final class Client: @unchecked Sendable {
  /// An answer as it came.
  struct Answer: Equatable {
    var status: Int
    /// Names in lower case.
    var fields: [String: String]
    var body: String
  }
  struct Ended: Error {}

  private let socket: StreamSocket
  private let loop: EventLoop
  private var buffer: [UInt8] = []
  /// Reads that brought bytes.
  private(set) var reads = 0

  init(
    _ address: SocketAddress, loop: EventLoop, from number: UInt8 = 1,
    receiveBufferBytes: Int32? = nil
  ) throws {
    self.loop = loop
    let descriptor = Glibc.socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if var bytes = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
    }
    func loopback(_ number: UInt8, _ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = (0x7F00_0000 | UInt32(number)).bigEndian
      return address
    }
    func call(
      _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ address: sockaddr_in
    ) -> Int32 {
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    guard call(bind, loopback(number, 0)) == 0, call(connect, loopback(1, address.port)) == 0
    else {
      let error = SystemError("connect")
      Glibc.close(descriptor)
      throw error
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    socket = try StreamSocket(descriptor, loop: loop)
  }

  func close() { socket.close() }
  func shutdownWriting() { socket.shutdownWriting() }

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async throws {
    try await socket.write(
      bytes, allowance: PeerAllowance(allowanceNanoseconds: 60_000_000_000, bytesPerSecond: 1))
  }

  /// Reads once.
  /// - Returns: `false` at the end of the stream.
  @discardableResult
  func read() async throws -> Bool {
    while true {
      if let count = try socket.readAvailable({
        buffer += $0; return $0.count
      }) {
        if count > 0 { reads += 1 }
        return count > 0
      }
      _ = await socket.waitReadable()
    }
  }

  /// All bytes until the server ends the connection.
  func readToEnd() async throws -> String {
    while try await read() {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Whether the server has ended the connection; waits until it says something.
  func isEnded() async -> Bool {
    if !buffer.isEmpty { return false }
    return (try? await read()) != true
  }

  /// The next answer, whole.
  func answer(toHead isHead: Bool = false) async throws -> Answer {
    let head = try await take(through: "\r\n\r\n").split(separator: "\r\n")
    let status = head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    var fields: [String: String] = [:]
    for line in head.dropFirst() {
      let parts = line.split(separator: ": ", maxSplits: 1)
      fields[parts[0].lowercased()] = parts.count > 1 ? String(parts[1]) : ""
    }
    var answer = Answer(status: status, fields: fields, body: "")
    if isHead || status < 200 || status == 204 || status == 304 { return answer }
    if let length = fields["content-length"].flatMap({ Int($0) }) {
      answer.body = try await take(length)
    } else if fields["transfer-encoding"] == "chunked" {
      while case let piece = try await chunk(), !piece.isEmpty { answer.body += piece }
    } else {
      answer.body = try await readToEnd()
    }
    return answer
  }

  /// The next chunk of an answer; empty for the last.
  func chunk() async throws -> String {
    let line = try await take(through: "\r\n").dropLast(1)
    guard let size = Int(line, radix: 16) else { throw Ended() }
    let text = try await take(size)
    _ = try await take(2)
    return text
  }

  private func take(_ count: Int) async throws -> String {
    while buffer.count < count {
      guard try await read() else { throw Ended() }
    }
    defer { buffer.removeFirst(count) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  private func take(through mark: String) async throws -> String {
    let mark = Array(mark.utf8)
    while true {
      if buffer.count >= mark.count {
        for end in mark.count...buffer.count where buffer[end - mark.count..<end] == mark[...] {
          return try await take(end)
        }
      }
      guard try await read() else { throw Ended() }
    }
  }
}
