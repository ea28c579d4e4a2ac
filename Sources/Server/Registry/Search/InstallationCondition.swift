internal import ASCII
internal import DeviceProfile
internal import Postgres

/// A condition on installations, put together by "all", "any" and "not".
///
/// It has two forms with one meaning: ``holds(for:)`` asks an installation in memory, and
/// ``sql(of:_:)`` is the same as SQL.
package indirect enum InstallationCondition: Sendable {
  /// All that a filter asks for; its app is the app of the outermost filter.
  case filter(InstallationFilter)
  case term(InstallationTerm)
  case all([Self])
  case any([Self])
  case not(Self)

  package func holds(for installation: Installation) -> Bool {
    holds(for: installation, foundBy: Set(installation.facets))
  }

  fileprivate func holds(for installation: Installation, foundBy facets: Set<Facet>) -> Bool {
    switch self {
    case .filter(let filter): filter.holds(for: installation, foundBy: facets)
    case .term(let term): term.holds(for: installation)
    case .all(let parts): parts.allSatisfy { $0.holds(for: installation, foundBy: facets) }
    case .any(let parts): parts.contains { $0.holds(for: installation, foundBy: facets) }
    case .not(let part): !part.holds(for: installation, foundBy: facets)
    }
  }

  /// How many values it compares.
  package var size: Int {
    switch self {
    case .filter(let filter): filter.size
    case .term(let term): term.size
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.size }
    case .not(let part): part.size
    }
  }

  /// The same condition for an index: without "not" where another form says the same, and with one
  /// list of words where several would have to be intersected.
  ///
  /// not (ios and production) → any of the other platforms, or sandbox
  var simplified: Self {
    switch self {
    case .filter, .term: return self
    case .all(let parts): return .all(Self.merged(parts.map(\.simplified)))
    case .any(let parts) where parts.count == 1: return parts[0].simplified
    case .any(let parts): return .any(parts.map(\.simplified))
    case .not(let part): return part.opposite?.simplified ?? self
    }
  }

  /// Conditions that must all hold, with those on the same kind of word as one.
  private static func merged(_ parts: [Self]) -> [Self] {
    var merged: [Self] = []
    var places: [String: Int] = [:]
    for part in parts {
      guard case .term(.word(let name, let words)) = part else {
        merged.append(part)
        continue
      }
      if let place = places[name], case .term(.word(_, let others)) = merged[place] {
        merged[place] = .term(.word(name, anyOf: others.filter(words.containsSpelling)))
      } else {
        places[name] = merged.count
        merged.append(part)
      }
    }
    return merged
  }

  /// Its opposite: words of which every installation has one become the other words. `nil` when
  /// there is no form without "not".
  private var opposite: Self? {
    switch self {
    case .not(let part): part
    case .all(let parts): .any(parts.map(Self.not))
    case .any(let parts): .all(parts.map(Self.not))
    case .filter(let filter): filter.opposite
    case .term: nil
    }
  }
}

extension InstallationFilter {
  /// How many values it compares.
  package var size: Int {
    let given = Self.conditions.count { $0.sql(self) != nil }
    return given + facets.count + (token == nil ? 0 : 1) + parts.reduce(0) { $0 + $1.size }
  }

  fileprivate var opposite: InstallationCondition? {
    let known = WordFilter.all.filter { words[$0.name] != nil }
    var rest = self
    rest.words = [:]
    rest.parts = []
    guard rest.isEmpty, known.allSatisfy(\.isAlwaysThere) else { return nil }
    let others = known.map { filter in
      let words = filter.words.filter { $0 != self.words[filter.name] }
      return InstallationCondition.term(.word(filter.name, anyOf: words))
    }
    return .any(others + parts.map(InstallationCondition.not))
  }

  /// Whether all that the filter asks for is true of an installation. Its words are compared with
  /// the words that the index has of the installation: their meaning is written once, in
  /// ``Installation/facets``.
  fileprivate func holds(for installation: Installation, foundBy facets: Set<Facet>) -> Bool {
    ofApp(installation.appID).facets.allSatisfy(facets.contains)
      && holdsForUserAndToken(of: installation) && holds(appVersion, installation.appVersion)
      && holds(osVersion, installation.osVersion)
      && holds(appBuild, installation.appBuild)
      && registered.contains(installation.registeredAt)
      && seen.contains(installation.lastSeenAt) && updated.contains(installation.updatedAt)
      && parts.allSatisfy { $0.holds(for: installation, foundBy: facets) }
  }

  private func holdsForUserAndToken(of installation: Installation) -> Bool {
    if let userIDs, !userIDs.contains(where: { installation.userID?.isSpelled(like: $0) == true }) {
      return false
    }
    guard let token else { return true }
    return installation.credentials.contains { token.begins($0.value.token) }
  }

  private func holds(_ bounds: Bounds<Version>, _ text: String?) -> Bool {
    bounds.contains(text.flatMap { Version($0) })
  }
}

extension Bounds where Value: Comparable {
  /// Whether a value lies within the bounds. Without bounds every value does, also `nil`.
  func contains(_ value: Value?) -> Bool {
    if isEmpty { return true }
    guard let value else { return false }
    return exactly.map { value == $0 } ?? true && from.map { value >= $0 } ?? true
      && below.map { value < $0 } ?? true
  }
}

// MARK: SQL

/// How a condition looks for words.
package enum WordSearch: Hashable, Sendable {
  /// In the index of the words, from which the rows come. A range of numbers is searched by so many
  /// nodes of it at most; if it has more, all rows that have the attribute are read.
  case index(coverLimit: Int)
  /// In rows that another index gives. Each row is compared by its value, in less than a
  /// microsecond. A comparison with two hundred words would take fifty.
  case rows

  /// The index.
  package static let index = WordSearch.index(coverLimit: RegistryLimits.coverOfAll)
}

extension InstallationCondition {
  /// As SQL over the row of an installation of an app.
  func sql(of appID: Int32, _ way: WordSearch) -> SQL {
    switch self {
    case .term(let term): term.sql(of: appID, way)
    case .all(let parts): parts.isEmpty ? "true" : Self.sql(parts, " AND ", of: appID, way)
    case .any(let parts): parts.isEmpty ? "false" : Self.sql(parts, " OR ", of: appID, way)
    // A condition on an unknown value, such as a version that is not there, does not hold either.
    case .not(let part): "(\(part.sql(of: appID, way))) IS NOT TRUE"
    case .filter(let filter): "(\(filter.ofApp(appID).conditionBesidesApp(nil, way)))"
    }
  }
  private static func sql(
    _ parts: [Self], _ word: String, of appID: Int32, _ way: WordSearch
  ) -> SQL {
    "(\(parts.map { $0.sql(of: appID, way) }.joined(separator: word)))"
  }
}
