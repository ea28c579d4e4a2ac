import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An HTTP server of this process, on a free port of 127.0.0.1, which answers each connection once.
final class LoopbackServer: Sendable {
  let port: UInt16
  private let listener: Int32

  /// Starts it.
  /// - Parameter answer: the whole answer to a path, status line and all; nil never answers.
  init(answer: @escaping @Sendable (_ path: String) -> Data?) throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard listener >= 0, isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        Self.serve(connection, answer)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// The address of a path.
  func url(_ path: String) throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    return url
  }

  private static func serve(_ connection: Int32, _ answer: (String) -> Data?) {
    var request: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { break }
      request += buffer.prefix(count)
    }
    let words = String(decoding: request, as: UTF8.self).split(separator: " ")
    // Without an answer the connection stays open, and ends with the process.
    guard words.count > 1, let answer = answer(String(words[1])) else { return }
    #if canImport(Darwin)
      let flags: Int32 = 0
      signal(SIGPIPE, SIG_IGN)
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    answer.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = send(
          connection, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
        if count <= 0 { break }
        sent += count
      }
    }
    close(connection)
  }
}
