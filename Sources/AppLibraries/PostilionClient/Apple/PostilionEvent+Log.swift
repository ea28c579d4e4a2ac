#if canImport(os)
  import os
#endif

extension PostilionEvent {
  /// The event as a line of a log: no token, no secret, no name of a person, no text of a message.
  /// What it names are codes of the HTTP contract, and the domains and codes of system errors.
  public var logLine: String {
    let line =
      switch kind {
      case .removed: "removed from the server"
      case .renewed: "the secret was refused, a new installation was made"
      case .userUnproven: "the person was not taken without a good proof"
      case .refused: "the server refused a report"
      case .leftOut: "the server left out \(pointer ?? "a part") of a report"
      case .waiting: "waiting, then trying again"
      default: kind.rawValue
      }
    return line + (code.map { ": \($0)" } ?? "")
  }

  /// Whether a developer should look at it: nothing gets better by itself.
  var needsAttention: Bool { level > .info }
}

extension PostilionEvent {
  /// Writes the event to the log of the system, below `org.postilion.client`: as an error if a
  /// developer should look at it.
  func log() {
    #if canImport(os)
      let line = logLine
      if needsAttention {
        Self.logger.error("\(line, privacy: .public)")
      } else {
        Self.logger.info("\(line, privacy: .public)")
      }
    #endif
  }

  #if canImport(os)
    private static let logger = Logger(subsystem: "org.postilion.client", category: "registration")
  #endif
}
