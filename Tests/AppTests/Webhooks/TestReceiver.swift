import AppTesting
import Foundation
import Glibc
import Synchronization

/// A receiver of deliveries on a port of the loopback interface: it writes down what comes, and
/// answers as it is told.
final class TestReceiver: Sendable {
  /// What came.
  struct Received: Sendable {
    var path: String
    /// Names in small letters.
    var fields: [String: String]
    var body: String

    var id: String { fields["webhook-id"] ?? "" }
    var json: JSON { JSON(parsing: Array(body.utf8)) }
    var type: String { json["type"].string ?? "" }
    var installation: String { json["data"]["installation_id"].string ?? "" }
  }

  /// An answer: a status and further fields; `nil` never answers.
  typealias Answer = (status: Int, fields: [String])?

  let port: UInt16
  private let listener: Int32
  private let received = Mutex<[Received]>([])
  private let answer: Mutex<@Sendable (Received) -> Answer>

  init(_ answer: @escaping @Sendable (Received) -> Answer = { _ in (204, []) }) {
    self.answer = Mutex(answer)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(listener, $0, length)
        listen(listener, 64)
        getsockname(listener, $0, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread { [weak self] in
          while let request = Self.read(connection), let self {
            guard self.serve(request, connection) else { break }
          }
          close(connection)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Where it listens.
  func url(_ path: String = "/hook") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// All that came so far.
  var all: [Received] { received.withLock { $0 } }

  /// Answers in another way from now on.
  func answers(_ new: @escaping @Sendable (Received) -> Answer) { answer.withLock { $0 = new } }

  private func serve(_ request: Received, _ connection: Int32) -> Bool {
    let answer = answer.withLock { $0 }
    received.withLock { $0.append(request) }
    guard let (status, fields) = answer(request) else {
      // The other end gives up at some time.
      var byte: UInt8 = 0
      return recv(connection, &byte, 1, 0) > 0
    }
    var head = "HTTP/1.1 \(status) Answer\r\n"
    for field in fields { head += field + "\r\n" }
    if status != 204 { head += "Content-Length: 0\r\n" }
    let bytes = Array((head + "\r\n").utf8)
    return send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  private static func read(_ connection: Int32) -> Received? {
    var text = ""
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let end = text.range(of: "\r\n\r\n") {
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1)
          guard parts.count == 2 else { continue }
          fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let body = String(text[end.upperBound...])
        if body.utf8.count >= Int(fields["content-length"] ?? "0") ?? 0 {
          let words = lines[0].split(separator: " ")
          return Received(
            path: words.count > 1 ? String(words[1]) : "", fields: fields, body: body)
        }
      }
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      text += String(decoding: piece[..<count], as: UTF8.self)
    }
  }
}
