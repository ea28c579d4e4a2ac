package import DeviceProfile
import FoundationEssentials
package import Postgres

/// The key by which a device is looked up: its installation, and the aspects that make a
/// difference, attributes aside.
struct DeviceKey: Hashable, Sendable {
  var installation: InstallationKey
  var isVoIP: Bool
  /// The bits of `DeviceAspects`.
  var aspects: Int32
}

/// Devices by their keys.
struct LoadDevices: KeyedStatement {
  static let sql: String = {
    let columns = AudienceRow.columns(.row, attributes: "NULL::text[]")
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
    let device = try AudienceRow(row: &row)
    let key = DeviceKey(
      installation: InstallationKey(appID: appID, id: InstallationID(device.installationID)),
      isVoIP: isVoIP, aspects: aspects)
    return (key, device)
  }

  static func key(of row: Row) -> DeviceKey { row.key }
}

/// The devices of the installations that are there, in any order; for a kind with columns.
package struct DevicesOfInstallations: Statement {
  package typealias Row = AudienceRow
  package static let sql = """
    SELECT \(AudienceRow.columns(.row, attributes: "wanted"))
    FROM installation CROSS JOIN (
        SELECT $3::bool AS is_voip, $4::int4 AS aspects, $5::text[] AS wanted
      ) AS asked
    WHERE app_id = $1 AND installation_id = ANY ($2)
    """
  let appID: Int32
  let ids: [InstallationID]
  let question: DeviceQuestion

  package func bind(to parameters: inout Parameters) {
    parameters.append(
      appID, ids.map(\.uuid), question.target.kind == .voip,
      Int32(question.aspects.rawValue), question.attributes.isEmpty ? nil : question.attributes)
  }
}

extension PostgresClient {
  /// The devices of the installations that are there, in any order; a row for each token.
  package func devices(
    _ question: DeviceQuestion, of ids: [InstallationID], _ appID: Int32
  ) async throws(PostgresError) -> [AudienceRow] {
    question.target.hasColumns
      ? try await read(DevicesOfInstallations(appID: appID, ids: ids, question: question))
      : try await read(.devices(question, of: InstallationFilter(appID: appID), ids: ids))
  }
}

/// A device with its person.
package struct DeviceOfUser: Sendable, RowDecodable {
  package let user: String
  package let device: AudienceRow

  package init(row: inout RowReader) throws(PostgresError) {
    user = try row.next()
    device = try AudienceRow(row: &row)
  }
}

extension Command where Self == Query<DeviceOfUser> {
  /// The devices of people: at most `limit` for all people together.
  package static func devicesOfUsers(
    _ question: DeviceQuestion, _ ids: [String], _ appID: Int32, limit: Int
  ) -> Self {
    Query(
      """
      SELECT user_id, \(question.columns) FROM \(question.source)
      WHERE app_id = \(appID) AND user_id = ANY (\(ids)) LIMIT \(Int64(limit))
      """)
  }
}

/// An installation with a token that it has.
package struct TokenHolder: Sendable {
  package let token: Bytea
  package let id: InstallationID
}

extension Command where Self == Query<TokenHolder> {
  /// The installations that have any of some tokens.
  package static func holders(
    of tokens: [DeviceToken], _ kind: CredentialKind, _ appID: Int32
  ) -> Self {
    Query(
      """
      SELECT token, installation_id FROM token_owner
      WHERE app_id = \(appID) AND environment = ANY (\(Environment.allCases.map(\.rawValue)))
        AND kind = \(kind.rawValue) AND token = ANY (\(tokens.map { Bytea($0.bytes) }))
        AND installation_id IS NOT NULL
      """, into: TokenHolder.init)
  }
}
