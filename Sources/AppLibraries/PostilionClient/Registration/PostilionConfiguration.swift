import Foundation

/// Which server an installation belongs to, and how often it reports.
public struct PostilionConfiguration: Sendable {
  /// The address of the server, such as `https://push.example.com`; a path before `/v1` is kept.
  public var server: URL
  /// The name of the app on the server: 1 to 64 characters.
  public var app: String
  /// A key of kind `client`. It is in every copy of the app and no secret; the installation's own
  /// secret is what protects it. With a key of another kind, which is a secret, nothing is sent
  /// (``PostilionEvent/Kind/refused`` with `key_kind_forbidden`).
  public var clientKey: String
  /// After how many seconds an installation that has not changed is reported again, 60 or more: a
  /// day, in which an unchanged launch sends nothing. It heals what the server may have lost.
  public var interval: TimeInterval = 86_400
  /// How many seconds changes are gathered before they are sent together, 0 to 60.
  public var coalescing: TimeInterval = 0.3
  /// What the app can do, as the server must know: `loc-key` when the texts of notifications are in
  /// its own table `Localizable`, `local-notification` when it makes local notifications of silent
  /// ones.
  public var capabilities: [String] = []
  /// The bundle id of this target, if it is not the one that the app has on the server: of a watch
  /// app of its own, or of a Mac Catalyst app. The server must know it, as one of the app's
  /// `bundle_ids`: it refuses the reports of any other.
  public var bundleID: String?

  /// Whether nothing at all is sent until the person has agreed, and the app has called
  /// ``Postilion/optIn()``. What is told before is kept, and is sent then. An app that was used
  /// without it before is silent, too, until then: its installation on the server stays as it is.
  public var waitsForOptIn = false

  /// A configuration whose address is written in the code; a text that is no address is a mistake
  /// there.
  public init(server: StaticString, app: String, clientKey: String) {
    guard let url = URL(string: "\(server)") else { preconditionFailure("no address: \(server)") }
    self.init(server: url, app: app, clientKey: clientKey)
  }

  /// A configuration.
  public init(server: URL, app: String, clientKey: String) {
    self.server = server
    self.app = app
    self.clientKey = clientKey
  }
}

extension PostilionConfiguration {
  /// Whether the key is a secret, which everybody could read out of the app.
  var hasBackendKey: Bool {
    ["pst_sender_", "pst_admin_", "pst_root_"].contains { clientKey.hasPrefix($0) }
  }
}
