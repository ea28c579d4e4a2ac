package import DeviceProfile
package import FoundationEssentials
package import Postgres

/// One device of an audience: its address, and what its notification depends on.
package struct AudienceRow: Sendable {
  package var installationID: UUID
  /// The token's bytes; `nil` when there is none of the kind.
  package var token: Bytea?
  package var environment: Environment
  /// What decides about what it gets, as ``DeviceTraits/init(_:)`` reads it.
  package var traits: RawColumns
}

extension AudienceRow {
  private static let traitColumns = 1 + DeviceTraits.columns(aspects: "0", attributes: "").count

  /// The columns that ``init(_:)`` reads, of rows of `installation`.
  /// - Parameters:
  ///   - isVoIP: Whether the tokens for calls are meant, as SQL.
  ///   - aspects: What makes a difference, as SQL for the bits of `DeviceAspects`.
  ///   - attributes: The names of the attributes that do, as SQL for a list.
  static func columns(isVoIP: String, aspects: String, attributes: String) -> String {
    """
    installation_id, CASE WHEN \(isVoIP) THEN voip_token ELSE apns_token END,
        environment = 'sandbox', CASE WHEN \(isVoIP) THEN voip_status ELSE apns_status END,
        \(DeviceTraits.columns(aspects: aspects, attributes: attributes).joined(separator: ", "))
    """
  }

  /// Reads ``columns(isVoIP:aspects:attributes:)``.
  init(_ row: inout RowReader) throws(PostgresError) {
    installationID = try row.next()
    token = try row.nextOptional()
    environment = try row.next(Bool.self) ? .sandbox : .production
    traits = try row.nextRaw(columns: Self.traitColumns)
  }
}

/// The devices that a filter lets through, in the order in which they are found.
///
/// Columns that cannot make a difference are null in every row: devices then have fewer different
/// traits, and there is less to transfer.
package struct StreamAudience: Statement {
  package static let sql = text(where: InstallationFilter.condition)
  package var ownText: String? {
    parts.map { Self.text(where: InstallationFilter.condition + $0.sql) }
  }

  private static func text(where condition: String) -> String {
    let (isVoIP, aspects) = (InstallationFilter.parameter(1), InstallationFilter.parameter(2))
    let columns = AudienceRow.columns(
      isVoIP: isVoIP, aspects: "\(aspects)::int4",
      attributes: "\(InstallationFilter.parameter(4))::text[]")
    return """
      SELECT \(columns)
      FROM installation WHERE \(condition)
      LIMIT \(InstallationFilter.parameter(3))
      """
  }

  package static var isPlannedEachTime: Bool { true }

  package let filter: InstallationFilter
  /// Only these installations.
  package let ids: [InstallationID]?
  package let kind: CredentialKind
  package let aspects: DeviceAspects
  /// The attributes that make a difference, by name.
  package let attributes: [String]
  /// Rows at most; `nil` for all.
  package var limit: Int?
  private let parts: ConditionText?

  /// An audience.
  package init(
    filter: InstallationFilter, ids: [InstallationID]?, kind: CredentialKind,
    aspects: DeviceAspects, attributes: [String], limit: Int? = nil
  ) {
    self.filter = filter
    self.ids = ids
    self.kind = kind
    self.aspects = aspects
    self.attributes = attributes
    self.limit = limit
    parts = filter.partsText(behind: 4)
  }

  package func bind(to parameters: inout Parameters) {
    filter.bind(ids: ids, to: &parameters)
    parameters.append(
      kind == .voip, Int32(aspects.rawValue), limit.map { Int64($0) },
      attributes.isEmpty ? nil : attributes)
    parameters.append(parts)
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> AudienceRow {
    try AudienceRow(&row)
  }
}
