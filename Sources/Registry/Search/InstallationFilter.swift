package import DeviceProfile
package import Postgres

/// Which installations are meant; all that is given must hold (docs/registering.md, Filters).
package struct InstallationFilter: Sendable {
  package var appID: Int32
  /// Of one of these people.
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
  /// The status of that credential. (That of any kind is ``InstallationTerm/status(_:)``.)
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
  /// What else must hold, all of it.
  package var parts: [InstallationCondition] = []

  /// Everything of an app.
  package init(appID: Int32) { self.appID = appID }

  /// What the inverted index is asked for: all of these.
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
  /// Whether the index of an order has all that it asks for: the rows of a page are then the first
  /// ones that the index lets through.
  func isAnswered(by key: InstallationSort.Key) -> Bool {
    facets.isEmpty && userIDs == nil && token == nil && appVersion.isEmpty && osVersion.isEmpty
      && appBuild.isEmpty && parts.isEmpty && (key.isTime || !boundsTimes)
  }

  private var boundsTimes: Bool { !registered.isEmpty || !seen.isEmpty || !updated.isEmpty }

  /// Whether it lets everything through.
  package var isEmpty: Bool { isAnswered(by: .id) }

  /// The same where all that it asks for is one filter: that one, so that its bounds are known.
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

  /// Whether the index of an order leaves out some of what it does not let through.
  func isNarrowed(by key: InstallationSort.Key) -> Bool { key.isTime && boundsTimes }

  /// A condition that holds when its parameter is null.
  struct Condition: Sendable {
    /// The type of the parameter.
    let type: String
    /// With `$` for the parameter.
    let sql: String
    /// Whether it bounds a time that the orders by times have in their indexes.
    var isOfTime = false
    let bind: @Sendable (InstallationFilter, [InstallationID]?, inout Parameters) -> Void

    /// Its parameter alone.
    func parameter(
      _ filter: InstallationFilter, _ ids: [InstallationID]?
    ) -> Parameters {
      var parameters = Parameters()
      bind(filter, ids, &parameters)
      return parameters
    }

    /// The condition over the parameter of a number.
    func text(_ number: Int) -> String {
      "($\(number)::\(type) IS NULL OR \(sql.replacing("$", with: "$\(number)")))"
    }
  }

  /// All of them, in the order of their parameters, of which `$2` is the first.
  static let conditions: [Condition] =
    [
      Condition(type: "text[]", sql: "facets @> $") { filter, _, parameters in
        let facets = filter.facets
        parameters.append(facets.isEmpty ? nil : facets.map(\.text))
      },
      Condition(type: "text[]", sql: "user_id = ANY ($)") { $2.append($0.userIDs) },
      Condition(type: "uuid[]", sql: "installation_id = ANY ($)") {
        $2.append($1.map { $0.map(\.uuid) })
      },
    ] + versions("app_version_order") { $0.appVersion }
    + versions("os_version_order") {
      $0.osVersion
    }
    + times(.registeredAt) { filter in
      // Those without a credential stand at 1970 and are not meant by any bound.
      let first = filter.registered.isEmpty ? nil : Timestamp(microseconds: 1)
      return Bounds(
        from: [filter.registered.from, first].compactMap { $0 }.max(),
        below: filter.registered.below)
    } + times(.lastSeenAt) { $0.seen }
    + versions("app_build_order") { $0.appBuild }
    + times(.updatedAt) { filter in
      // A registration is a change: what was registered since a time has changed since.
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
      Condition(type: "int8[]", sql: "\(column) \(comparison) $") { filter, _, parameters in
        parameters.append(bound(bounds(filter)).map { $0.order.map { Int64($0) } })
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
      Condition(type: "timestamptz", sql: "\(key.sql) >= $", isOfTime: true) {
        $2.append(bounds($0).from)
      },
      Condition(type: "timestamptz", sql: "\(key.sql) < $", isOfTime: true) {
        $2.append(bounds($0).below)
      },
    ]
  }

  /// As a condition on `installation`, over the parameters that ``bind(ids:to:)`` appends first. It
  /// is for statements that are planned each time: what is not given vanishes from the plan.
  static let condition = "app_id = $1\n  AND \(conditionBesidesApp)"

  /// ``condition`` over the rows of all apps.
  static let conditionBesidesApp = conditions.enumerated().map { $1.text($0 + 2) }
    .joined(separator: "\n  AND ")

  /// The part of ``condition`` that the index of an order answers.
  static func bounds(in key: InstallationSort.Key) -> String { key.isTime ? timeBounds : "true" }

  private static let timeBounds = conditions.enumerated().filter { $1.isOfTime }
    .map { $1.text($0 + 2) }.joined(separator: "\n  AND ")

  /// The parameter of a number behind those of ``condition``: 1 is the statement's own first.
  static func parameter(_ number: Int) -> String { "$\(parameterNumber(number))" }

  /// Its number among all.
  static func parameterNumber(_ number: Int) -> Int { conditions.count + 1 + number }

  /// The parts of a filter, for a statement that has ``condition`` and binds them last; `nil`
  /// without parts.
  /// - Parameters:
  ///   - own: How many parameters of its own the statement has, which come before those of the
  ///     parts.
  ///   - coverLimit: That of ``ConditionText``.
  func partsText(
    behind own: Int, coverLimit: Int = RegistryLimits.coverOfAll
  ) -> ConditionText? {
    ConditionText(partsOf: self, coverLimit: coverLimit, from: Self.conditions.count + 2 + own)
  }

  /// The same for a statement that compares each row: with conditions on columns for those words of
  /// the filter that are in one, which are taken out of the filter.
  mutating func takeColumnsText(behind own: Int) -> ConditionText? {
    ConditionText(takenFrom: &self, from: Self.conditions.count + 2 + own)
  }

  /// The installations with a token like ``token``, `nil` when that is not asked for: the ledger
  /// lies elsewhere and is not joined.
  package func ids(_ database: PostgresClient) async throws -> [InstallationID]? {
    guard let token else { return nil }
    return try await database.read(FindTokenOwners(appID: appID, prefix: token))
  }

  /// Appends the parameters of ``condition``.
  /// - Parameter ids: As ``ids(_:)`` found them.
  func bind(ids: [InstallationID]?, to parameters: inout Parameters) {
    parameters.append(appID)
    for condition in Self.conditions { condition.bind(self, ids, &parameters) }
  }
}
