#if canImport(os)
  import os
#endif

extension PostilionEvent {
  /// The event as a line of a log: no token, no secret, no name of a person, no text of a message.
  /// What it names are codes of the HTTP contract, and the domains and codes of system errors.
  public var logLine: String {
    switch self {
    case .registered: "registered"
    case .removed: "removed from the server"
    case .renewed: "the secret was refused, a new installation was made"
    case .userUnproven(let code): "the person was not taken without a good proof: \(code)"
    case .refused(let code): "the server refused a report: \(code)"
    case .waiting(let code): "waiting, then trying again: \(code)"
    }
  }

  /// Whether a developer should look at it: nothing gets better by itself.
  var needsAttention: Bool { level > .info }
}

#if canImport(os)
  extension PostilionEvent {
    /// Writes the event to a log, as an error if a developer should look at it.
    public func log(to logger: Logger) {
      let line = logLine
      if needsAttention {
        logger.error("\(line, privacy: .public)")
      } else {
        logger.info("\(line, privacy: .public)")
      }
    }
  }

  extension AsyncStream<PostilionEvent> {
    /// These events, each of which is written to the log when it is read.
    ///
    /// ```swift
    /// Task { for await _ in Postilion.shared.events.logged() {} }
    /// ```
    ///
    /// - Parameter logger: the log; that of the subsystem `org.postilion.client` unless given.
    public func logged(
      to logger: Logger = Logger(subsystem: "org.postilion.client", category: "registration")
    ) -> AsyncMapSequence<Self, PostilionEvent> {
      map { event in
        event.log(to: logger)
        return event
      }
    }
  }
#endif
