internal import FoundationEssentials
internal import Postgres
internal import Registry
internal import Synchronization

/// When each key was used last, as far as this instance saw it. A call only notes the time in
/// memory; each instance writes it beside the key at most once an hour.
final class KeyUses: Sendable {
  private struct Use {
    var last: Timestamp
    /// The use that was written last; `nil` as long as this instance has written none.
    var written: Timestamp?

    /// Whether the use is to be written.
    var isDue: Bool {
      written.map { last.microseconds(since: $0).magnitude >= Limits.keyUseMicroseconds } ?? true
    }
  }
  private let uses = Mutex<[UUID: Use]>([:])

  /// A call has come with a key.
  func note(_ key: UUID, at time: Timestamp) {
    uses.withLock { $0[key, default: Use(last: time)].last = time }
  }

  /// The uses that are to be written.
  var due: [(key: UUID, at: Timestamp)] {
    uses.withLock { uses in uses.filter { $0.value.isDue }.map { ($0.key, $0.value.last) } }
  }

  /// Notes that these uses were written.
  /// - Parameter keys: The keys in use; uses of other keys are forgotten.
  func wrote(_ written: [(key: UUID, at: Timestamp)], among keys: Set<UUID>) {
    uses.withLock { uses in
      for use in written { uses[use.key]?.written = use.at }
      uses = uses.filter { keys.contains($0.key) }
    }
  }
}

/// Writes when keys were used last, unless another instance has written a later use.
struct WriteKeyUses: Statement {
  static let sql = """
    UPDATE api_key SET last_used_at = used.at
    FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at)
    WHERE api_key.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)
    """
  let uses: [(key: UUID, at: Timestamp)]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: uses.map(\.key))
    parameters.append(column: uses.map(\.at))
  }
}
