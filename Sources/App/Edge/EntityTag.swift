internal import Content
internal import Postgres
internal import Registry

/// What tells one state of a thing from every other it had or will have: a strong entity tag (RFC
/// 9110, section 8.8.3), opaque to clients. One that is deleted and made anew has other tags, and
/// so has what is written after a restore: its numbers are random, or have the time in them.
struct EntityTag: Sendable, Hashable {
  private let numbers: [Int64]

  /// - Parameter numbers: What no other state has, in this order.
  init(_ numbers: Int64...) { self.numbers = numbers }

  /// With its quotation marks, as `ETag` has it.
  var text: String { "\"\(numbers.map { String($0, radix: 36) }.joined(separator: "-"))\"" }
}

extension AppRecord {
  /// What tells the state from others.
  var entityTag: EntityTag { EntityTag(tag) }
}

extension CatalogRecord {
  /// What tells the state from others.
  var entityTag: EntityTag { EntityTag(tag) }
}

extension MessageRecord {
  /// What tells the state from others.
  var entityTag: EntityTag { EntityTag(tag) }
}

extension ChannelRecord {
  /// What tells the state from others.
  var entityTag: EntityTag { EntityTag(tag) }
}

extension Installation {
  /// What tells the state from others. An installation that had the id before has other tags
  /// (``firstRevision(_:)``), and so has what is written after a restore of the database, which
  /// gives the same revisions again at another time. A report that changes nothing changes the tag
  /// once a day, as `last_seen_at` is shown, too.
  var entityTag: EntityTag {
    EntityTag(
      createdAt.microseconds, revision, updatedAt.microseconds &- createdAt.microseconds,
      lastSeenAt.microseconds &- createdAt.microseconds)
  }
}
