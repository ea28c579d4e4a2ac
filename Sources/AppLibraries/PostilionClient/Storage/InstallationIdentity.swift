import Foundation

/// The name of an installation and the secret that proves it, made by the app itself before its
/// first call.
public struct InstallationIdentity: Codable, Hashable, Sendable {
  /// The installation's name on the server.
  public var id: UUID
  /// 43 characters: 32 random bytes as base64url.
  public var secret: String

  /// A new identity.
  public init() {
    id = UUID()
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    secret = Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}

/// Where the identity is kept: it must outlive the process, and must not come to another device.
public protocol IdentityStore: Sendable {
  /// The stored identity; `nil` when there is none.
  /// - Throws: When it cannot be read now, as before the first unlock of the device. It is asked
  ///   again later; no new identity is made.
  func load() throws -> InstallationIdentity?
  /// Replaces the stored identity; on return it is stored.
  func save(_ identity: InstallationIdentity) throws
}

/// Where the client keeps what it has told and what it has to tell.
public protocol StateStore: Sendable {
  /// The stored bytes; `nil` when there are none.
  func load() throws -> Data?
  /// Replaces the stored bytes, all or nothing; on return they are stored.
  func save(_ state: Data) throws
}
