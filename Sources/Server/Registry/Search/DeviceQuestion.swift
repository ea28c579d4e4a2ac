package import DeviceProfile
package import FoundationEssentials
package import Postgres

/// One device of an audience: its address, and what its notification depends on.
package struct AudienceRow: Sendable {
  package var installationID: UUID
  /// The token's bytes; `nil` when there is none of the kind.
  package var token: Bytea?
  package var environment: Environment
  /// The values that decide what the device gets, as ``DeviceTraits/init(_:)`` reads it.
  package var traits: RawColumns
}

extension AudienceRow {
  private static let traitColumns =
    1 + DeviceTraits.columns(aspects: "0", attributes: "", isSandbox: "").count

  /// The columns that it is read from, of rows of `installation` and of one with `is_voip` and
  /// `aspects`, the bits of `DeviceAspects` that make a difference. Columns that cannot make a
  /// difference are null: devices then have fewer different traits, and there is less to transfer.
  /// - Parameters:
  ///   - tokens: Where the tokens are.
  ///   - attributes: The names of the attributes that make a difference, as SQL for a list.
  static func columns(_ tokens: TokenColumns, attributes: String) -> String {
    let traits = DeviceTraits.columns(
      aspects: "aspects", attributes: attributes, isSandbox: tokens.isSandbox)
    return """
      installation_id, \(tokens.token), \(tokens.isSandbox), \(tokens.usability),
          \(traits.joined(separator: ", "))
      """
  }
}

extension AudienceRow: RowDecodable {
  /// Reads ``columns(_:attributes:)``.
  package init(row: inout RowReader) throws(PostgresError) {
    installationID = try row.next()
    token = try row.next()
    environment = try row.next(Bool.self) ? .sandbox : .production
    traits = try row.nextRaw(columns: Self.traitColumns)
  }
}

/// A question about devices: it asks for some of their tokens, and for what makes a difference.
package struct DeviceQuestion: Sendable {
  package var target: CredentialTarget
  package var aspects: DeviceAspects
  /// The attributes that make a difference, by name.
  package var attributes: [String]

  package init(target: CredentialTarget, aspects: DeviceAspects, attributes: [String]) {
    self.target = target
    self.aspects = aspects
    self.attributes = attributes
  }

  /// The columns of an ``AudienceRow``, of rows of ``source``.
  var columns: SQL {
    "\(constant: AudienceRow.columns(target.columns, attributes: "wanted"))"
  }

  /// Rows of `installation`, with the tokens.
  var source: SQL {
    """
    installation CROSS JOIN (
        SELECT \(target.kind == .voip)::bool AS is_voip,
          \(Int32(aspects.rawValue))::int4 AS aspects,
          \(attributes.isEmpty ? nil : attributes)::text[] AS wanted
      ) AS asked \(target.join)
    """
  }
}

extension Command where Self == Query<AudienceRow> {
  /// The devices that a filter lets through, in the order in which they are found. For a kind of
  /// which a device has several tokens, there is a row for each token.
  /// - Parameters:
  ///   - ids: Only these installations; `nil` for any.
  ///   - limit: Rows at most; `nil` for all.
  package static func devices(
    _ question: DeviceQuestion, of filter: InstallationFilter, ids: [InstallationID]?,
    limit: Int? = nil
  ) -> Self {
    Query(
      """
      SELECT \(question.columns) FROM \(question.source)
      WHERE \(filter.condition(ids)) LIMIT \(limit.map { Int64($0) })
      """)
  }
}
