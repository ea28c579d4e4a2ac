package import DeviceProfile
package import Postgres

/// Which installations are meant; all that is given must hold (docs/registering.md, Filters).
package struct InstallationFilter: Sendable {
  package var appID: Int32
  /// Of one of these people.
  package var userIDs: [String]?
  package var tag: String?
  /// One of the languages is in this range (RFC 4647, section 3.3.1).
  package var language: String?
  package var platform: Platform?
  package var environment: Environment?
  package var localization: LocalizationPreference?
  package var backgroundRefresh: BackgroundRefresh?
  /// With ``credential`` the status of that kind, alone that of any.
  package var status: CredentialStatus?
  /// A credential of this kind is there.
  package var credential: CredentialKind?
  /// A token begins so.
  package var token: TokenPrefix?
  package var appVersion = Bounds<Version>()
  package var osVersion = Bounds<Version>()
  /// When the latest of the credentials was registered; without any, no bound holds.
  package var registered = Bounds<Timestamp>()
  /// When the app last called.
  package var seen = Bounds<Timestamp>()

  /// Everything of an app.
  package init(appID: Int32) { self.appID = appID }

  /// What the inverted index is asked for: all of these.
  var facets: [Facet] {
    [
      tag.map { .tag($0, of: appID) }, language.map { .language($0, of: appID) },
      platform.map { .platform($0, of: appID) }, environment.map { .environment($0, of: appID) },
      localization.map { .localization($0, of: appID) },
      backgroundRefresh.map { .backgroundRefresh($0, of: appID) },
      credential.map { .credential($0, of: appID) },
      status.map { .status($0, of: credential, appID) },
    ].compactMap { $0 }
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
  /// Whether it lets everything through, bounds of a sort key aside: an index in that order then
  /// begins with the page.
  package func isEmpty(besides key: InstallationSort.Key) -> Bool {
    facets.isEmpty && userIDs == nil && token == nil && appVersion.isEmpty && osVersion.isEmpty
      && (registered.isEmpty || key == .registeredAt) && (seen.isEmpty || key == .lastSeenAt)
  }

  /// As a condition on `installation`, in the parameters that
  /// ``bind(ids:to:)`` appends first: `$1` to `$14`. It is for statements that are planned each
  /// time: what is not given vanishes from the plan.
  package static let condition = """
    app_id = $1
      AND ($2::text[] IS NULL OR facets @> $2)
      AND ($3::text[] IS NULL OR user_id = ANY ($3))
      AND ($4::uuid[] IS NULL OR installation_id = ANY ($4))
      AND ($5::int8[] IS NULL OR app_version_order = $5)
      AND ($6::int8[] IS NULL OR app_version_order >= $6)
      AND ($7::int8[] IS NULL OR app_version_order < $7)
      AND ($8::int8[] IS NULL OR os_version_order = $8)
      AND ($9::int8[] IS NULL OR os_version_order >= $9)
      AND ($10::int8[] IS NULL OR os_version_order < $10)
      AND \(bounds(of: .registeredAt))
      AND \(bounds(of: .lastSeenAt))
    """

  /// The part of ``condition`` that bounds a sort key.
  package static func bounds(of key: InstallationSort.Key) -> String {
    switch key {
    case .registeredAt: bounds(of: key.sql, 11)
    case .lastSeenAt: bounds(of: key.sql, 13)
    case .createdAt, .id: "true"
    }
  }

  private static func bounds(of column: String, _ parameter: Int) -> String {
    """
    ($\(parameter)::timestamptz IS NULL OR \(column) >= $\(parameter)) \
    AND ($\(parameter + 1)::timestamptz IS NULL OR \(column) < $\(parameter + 1))
    """
  }

  /// Appends the parameters of ``condition``.
  /// - Parameter ids: The installations with a token like ``token``, as ``FindTokenOwners`` found
  ///   them: the ledger lies elsewhere and is not joined.
  package func bind(ids: [InstallationID]?, to parameters: inout Parameters) {
    parameters.append(appID)
    let facets = facets
    parameters.append(facets.isEmpty ? nil : facets.map(\.text))
    parameters.append(userIDs)
    parameters.append(ids.map { $0.map(\.uuid) })
    for version in [appVersion, osVersion] {
      for bound in [version.exactly, version.from, version.below] {
        parameters.append(bound.map { $0.order.map { Int64($0) } })
      }
    }
    // Those without a credential stand at 1970 and are not meant by any bound.
    let first = registered.isEmpty ? nil : Timestamp(microseconds: 1)
    parameters.append([registered.from, first].compactMap { $0 }.max())
    parameters.append(registered.below)
    parameters.append(seen.from)
    parameters.append(seen.below)
  }
}
