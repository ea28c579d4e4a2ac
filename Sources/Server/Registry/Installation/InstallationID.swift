internal import Crypto
package import FoundationEssentials
internal import Postgres

/// The name of one app on one device: a UUID that the app makes, taken in any case and shown in
/// lower case.
package struct InstallationID: Hashable, Sendable {
  /// The identifier as the database keeps it.
  package let uuid: UUID

  package init(_ uuid: UUID) { self.uuid = uuid }

  /// Takes the 36-character form (RFC 9562, section 4); `nil` when it is not one.
  package init?(_ text: String) {
    guard let uuid = UUID(text: text) else { return nil }
    self.uuid = uuid
  }

  /// The 36-character form in lower case.
  package var text: String { uuid.text }
}

/// It is stored as its UUID.
extension InstallationID: PostgresValue {
  package static var oid: UInt32 { UUID.oid }
  package static var arrayOID: UInt32 { UUID.arrayOID }
  package func encode(into bytes: inout [UInt8]) { uuid.encode(into: &bytes) }
  package init?(binary bytes: UnsafeRawBufferPointer) {
    guard let uuid = UUID(binary: bytes) else { return nil }
    self.init(uuid)
  }
}
