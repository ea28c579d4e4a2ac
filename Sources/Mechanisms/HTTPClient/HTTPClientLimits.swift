/// The bounds of a call, each with its reason.
public enum HTTPClientLimits {
  /// Seconds until there is a connection: a host that is up answers within one, a far one whose
  /// packets are lost within a few.
  public static let connectSeconds = 15
  /// Seconds without a byte: some answers are counted for minutes before they begin.
  public static let idleSeconds = 300
  /// Bytes of the fields of an answer; libcurl's own bound is 300 kB.
  static let headBytes = 65_536
  /// Bytes that libcurl reads and hands on at a time.
  static let pieceBytes = 65_536
  /// Bytes of the body of an answer that is not looked at; an answer that has more is broken off.
  static let ignoredBodyBytes = 65_536
  /// Milliseconds until a thread without work looks around; it is woken when there is work.
  static let idleMilliseconds: Int32 = 10_000
}
