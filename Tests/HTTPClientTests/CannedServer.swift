import Foundation
import Glibc
import Synchronization

/// A server that takes one connection after the other, reads a request until it has seen a mark,
/// and answers with bytes that were made before.
final class CannedServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let seen = Mutex<[String]>([])

  /// - Parameter answers: For each connection when its answer is due, and the answer.
  init(_ answers: [(after: String, bytes: String)]) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(listener, $0, length)
        listen(listener, 8)
        getsockname(listener, $0, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    Thread.detachNewThread { [self] in
      for answer in answers { serve(answer.after, answer.bytes) }
    }
  }

  deinit { close(listener) }

  /// What came on each connection until its answer was due.
  var requests: [String] { seen.withLock { $0 } }

  private func serve(_ mark: String, _ answer: String) {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    var request = ""
    var piece = [UInt8](repeating: 0, count: 65_536)
    while !request.contains(mark) {
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { break }
      request += String(decoding: piece[..<count], as: UTF8.self)
    }
    seen.withLock { $0.append(request) }
    _ = Array(answer.utf8).withUnsafeBytes {
      send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    close(connection)
  }
}
