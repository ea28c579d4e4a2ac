internal import Content
internal import Postgres
internal import Registry

/// A strong entity tag (RFC 9110, section 8.8.3), opaque to clients. It tells one state of a thing
/// from every other state that the thing had or will have. A thing that is deleted and made anew
/// has other tags. A state that is written after a restore has another tag, too: the numbers are
/// random, or have the time in them.
struct EntityTag: Sendable, Hashable {
  private let numbers: [Int64]

  /// - Parameter numbers: Numbers that no other state has in this order.
  init(_ numbers: Int64...) { self.numbers = numbers }

  /// With its quotation marks, as `ETag` has it.
  var text: String { "\"\(numbers.map { String($0, radix: 36) }.joined(separator: "-"))\"" }
}

extension AppRecord {
  var entityTag: EntityTag { EntityTag(tag) }
}

extension CatalogRecord {
  var entityTag: EntityTag { EntityTag(tag) }
}

extension MessageRecord {
  var entityTag: EntityTag { EntityTag(tag) }
}

extension ChannelRecord {
  var entityTag: EntityTag { EntityTag(tag) }
}

extension Installation {
  /// An earlier installation with the same id has other tags (``firstRevision(_:)``). A state that
  /// is written after a restore of the database has another tag, too: the database gives the same
  /// revisions again, but at another time. A report that changes nothing changes the tag once a
  /// day, because answers also show `last_seen_at`.
  var entityTag: EntityTag {
    EntityTag(
      createdAt.microseconds, revision, updatedAt.microseconds &- createdAt.microseconds,
      lastSeenAt.microseconds &- createdAt.microseconds)
  }
}
