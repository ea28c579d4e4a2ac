internal import Glibc

/// A file that holds one secret and nothing else, such as `/run/secrets/root_key`, or `/dev/stdin`.
public enum SecretFile {
  /// The fault of a file, as the rest of a sentence about the file.
  public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Such as `cannot be opened: Permission denied`.
    public let description: String
  }

  /// Reads a file without the white space around the secret; a pipe is read to its end.
  public static func contents(_ path: String) throws(Fault) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed("opened") }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Limits.secretFileBytes + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes[count...].withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress, $0.count)
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw failed("read") }
      if more == 0 { break }
      count += more
    }
    guard count <= Limits.secretFileBytes else {
      throw Fault(description: "is larger than \(Limits.secretFileBytes) bytes")
    }
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let text = bytes[..<count].drop(while: isSpace)
    let end = text.lastIndex { !isSpace($0) }
    guard let end else { throw Fault(description: "is empty") }
    return String(decoding: text[...end], as: UTF8.self)
  }

  private static func failed(_ action: String) -> Fault {
    Fault(description: "cannot be \(action): \(String(cString: strerror(errno)))")
  }
}
