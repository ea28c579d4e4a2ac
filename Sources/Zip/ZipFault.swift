/// Why an archive, or an entry of it, is not read.
public struct ZipFault: Error, Sendable, Hashable {
  /// What is wrong.
  public enum Reason: Sendable, Hashable {
    /// The bytes are no archive, or contradict themselves.
    case malformed
    /// It is one of a kind that is not read: encrypted, ZIP64, in several parts, or compressed by
    /// another method than "stored" and "deflated".
    case unsupported
    /// There is more in it than the caller takes.
    case tooLarge
  }

  /// What is wrong.
  public let reason: Reason
  /// One English sentence.
  public let message: String

  init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
