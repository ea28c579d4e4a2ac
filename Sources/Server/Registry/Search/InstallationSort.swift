internal import DeviceProfile
internal import FoundationEssentials
package import Postgres

/// An order of installations: by a key, and by id where the key is the same.
package struct InstallationSort: Sendable, Hashable {
  /// The key by which it sorts; the names are those of the contract.
  package enum Key: String, Sendable, CaseIterable {
    case createdAt = "created_at"
    case lastSeenAt = "last_seen_at"
    /// The latest change, calls that brought nothing new aside.
    case updatedAt = "updated_at"
    /// The latest registration of its credentials; without any, 1970.
    case registeredAt = "registered_at"
    case id = "installation_id"
  }
  package var key = Key.createdAt
  var isDescending = false

  /// Oldest first.
  package static let standard = Self()
  /// Every order there is.
  package static let all = Key.allCases.flatMap {
    [Self(key: $0), Self(key: $0, isDescending: true)]
  }

  /// As the contract spells it: `-last_seen_at` is the latest first.
  package var text: String { (isDescending ? "-" : "") + key.rawValue }

  /// Whether an installation stands in front of another one, as the database compares them.
  func isInFront(_ one: Installation, of other: Installation) -> Bool {
    let (place, otherPlace) = (position(of: one).place, position(of: other).place)
    let (first, second) = isDescending ? (otherPlace, place) : (place, otherPlace)
    if key != .id, first.time != second.time { return first.time < second.time }
    return withUnsafeBytes(of: first.id.uuid) { bytes in
      withUnsafeBytes(of: second.id.uuid) { bytes.lexicographicallyPrecedes($0) }
    }
  }

  /// Where an installation stands in this order.
  package func position(of installation: Installation) -> InstallationPosition {
    let time =
      switch key {
      case .createdAt, .id: installation.createdAt
      case .lastSeenAt: installation.lastSeenAt
      case .updatedAt: installation.updatedAt
      case .registeredAt: installation.registeredAt ?? TimeCursor.start.time
      }
    return InstallationPosition(
      sort: text, place: TimeCursor(time: time, id: installation.id.uuid))
  }
}

extension InstallationSort {
  /// Reads the spelling of the contract.
  package init?(_ text: String) {
    guard let sort = Self.all.first(where: { $0.text == text }) else { return nil }
    self = sort
  }
}

extension InstallationSort.Key {
  /// Whether it is a time. The index over a time also has the others, and answers filters on them.
  var isTime: Bool { self != .id }

  /// The key as the index over it spells it.
  package var sql: String {
    switch self {
    case .createdAt: "created_at"
    case .lastSeenAt: "last_seen_at"
    case .updatedAt: "updated_at"
    case .registeredAt: "coalesce(greatest(apns_registered_at, voip_registered_at), 'epoch')"
    case .id: "installation_id"
    }
  }
}

/// Where a page of installations ended: good for the same order only.
package struct InstallationPosition: Hashable, Sendable, Codable {
  /// The spelling of the order.
  package var sort: String
  /// Its key, and the id.
  package var place: TimeCursor
}

extension Installation {
  /// When the latest of its credentials with columns was registered.
  package var registeredAt: Timestamp? {
    credentials.filter(\.place.kind.hasColumns).map(\.value.registeredAt).max()
  }
}
