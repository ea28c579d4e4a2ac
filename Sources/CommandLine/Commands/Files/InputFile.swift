internal import Glibc
internal import JSON

/// Files that a command reads.
enum InputFile {
  /// All bytes of a file; of `-` those of standard input.
  /// - Throws: ``Exit`` when there is none, it cannot be read, or it has more bytes than `limit`.
  static func bytes(_ path: String, limit: Int) throws(Exit) -> [UInt8] {
    let descriptor = try opened(path)
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw Exit(ExitCode.transfer, "\(path) cannot be read: \(reason()).")
      }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else {
        throw Exit(ExitCode.data, "\(path) has more than \(limit) bytes.")
      }
    }
  }

  /// A small file of JSON.
  static func json(_ path: String) throws(Exit) -> JSONValue {
    let bytes = try bytes(path, limit: CommandLimits.smallFileBytes)
    guard let value = JSONValue(parsing: bytes) else {
      throw Exit(ExitCode.data, "\(path) is no JSON.")
    }
    return value
  }

  /// A descriptor to read from.
  static func opened(_ path: String) throws(Exit) -> Int32 {
    if path == "-" { return STDIN_FILENO }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno == EACCES ? ExitCode.noPermission : ExitCode.noInput
      throw Exit(code, "\(path) cannot be opened: \(reason()).")
    }
    return descriptor
  }

  /// What the system says about the last call.
  static func reason() -> String { String(cString: strerror(errno)) }
}
