internal import Glibc

/// One HTTP/1.1 connection with blocking calls: what it sends and receives are bytes, so that a
/// test can also send what no client library would.
public final class Wire {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// The connection ended, or did not come about, or kept silent.
  public struct Broken: Error, CustomStringConvertible {
    /// The call that failed.
    public let description: String
  }

  /// Connects to a port of the loopback interface.
  /// - Parameter seconds: How long an answer may take: on a busy machine a call that is decided
  ///   many times takes minutes.
  public init(port: UInt16, seconds: Int = 300) throws(Broken) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var timeout = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Broken(description: "connect: \(errno)") }
  }

  deinit { close(descriptor) }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) throws(Broken) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // A server that has refused the rest of a body has answered already.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads one answer.
  public func receive() throws(Broken) -> Reply {
    var reply = try receiveHead()
    if let length = reply["content-length"].flatMap({ Int($0) }) {
      reply.body = try read(length)
    } else if reply["transfer-encoding"] == "chunked" {
      reply.body = try readChunks()
    }
    return reply
  }

  /// Reads one answer that has no body, as to `HEAD`.
  public func receiveHead() throws(Broken) -> Reply {
    var head: [String]
    repeat { head = try readHead() } while head.first?.contains(" 100 ") == true
    let status = head.first.flatMap { $0.split(separator: " ").dropFirst().first }
    let fields = head.dropFirst().compactMap { line -> (String, String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return (String(line[..<colon]), String(value))
    }
    return Reply(status: status.flatMap { Int($0) } ?? 0, fields: fields, body: [])
  }

  /// Reads the next chunk of an answer; `nil` at its end.
  public func receiveChunk() throws(Broken) -> [UInt8]? {
    let chunk = try read(Int(try readLine(), radix: 16) ?? 0)
    _ = try readLine()
    return chunk.isEmpty ? nil : chunk
  }

  /// Reads so many bytes of what comes, and drops them.
  public func skip(_ count: Int) throws(Broken) {
    var rest = count
    while rest > 0 {
      if buffer.isEmpty { try readMore() }
      let taken = min(rest, buffer.count)
      buffer.removeFirst(taken)
      rest -= taken
    }
  }

  /// Reads what still comes until the server ends the connection, as it is on the wire.
  public func receiveRest() -> [UInt8] {
    while (try? readMore()) != nil {}
    return buffer
  }

  /// Reads an interim answer: the server waits for the body now.
  public func awaitContinue() throws(Broken) {
    let head = try readHead()
    guard head.first?.contains(" 100 ") == true else {
      throw Broken(description: head.first ?? "an empty head")
    }
  }

  private func readHead() throws(Broken) -> [String] {
    var lines: [String] = []
    while true {
      let line = try readLine()
      if line.isEmpty { return lines }
      lines.append(line)
    }
  }

  private func readLine() throws(Broken) -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[..<end]
        buffer.removeFirst(end + 1)
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
      }
      try readMore()
    }
  }

  private func readChunks() throws(Broken) -> [UInt8] {
    var body: [UInt8] = []
    while let chunk = try receiveChunk() { body += chunk }
    return body
  }

  private func read(_ count: Int) throws(Broken) -> [UInt8] {
    while buffer.count < count { try readMore() }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  private func readMore() throws(Broken) {
    var piece = [UInt8](repeating: 0, count: 65_536)
    var count: Int
    // A wait that has an end is not begun again by the kernel when the process was stopped.
    repeat { count = recv(descriptor, &piece, piece.count, 0) } while count < 0 && errno == EINTR
    guard count > 0 else {
      throw Broken(description: count == 0 ? "the server closed" : "recv: \(errno)")
    }
    buffer += piece.prefix(count)
  }
}
