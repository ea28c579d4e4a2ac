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
  private static let traitColumns =
    1 + DeviceTraits.columns(aspects: "0", attributes: "", isSandbox: "").count

  /// The columns that ``init(_:)`` reads, of rows of `installation`.
  /// - Parameters:
  ///   - tokens: Where the tokens are.
  ///   - aspects: What makes a difference, as SQL for the bits of `DeviceAspects`.
  ///   - attributes: The names of the attributes that do, as SQL for a list.
  static func columns(_ tokens: TokenColumns, aspects: String, attributes: String) -> String {
    let traits = DeviceTraits.columns(
      aspects: aspects, attributes: attributes, isSandbox: tokens.isSandbox)
    return """
      installation_id, \(tokens.token), \(tokens.isSandbox), \(tokens.usability),
          \(traits.joined(separator: ", "))
      """
  }

  /// Reads ``columns(_:aspects:attributes:)``.
  init(_ row: inout RowReader) throws(PostgresError) {
    installationID = try row.next()
    token = try row.nextOptional()
    environment = try row.next(Bool.self) ? .sandbox : .production
    traits = try row.nextRaw(columns: Self.traitColumns)
  }
}

/// The devices that a filter lets through, in the order in which they are found: of a kind of which
/// a device has several tokens, a row for each.
///
/// Columns that cannot make a difference are null in every row: devices then have fewer different
/// traits, and there is less to transfer.
package struct StreamAudience: Statement {
  package static let sql = text(
    of: .row(isVoIP: InstallationFilter.parameter(1)), where: InstallationFilter.condition)
  package var ownText: String? {
    guard !target.hasColumns || parts != nil else { return nil }
    let tokens: TokenColumns =
      target.hasColumns
      ? .row(isVoIP: InstallationFilter.parameter(1))
      : .others(
        isVoIP: InstallationFilter.parameter(1), from: InstallationFilter.parameterNumber(5))
    return Self.text(of: tokens, where: InstallationFilter.condition + (parts?.sql ?? ""))
  }

  private static func text(of tokens: TokenColumns, where condition: String) -> String {
    let columns = AudienceRow.columns(
      tokens, aspects: "\(InstallationFilter.parameter(2))::int4",
      attributes: "\(InstallationFilter.parameter(4))::text[]")
    return """
      SELECT \(columns)
      FROM installation\(tokens.join)
      WHERE \(condition)
      LIMIT \(InstallationFilter.parameter(3))
      """
  }

  package static var isPlannedEachTime: Bool { true }

  package let filter: InstallationFilter
  /// Only these installations.
  package let ids: [InstallationID]?
  package let target: CredentialTarget
  package let aspects: DeviceAspects
  /// The attributes that make a difference, by name.
  package let attributes: [String]
  /// Rows at most; `nil` for all.
  package var limit: Int?
  private let parts: ConditionText?

  /// An audience.
  package init(
    filter: InstallationFilter, ids: [InstallationID]?, target: CredentialTarget,
    aspects: DeviceAspects, attributes: [String], limit: Int? = nil
  ) {
    self.filter = filter
    self.ids = ids
    self.target = target
    self.aspects = aspects
    self.attributes = attributes
    self.limit = limit
    parts = filter.partsText(behind: target.hasColumns ? 4 : 4 + TokenColumns.placeholderCount)
  }

  package func bind(to parameters: inout Parameters) {
    filter.bind(ids: ids, to: &parameters)
    parameters.append(
      target.kind == .voip, Int32(aspects.rawValue), limit.map { Int64($0) },
      attributes.isEmpty ? nil : attributes)
    target.bind(to: &parameters)
    parameters.append(parts)
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> AudienceRow {
    try AudienceRow(&row)
  }
}
