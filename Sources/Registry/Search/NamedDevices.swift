package import DeviceProfile
import FoundationEssentials
package import Postgres

/// What a device is looked up by: its installation, and what of it makes a difference, beside
/// attributes.
struct DeviceKey: Hashable, Sendable {
  var installation: InstallationKey
  var isVoIP: Bool
  /// The bits of `DeviceAspects`.
  var aspects: Int32
}

/// Devices by their keys.
struct LoadDevices: KeyedStatement {
  static let sql: String = {
    let columns = AudienceRow.columns(
      .row(isVoIP: "is_voip"), aspects: "aspects", attributes: "NULL::text[]")
    return """
      SELECT app_id, is_voip, aspects, \(columns)
      FROM unnest($1::int4[], $2::uuid[], $3::bool[], $4::int4[])
        AS keys (app_id, installation_id, is_voip, aspects)
      JOIN installation USING (app_id, installation_id)
      WHERE installation.app_id = ANY ($5)
      """
  }()

  let keys: [DeviceKey]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.installation.appID))
    parameters.append(column: keys.map(\.installation.id.uuid))
    parameters.append(column: keys.map(\.isVoIP))
    parameters.append(column: keys.map(\.aspects))
    parameters.append(apps: keys.map(\.installation.appID))
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (key: DeviceKey, device: AudienceRow) {
    let appID: Int32 = try row.next()
    let isVoIP: Bool = try row.next()
    let aspects: Int32 = try row.next()
    let device = try AudienceRow(&row)
    let key = DeviceKey(
      installation: InstallationKey(appID: appID, id: InstallationID(device.installationID)),
      isVoIP: isVoIP, aspects: aspects)
    return (key, device)
  }

  static func key(of row: Row) -> DeviceKey { row.key }
}

/// The devices of installations, of those that are there, in any order; a row for each token.
package struct DevicesOfInstallations: Statement {
  package static let sql = text(of: .row(isVoIP: "$3::bool"))
  package var ownText: String? {
    target.hasColumns ? nil : Self.text(of: .others(isVoIP: "$3::bool", from: 6))
  }

  private static func text(of tokens: TokenColumns) -> String {
    """
    SELECT \(AudienceRow.columns(tokens, aspects: "$4::int4", attributes: "$5::text[]"))
    FROM installation\(tokens.join)
    WHERE app_id = $1 AND installation_id = ANY ($2)
    """
  }
  package let appID: Int32
  package let ids: [InstallationID]
  package let target: CredentialTarget
  package let aspects: DeviceAspects
  /// The attributes that make a difference, by name.
  package let attributes: [String]

  /// What is asked of the installations.
  package init(
    appID: Int32, ids: [InstallationID], target: CredentialTarget, aspects: DeviceAspects,
    attributes: [String]
  ) {
    self.appID = appID
    self.ids = ids
    self.target = target
    self.aspects = aspects
    self.attributes = attributes
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(
      appID, ids.map(\.uuid), target.kind == .voip, Int32(aspects.rawValue),
      attributes.isEmpty ? nil : attributes)
    target.bind(to: &parameters)
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> AudienceRow {
    try AudienceRow(&row)
  }
}

/// The devices of people, each with its person: of all of them so many.
package struct DevicesOfUsers: Statement {
  package static let sql = text(of: .row(isVoIP: "$3::bool"))
  package var ownText: String? {
    target.hasColumns ? nil : Self.text(of: .others(isVoIP: "$3::bool", from: 7))
  }

  private static func text(of tokens: TokenColumns) -> String {
    """
    SELECT user_id, \(AudienceRow.columns(tokens, aspects: "$4::int4", attributes: "$5::text[]"))
    FROM installation\(tokens.join)
    WHERE app_id = $1 AND user_id = ANY ($2)
    LIMIT $6::int8
    """
  }
  package let appID: Int32
  package let userIDs: [String]
  package let target: CredentialTarget
  package let aspects: DeviceAspects
  /// The attributes that make a difference, by name.
  package let attributes: [String]
  package let limit: Int

  /// What is asked of the people.
  package init(
    appID: Int32, userIDs: [String], target: CredentialTarget, aspects: DeviceAspects,
    attributes: [String], limit: Int
  ) {
    self.appID = appID
    self.userIDs = userIDs
    self.target = target
    self.aspects = aspects
    self.attributes = attributes
    self.limit = limit
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(
      appID, userIDs, target.kind == .voip, Int32(aspects.rawValue),
      attributes.isEmpty ? nil : attributes, Int64(limit))
    target.bind(to: &parameters)
  }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (user: String, device: AudienceRow) {
    (try row.next(), try AudienceRow(&row))
  }
}

/// The installations that have any of some tokens, each with its token.
package struct FindHoldersOfTokens: Statement {
  package static let sql = """
    SELECT token, installation_id FROM token_owner
    WHERE app_id = $1 AND environment = ANY ($2) AND kind = $3 AND token = ANY ($4)
      AND installation_id IS NOT NULL
    """
  package let appID: Int32
  package let kind: CredentialKind
  package let tokens: [DeviceToken]

  /// Which tokens are meant.
  package init(appID: Int32, kind: CredentialKind, tokens: [DeviceToken]) {
    self.appID = appID
    self.kind = kind
    self.tokens = tokens
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(
      appID, Environment.allCases.map(\.rawValue), kind.rawValue, tokens.map { Bytea($0.bytes) })
  }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (token: Bytea, id: InstallationID) {
    (try row.next(), InstallationID(try row.next()))
  }
}
