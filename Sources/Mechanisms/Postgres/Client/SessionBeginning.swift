internal import Synchronization

/// A command that each session of an address runs before anything else is said over it.
///
/// So there is no session that writes and has not run it, whichever server it leads to, and however
/// it came about.
public struct SessionBeginning: Sendable {
  /// The setting in which the command leaves a word for ``told``, or nothing.
  public static let setting = "postilion.begun"
  let command: @Sendable () -> String
  /// Gets the word.
  let told: @Sendable (String) -> Void

  /// A command, and who is told what it did.
  public init(
    command: @escaping @Sendable () -> String, told: @escaping @Sendable (String) -> Void
  ) {
    self.command = command
    self.told = told
  }
}

/// The newest timeline that sessions of an address have seen of each server that takes changes. A
/// standby that is promoted begins another timeline, with a higher number. So a server with a lower
/// one is a former primary that nobody has fenced: changes that it acknowledges are lost.
///
/// | a session finds | before | then |
/// |---|---|---|
/// | timeline 1 | nothing | it stays |
/// | timeline 2 of the same server | 1 | it stays, and those of timeline 1 are closed |
/// | timeline 1 | 2 | it is closed |
/// | timeline 1 of another server | 2 | it stays: the two cannot be compared |
final class KnownTimelines: Sendable {
  private let newest = Mutex<[String: Int64]>([:])
  /// How often a newer timeline came. As long as the count is the same, no session need look.
  private let changes = Atomic(0)

  /// How often a newer timeline came so far.
  var changeCount: Int { changes.load(ordering: .acquiring) }

  /// Whether a session is of the newest timeline of its server, which it may be the first to see.
  func admit(_ timeline: Timeline) -> Bool {
    newest.withLock { newest in
      let known = newest[timeline.server] ?? timeline.number
      newest[timeline.server] = max(known, timeline.number)
      if timeline.number > known { changes.add(1, ordering: .acquiringAndReleasing) }
      return timeline.number >= known
    }
  }
}

/// Where a server that takes changes stands in the history of its files.
struct Timeline: Equatable {
  /// The identifier that all copies of its files share.
  let server: String
  /// One higher with each promotion.
  let number: Int64

  /// Why a session of an older timeline is closed.
  var outdated: PostgresError {
    PostgresError(
      .disconnected,
      "it is a former primary of timeline \(number), and a newer one was seen: fence it, or, if "
        + "you went back on purpose, restart the service")
  }
}
