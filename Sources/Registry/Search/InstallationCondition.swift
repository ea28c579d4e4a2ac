internal import ASCII
internal import DeviceProfile
package import Postgres

/// What must hold of installations, put together by "all", "any" and "not".
///
/// It has two forms with one meaning: ``holds(for:)`` asks an installation in memory, and
/// ``ConditionText`` is the same as SQL.
package indirect enum InstallationCondition: Sendable {
  /// All that a filter asks for; its app is that of the outermost one.
  case filter(InstallationFilter)
  case term(InstallationTerm)
  case all([Self])
  case any([Self])
  case not(Self)

  /// Whether it is true of an installation.
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

  /// The same for an index: without "not" where something else says it, and with one list of words
  /// where several would have to be intersected.
  ///
  /// not (ios and production) → any of the other platforms, or sandbox
  fileprivate var simplified: Self {
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
    let given = Self.conditions.count { !$0.parameter(self, nil).areNull }
    let words = max(0, facets.count - 1)
    return given + words + (token == nil ? 0 : 1) + parts.reduce(0) { $0 + $1.size }
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

  /// Whether all of it is true of an installation. The words that the index has of it stand for
  /// themselves: what they mean is written once, in ``Installation/facets``.
  fileprivate func holds(for installation: Installation, foundBy facets: Set<Facet>) -> Bool {
    var filter = self
    filter.appID = installation.appID
    return filter.facets.allSatisfy(facets.contains) && holdsForUserAndToken(of: installation)
      && holds(appVersion, installation.appVersion) && holds(osVersion, installation.osVersion)
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
  /// Whether a value lies within them; without bounds any does, also none.
  func contains(_ value: Value?) -> Bool {
    if isEmpty { return true }
    guard let value else { return false }
    return exactly.map { value == $0 } ?? true && from.map { value >= $0 } ?? true
      && below.map { value < $0 } ?? true
  }
}

// MARK: SQL

/// A condition as SQL: constant pieces and numbered parameters, without any text of a client.
package struct ConditionText: Sendable {
  /// The text, over the row of an installation.
  package private(set) var sql = ""
  /// What it binds, in the order of the numbers.
  package private(set) var parameters = Parameters()
  let appID: Int32
  /// By how many nodes of the index a range of numbers is searched at most. If it has more, all
  /// rows that have the attribute are read. `nil` if the index of an order gives the rows: each is
  /// compared by its value, in less than a microsecond. With two hundred words it would be fifty.
  let coverLimit: Int?
  private var number: Int

  /// Whether the index of the words may find what holds.
  var asksIndex: Bool { coverLimit != nil }

  /// An empty text whose first parameter has a number.
  private init(appID: Int32, coverLimit: Int?, from number: Int) {
    self.appID = appID
    self.coverLimit = coverLimit
    self.number = number
  }

  /// Writes a piece, a value behind it, and another piece.
  mutating func write(
    _ piece: String, _ value: some PostgresValue, _ type: String, _ end: String = ""
  ) {
    sql += "\(piece)\(place(of: value, type))\(end)"
  }

  mutating func write(_ piece: String) { sql += piece }

  /// Binds a value; returns its place, which may be written more than once.
  mutating func place(of value: some PostgresValue, _ type: String) -> String {
    parameters.append(value)
    number += 1
    return "$\(number - 1)::\(type)"
  }

  private mutating func write(_ condition: InstallationCondition) {
    switch condition {
    case .term(let term): term.write(to: &self)
    case .all(let parts): write(parts, joinedBy: " AND ", orWithout: "true")
    case .any(let parts): write(parts, joinedBy: " OR ", orWithout: "false")
    case .not(let part):
      // What is not known, such as a version that is not there, does not hold either.
      sql += "("
      write(part)
      sql += ") IS NOT TRUE"
    case .filter(var filter):
      filter.appID = appID
      sql += "(true"
      write(filter, nil)
      sql += ")"
    }
  }

  private mutating func write(
    _ parts: [InstallationCondition], joinedBy word: String, orWithout none: String
  ) {
    sql += parts.isEmpty ? none : "("
    for (index, part) in parts.enumerated() {
      if index > 0 { sql += word }
      write(part)
    }
    if !parts.isEmpty { sql += ")" }
  }

  /// Writes all that a filter asks for, each behind an AND.
  private mutating func write(_ filter: InstallationFilter, _ ids: [InstallationID]?) {
    let filter = asksIndex ? filter : writeColumns(of: filter)
    for condition in InstallationFilter.conditions {
      let parameter = condition.parameter(filter, ids)
      guard !parameter.areNull else { continue }
      let place = "$\(number)::\(condition.type)"
      sql += " AND \(condition.sql.replacing("$", with: place))"
      parameters.append(contentsOf: parameter)
      number += 1
    }
    write(filter.parts)
  }

  /// Writes conditions on columns, each behind an AND, for those words of a filter that are in a
  /// column, too, as ``InstallationTerm/write(to:)`` does; returns the filter without these words.
  private mutating func writeColumns(of filter: InstallationFilter) -> InstallationFilter {
    var rest = filter
    for word in WordFilter.all {
      guard let column = word.column, let value = rest.words.removeValue(forKey: word.name) else {
        continue
      }
      write(" AND \(column) = ", value, "text")
    }
    if !filter.tags.isEmpty { write(" AND tags @> ", filter.tags, "text[]") }
    if let capability = filter.capability {
      write(" AND capabilities @> ", [capability], "text[]")
    }
    if let timeZone = filter.timeZone { write(" AND time_zone = ", timeZone, "text") }
    (rest.tags, rest.capability, rest.timeZone) = ([], nil, nil)
    writeCredential(of: filter, &rest)
    // JSON has letters as they are: most rows are left out before their words are looked at.
    for value in filter.attributes.map(\.value) where value.utf8.allSatisfy(\.isASCIILetter) {
      write(" AND strpos(attributes, ", value, "text", ") > 0")
    }
    return rest
  }

  /// Writes what columns say of the credential that a filter asks for, if its kind has any.
  private mutating func writeCredential(
    of filter: InstallationFilter, _ rest: inout InstallationFilter
  ) {
    guard let kind = filter.credential, kind.hasColumns else { return }
    (rest.status, rest.credential) = (nil, nil)
    if let status = filter.status {
      write(" AND \(kind.rawValue)_status = ", status.rawValue, "text")
    } else {
      write(" AND \(kind.rawValue)_status IS NOT NULL")
    }
  }

  /// Writes that a credential of any kind has a status. Only where there are some without columns,
  /// the words are looked at.
  mutating func write(_ status: CredentialStatus) {
    let place = place(of: status.rawValue, "text")
    let columns = CredentialKind.withColumns.map { "\($0.rawValue)_status = \(place) OR " }
    write(
      "(\(columns.joined())other_credentials IS NOT NULL AND facets && ",
      Facet.statuses(status, of: appID).map(\.text), "text[]", ")")
  }

  private mutating func write(_ parts: [InstallationCondition]) {
    guard !parts.isEmpty else { return }
    sql += "\n  AND "
    write(InstallationCondition.all(parts).simplified)
  }

  /// What a filter asks for beyond ``InstallationFilter/condition``, behind an AND; `nil` for
  /// nothing.
  init?(partsOf filter: InstallationFilter, coverLimit: Int, from number: Int) {
    guard !filter.parts.isEmpty else { return nil }
    self.init(appID: filter.appID, coverLimit: coverLimit, from: number)
    write(filter.parts)
  }

  /// What a filter asks for beyond ``InstallationFilter/condition``, and conditions on columns for
  /// those of its words that are in one, which are taken out of the filter; `nil` for nothing.
  init?(takenFrom filter: inout InstallationFilter, from number: Int) {
    self.init(appID: filter.appID, coverLimit: nil, from: number)
    filter = writeColumns(of: filter)
    write(filter.parts)
    if sql.isEmpty { return nil }
  }

  /// Everything that a filter asks for but the app, behind an AND; `nil` for nothing.
  package init?(_ filter: InstallationFilter, ids: [InstallationID]?, from number: Int) {
    guard !filter.isEmpty else { return nil }
    self.init(appID: filter.appID, coverLimit: RegistryLimits.coverOfAll, from: number)
    write(filter, ids)
  }
}

/// A statement over installations whose text has room for a condition.
package protocol ConditionedStatement: Statement {
  /// The text with what ``ConditionText`` writes, or with nothing.
  static func text(and condition: String) -> String

  /// What is asked for beyond the text of the type; `nil` for nothing.
  var condition: ConditionText? { get }
}

extension ConditionedStatement {
  package static var sql: String { text(and: "") }
  package var ownText: String? { condition.map { Self.text(and: $0.sql) } }
  package static var isPlannedEachTime: Bool { true }
}

extension Parameters {
  /// Appends what a condition binds, if there is one.
  package mutating func append(_ condition: ConditionText?) {
    if let condition { append(contentsOf: condition.parameters) }
  }
}
