internal import CLibpq
internal import Synchronization

/// One step of the schema: applied once, never edited after its release.
public struct Migration: Sendable {
  /// Its name, `m0001_registry`; steps run in the order of their names.
  public let name: String
  /// Its statements, without `BEGIN` and `COMMIT`. They run in one transaction.
  public let sql: String
  /// Whether `sql` is one statement that runs again and again, in a transaction each time, until it
  /// gives the number 0: so many rows did it change.
  public let isInPortions: Bool
  /// Whether it goes through all rows of a large table at once, so that writers wait.
  public let holdsUpWriters: Bool

  public init(
    name: String, sql: String, isInPortions: Bool = false, holdsUpWriters: Bool = false
  ) {
    self.name = name
    self.sql = sql
    self.isInPortions = isInPortions
    self.holdsUpWriters = holdsUpWriters
  }

  /// Why a program is too old for a schema, in a sentence; `nil` when it is not.
  /// - Parameters:
  ///   - step: The step that a program must know, from the table `least_program`.
  ///   - steps: The names of the steps that this program knows, in order.
  public static func fault(ofLeast step: String, known steps: [String]) -> String? {
    guard let newest = steps.last, newest < step else { return nil }
    return "The schema is for programs that know the step \(step), and this one ends with "
      + "\(newest): install a newer release."
  }
}

/// What happens while steps are applied.
public enum MigrationEvent: Sendable {
  case begins(Migration)
  /// The step cannot go on, as others hold what it needs: `installation, held by 123 (pg_dump)`.
  case waits(Migration, for: String)
  case applied(Migration)
}

/// Ends a migration from outside, as when the program ends: the server breaks off the step that is
/// under way, and nothing of it is left.
public final class MigrationStop: Sendable {
  private struct State {
    var isAsked = false
    /// The address of libpq's `PGcancel`, while a session migrates.
    var session: UInt?
  }
  private let state = Mutex(State())

  /// Nobody has asked yet.
  public init() {}

  /// Whether somebody has asked.
  public var isAsked: Bool { state.withLock { $0.isAsked } }

  /// Asks for the end; returns when the server has heard of it.
  public func ask() {
    state.withLock { state in
      state.isAsked = true
      guard let session = state.session.flatMap({ OpaquePointer(bitPattern: $0) }) else { return }
      var complaint: [CChar] = Array(repeating: 0, count: 256)
      PQcancel(session, &complaint, Int32(complaint.count))
    }
  }

  /// A session migrates; the `PGcancel` is freed when it ends.
  func begins(_ session: OpaquePointer?) {
    let address = session.map { UInt(bitPattern: $0) }
    state.withLock { $0.session = address }
  }

  /// The session migrates no more.
  func ends() {
    state.withLock { state in
      PQfreeCancel(state.session.take().flatMap { OpaquePointer(bitPattern: $0) })
    }
  }
}
