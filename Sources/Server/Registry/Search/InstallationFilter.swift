internal import ASCII
package import DeviceProfile
package import Postgres

/// Which installations are meant; all that is given must hold (docs/registering.md, Filters).
package struct InstallationFilter: Sendable {
  package var appID: Int32
  /// Its person is one of these.
  package var userIDs: [String]?
  /// It has all of these.
  package var tags: [String] = []
  /// Attributes that have these values.
  package var attributes: [AttributeFilter] = []
  /// One of the languages is in this range (RFC 4647, section 3.3.1).
  package var language: String?
  package var timeZone: String?
  /// The app can do this.
  package var capability: String?
  /// Words by the names of ``WordFilter/all``.
  package var words: [String: String] = [:]
  /// A credential of this kind is there.
  package var credential: CredentialKind?
  /// The status of that credential. (For a credential of any kind there is
  /// ``InstallationTerm/status(_:)``.)
  package var status: CredentialStatus?
  /// A token begins so.
  package var token: TokenPrefix?
  package var appVersion = Bounds<Version>()
  package var osVersion = Bounds<Version>()
  package var appBuild = Bounds<Version>()
  /// When the latest of the credentials was registered; without any, no bound holds.
  package var registered = Bounds<Timestamp>()
  /// When the app last called.
  package var seen = Bounds<Timestamp>()
  /// When it changed last.
  package var updated = Bounds<Timestamp>()
  /// More conditions, which must all hold.
  package var parts: [InstallationCondition] = []

  /// Everything of an app.
  package init(appID: Int32) { self.appID = appID }

  /// The same of another app.
  package func ofApp(_ id: Int32) -> Self {
    var filter = self
    filter.appID = id
    return filter
  }

  /// The facets that the inverted index is asked for: an installation must have all of them.
  var facets: [Facet] {
    [
      language.map { .language($0, of: appID) }, timeZone.map { .timeZone($0, of: appID) },
      capability.map { .capability($0, of: appID) },
      credential.map { .credential($0, of: appID) },
      credential.flatMap { kind in status.map { .status($0, of: kind, appID) } },
    ].compactMap { $0 } + tags.map { .tag($0, of: appID) }
      + attributes.compactMap { .attribute($0, of: appID) }
      + words.sorted { $0.key < $1.key }.map { .word($0, $1, of: appID) }
  }
}

/// A range of values, open where nothing is given.
package struct Bounds<Value: Sendable>: Sendable {
  /// This very value.
  package var exactly: Value?
  /// Not below this.
  package var from: Value?
  /// Below this.
  package var below: Value?

  package init(exactly: Value? = nil, from: Value? = nil, below: Value? = nil) {
    self.exactly = exactly
    self.from = from
    self.below = below
  }

  package var isEmpty: Bool { exactly == nil && from == nil && below == nil }
}

// MARK: SQL

extension InstallationFilter {
  /// Whether the index of an order has all that the filter asks for: the rows of a page are then
  /// the first ones that the index lets through.
  func isAnswered(by key: InstallationSort.Key) -> Bool {
    facets.isEmpty && userIDs == nil && token == nil && appVersion.isEmpty && osVersion.isEmpty
      && appBuild.isEmpty && parts.isEmpty && (key.isTime || !boundsTimes)
  }

  private var boundsTimes: Bool { !registered.isEmpty || !seen.isEmpty || !updated.isEmpty }

  /// Whether it lets everything through.
  package var isEmpty: Bool { isAnswered(by: .id) }

  /// The same filter. If all that it asks for is one inner filter, this is the inner filter, so
  /// that its bounds are known.
  var lifted: Self {
    guard parts.count == 1, case .filter(var only) = parts[0] else { return self }
    var rest = self
    rest.parts = []
    guard rest.isEmpty else { return self }
    only.appID = appID
    return only.lifted
  }

  /// If it asks for any of a few things, and the index of an order helps to find one of them: a
  /// filter for each. Otherwise `nil`.
  ///
  /// Example: "changed within a day, or vip", in the order of a time, has two branches.
  func branches(by key: InstallationSort.Key) -> [Self]? {
    for (place, part) in parts.enumerated() {
      guard case .any(let parts) = part, parts.count <= RegistryLimits.mergedBranches else {
        continue
      }
      let branches = parts.map { branch(of: $0, insteadOf: place) }
      if branches.contains(where: { $0.isNarrowed(by: key) }) { return branches }
    }
    return nil
  }

  private func branch(of part: InstallationCondition, insteadOf place: Int) -> Self {
    var rest = self
    rest.parts.remove(at: place)
    var fields = rest
    fields.parts = []
    guard fields.isEmpty, case .filter(var branch) = part else {
      rest.parts.append(part)
      return rest
    }
    branch.appID = appID
    branch.parts += rest.parts
    return branch.lifted
  }

  /// Whether the index of an order leaves out some installations that the filter does not let
  /// through.
  func isNarrowed(by key: InstallationSort.Key) -> Bool { key.isTime && boundsTimes }

  /// One of the conditions on columns.
  struct Condition: Sendable {
    /// Whether it bounds a time that the orders by times have in their indexes.
    var isOfTime = false
    /// As SQL; `nil` if it is not asked for.
    let sql: @Sendable (InstallationFilter) -> SQL?
  }

  /// All of them, in the order in which they are written.
  static let conditions: [Condition] =
    [Condition { $0.userIDs.map { "user_id = ANY (\($0))" } }]
    + versions("app_version_order") { $0.appVersion }
    + versions("os_version_order") { $0.osVersion }
    + times(.registeredAt) { filter in
      // Installations without a credential stand at 1970, and no bound means them.
      let first = filter.registered.isEmpty ? nil : Timestamp(microseconds: 1)
      return Bounds(
        from: [filter.registered.from, first].compactMap { $0 }.max(),
        below: filter.registered.below)
    } + times(.lastSeenAt) { $0.seen }
    + versions("app_build_order") { $0.appBuild }
    + times(.updatedAt) { filter in
      // A registration is a change: an installation that was registered since a time has changed
      // since.
      Bounds(
        from: [filter.updated.from, filter.registered.from].compactMap { $0 }.max(),
        below: filter.updated.below)
    }

  private static func versions(
    _ column: String, _ bounds: @escaping @Sendable (InstallationFilter) -> Bounds<Version>
  ) -> [Condition] {
    func condition(
      _ comparison: String, _ bound: @escaping @Sendable (Bounds<Version>) -> Version?
    ) -> Condition {
      Condition { filter in
        bound(bounds(filter)).map { version in
          "\(constant: column) \(constant: comparison) \(version.order.map { Int64($0) })"
        }
      }
    }
    return [
      condition("=") { $0.exactly }, condition(">=") { $0.from }, condition("<") { $0.below },
    ]
  }

  private static func times(
    _ key: InstallationSort.Key,
    _ bounds: @escaping @Sendable (InstallationFilter) -> Bounds<Timestamp>
  ) -> [Condition] {
    [
      Condition(isOfTime: true) { bounds($0).from.map { "\(constant: key.sql) >= \($0)" } },
      Condition(isOfTime: true) { bounds($0).below.map { "\(constant: key.sql) < \($0)" } },
    ]
  }

  /// The part of the filter that the index of an order answers, as SQL.
  func bounds(in key: InstallationSort.Key) -> SQL {
    let bounds = Self.conditions.filter { key.isTime && $0.isOfTime }.compactMap { $0.sql(self) }
    return bounds.isEmpty ? "true" : bounds.joined(separator: " AND ")
  }

  /// All of the filter, as SQL over rows of `installation`.
  /// - Parameters:
  ///   - ids: Only these installations: for a search by token, the installations that ``ids(_:)``
  ///     found.
  ///   - way: How its words are looked for.
  package func condition(_ ids: [InstallationID]?, _ way: WordSearch = .index) -> SQL {
    "app_id = \(appID) AND \(conditionBesidesApp(ids, way))"
  }

  /// The same over the rows of all apps.
  func conditionBesidesApp(_ ids: [InstallationID]?, _ way: WordSearch) -> SQL {
    var filter = self
    let columns = way == .rows ? filter.takeColumns() : []
    let facets = filter.facets
    let parts = InstallationCondition.all(filter.parts).simplified
    let conditions: [SQL?] =
      columns + [
        facets.isEmpty ? nil : "facets @> \(facets.map(\.text))",
        ids.map { "installation_id = ANY (\($0.map(\.uuid)))" },
      ] + Self.conditions.map { $0.sql(filter) }
      + [filter.parts.isEmpty ? nil : parts.sql(of: appID, way)]
    let given = conditions.compactMap { $0 }
    return given.isEmpty ? "true" : given.joined(separator: " AND ")
  }

  /// Conditions on columns for the filter's words that are in a column, as ``InstallationTerm`` has
  /// them; these words are taken out of the filter.
  private mutating func takeColumns() -> [SQL] {
    var columns: [SQL] = []
    for word in WordFilter.all {
      guard let column = word.column, let value = words.removeValue(forKey: word.name) else {
        continue
      }
      columns.append("\(constant: column) = \(value)")
    }
    if !tags.isEmpty { columns.append("tags @> \(tags)") }
    if let capability { columns.append("capabilities @> \([capability])") }
    if let timeZone { columns.append("time_zone = \(timeZone)") }
    (tags, capability, timeZone) = ([], nil, nil)
    if let kind = credential, kind.hasColumns {
      let column = "\(kind.rawValue)_status"
      columns.append(
        status.map { "\(constant: column) = \($0.rawValue)" }
          ?? "\(constant: column) IS NOT NULL")
      (credential, status) = (nil, nil)
    }
    // JSON has letters as they are: most rows are left out before their words are looked at.
    for value in attributes.map(\.value) where value.utf8.allSatisfy(\.isASCIILetter) {
      columns.append("strpos(attributes, \(value)) > 0")
    }
    return columns
  }

  /// The installations with a token like ``token``, `nil` when that is not asked for: the ledger
  /// lies elsewhere and is not joined.
  package func ids(_ database: PostgresClient) async throws -> [InstallationID]? {
    guard let token else { return nil }
    return try await database.read(.findTokenOwners(appID: appID, prefix: token))
  }
}
