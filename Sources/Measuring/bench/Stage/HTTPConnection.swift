internal import Foundation

/// A blocking keep-alive connection to a service on this machine: enough for setting up, and ten
/// thousand of them cost nothing but their descriptors.
struct HTTPConnection {
  /// An answer.
  struct Answer {
    let status: Int
    let body: String
    /// Head and body.
    let text: String
  }

  /// How long an answer may take, in seconds.
  private static let timeoutSeconds = 20
  /// More is no answer that the bench asks for.
  private static let answerBytes = 1 << 20

  private let socket: Socket

  /// Connects to a port of 127.0.0.1.
  init(port: Int) throws(Fault) {
    socket = try Socket.connect(port: port)
    var timeout = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
    setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
  }

  func close() { socket.close() }

  /// Sends a request and waits for the whole answer.
  func send(
    _ method: String, _ path: String, key: String? = nil, type: String = "application/json",
    body: String = ""
  ) throws(Fault) -> Answer {
    var request = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    if let key { request += "Authorization: Bearer \(key)\r\n" }
    if !body.isEmpty {
      request += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
    }
    request += "\r\n\(body)"
    var bytes = Array(request.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { socket.send($0) }
      guard count > 0 else { throw Fault("\(method) \(path): the connection does not write") }
      bytes = bytes.dropFirst(count)
    }
    return try answer(to: "\(method) \(path)")
  }

  private func answer(to request: String) throws(Fault) -> Answer {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while received.count < Self.answerBytes {
      let count = chunk.withUnsafeMutableBytes { socket.receive(into: $0) }
      guard count > 0 else { throw Fault("\(request): no answer") }
      received += chunk[..<count]
      let text = String(decoding: received, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let lines = text[..<end.lowerBound].split(separator: "\r\n")
      let length =
        lines.first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
      let body = text[end.upperBound...]
      guard body.utf8.count >= length else { continue }
      let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return Answer(status: status, body: String(body), text: text)
    }
    throw Fault("\(request): the answer is too long")
  }
}
