package import ASCII
package import DeviceProfile

/// Where a credential stands in an installation: its kind, and the names between the kind and its
/// token.
///
///     apns, []
///     live_activities, ["A7C1"]            the activity
///     controls, ["LightHandler", "porch"]  the handler's type and the control
package struct CredentialPlace: Hashable, Sendable, Comparable {
  package var kind: CredentialKind
  /// ``CredentialKind/nameCount`` of them.
  @Spelled package var names: [String]

  package init(_ kind: CredentialKind, _ names: [String] = []) {
    self.kind = kind
    self.names = names
  }

  /// The order of answers: of kinds, and then of names.
  package static func < (left: Self, right: Self) -> Bool {
    guard left.kind == right.kind else { return left.kind.order < right.kind.order }
    return left.names.lexicographicallyPrecedes(right.names) { Spelling($0) < Spelling($1) }
  }

  /// Whether the place is of this kind and its names begin with these.
  package func isBelow(_ place: CredentialPlace) -> Bool {
    kind == place.kind && names.starts(with: place.names) { $0.isSpelled(like: $1) }
  }
}

extension CredentialKind {
  fileprivate var order: Int { Self.inOrder.firstIndex(of: self) ?? 0 }
  private static let inOrder = allCases
}

/// Values by the places of credentials, in the order of answers. They are few: most installations
/// have one or two.
package struct ByPlace<Value: Equatable & Sendable>: Sendable {
  package typealias Element = (place: CredentialPlace, value: Value)
  private var entries: [Element] = []

  package init() {}

  package subscript(place: CredentialPlace) -> Value? {
    get { entries.first { $0.place == place }?.value }
    set {
      let index = entries.firstIndex { $0.place == place }
      switch (index, newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?):
        let next = entries.firstIndex { place < $0.place } ?? entries.endIndex
        entries.insert((place, value), at: next)
      case (nil, nil): break
      }
    }
  }

  /// The value of a kind of which an installation has one at most.
  package subscript(kind: CredentialKind) -> Value? {
    get { self[CredentialPlace(kind)] }
    set { self[CredentialPlace(kind)] = newValue }
  }

  package var places: [CredentialPlace] { entries.map(\.place) }

  package mutating func removeAll(where isMeant: (Element) -> Bool) {
    entries.removeAll(where: isMeant)
  }
}

extension ByPlace: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }
  package subscript(position: Int) -> Element { entries[position] }
}

extension ByPlace: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.elementsEqual(right) { $0 == $1 }
  }
}
