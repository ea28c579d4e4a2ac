internal import Foundation
internal import Glibc

/// Where a command writes: results to standard output, everything else to standard error.
public struct Terminal: Sendable {
  /// Whether a person reads standard output.
  public var isOutputTerminal: Bool
  /// Whether a person reads standard error.
  public var isErrorTerminal: Bool
  /// Whether colours are wanted, where a terminal shows them.
  public var allowsColour: Bool

  /// The real ones. Colours are off with `NO_COLOR` (no-color.org), and where `TERM` is `dumb`.
  public init(environment: [String: String]) {
    isOutputTerminal = isatty(STDOUT_FILENO) == 1
    isErrorTerminal = isatty(STDERR_FILENO) == 1
    allowsColour = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// A way to set off a text.
  enum Style: String {
    case bold = "1"
    case red = "1;31"
    case yellow = "1;33"
  }

  /// The text in a style, when it goes to standard error on a terminal.
  func onError(_ text: String, _ style: Style) -> String {
    isErrorTerminal && allowsColour ? styled(text, style) : text
  }

  private func styled(_ text: String, _ style: Style) -> String {
    "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// Writes bytes to standard output.
  func write(_ bytes: some Sequence<UInt8>) throws(Exit) {
    try Self.write(Array(bytes), to: STDOUT_FILENO)
  }

  /// Writes a line to standard output.
  func say(_ line: String) throws(Exit) { try write((line + "\n").utf8) }

  /// Writes a line to standard error; nothing is the matter when nobody reads it.
  public func tell(_ line: String) {
    try? Self.write(Array((line + "\n").utf8), to: STDERR_FILENO)
  }

  /// Writes a warning to standard error.
  func warn(_ line: String) { tell("\(onError("warning:", .yellow)) \(line)") }

  /// Writes a line to standard error in place of the one that was drawn last.
  func draw(_ line: String) {
    try? Self.write(Array("\r\u{1B}[K\(line)".utf8), to: STDERR_FILENO)
  }

  /// Writes bytes to a descriptor, all of them.
  /// - Throws: The end of the command: 74, or 141 when nobody reads any more.
  public static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Exit) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent)
      }
      if count > 0 {
        sent += count
      } else if errno == EPIPE {
        // The reader has what it wanted, as `head` has: the end that SIGPIPE gives other programs.
        throw Exit(code: 128 + SIGPIPE, line: "")
      } else if errno != EINTR {
        throw Exit(ExitCode.transfer, "The output cannot be written: \(InputFile.reason()).")
      }
    }
  }
}
