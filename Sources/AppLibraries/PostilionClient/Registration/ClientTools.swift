import Foundation

/// What a registration needs of the world; tests bring their own.
struct ClientTools: Sendable {
  var identity: any IdentityStore
  var state: any StateStore
  /// Keeps the person's choice apart from the state; `nil` when the state alone has it.
  var choice: (any StateStore)?
  var transport: any PostilionTransport
  var now: @Sendable () -> Date = { Date() }
  /// Between 0 and 1.
  var random: @Sendable () -> Double = { Double.random(in: 0...1) }
  /// Waits so many seconds, or until the task is cancelled.
  var sleep: @Sendable (TimeInterval) async -> Void = { seconds in
    try? await Task.sleep(seconds: seconds)
  }
  /// Keeps the process running while a block runs; `nil` where nobody suspends it.
  var background: BackgroundTime.Perform? = BackgroundTime.system

  /// The directory of the client's files: `Postilion/<app>` in that for application support. An
  /// Apple TV lets an app keep files only where the system may delete them: then the app is as
  /// newly installed.
  static var directory: URL {
    #if os(tvOS)
      let place = FileManager.SearchPathDirectory.cachesDirectory
    #else
      let place = FileManager.SearchPathDirectory.applicationSupportDirectory
    #endif
    let found = FileManager.default.urls(for: place, in: .userDomainMask)
    let base = found.first ?? FileManager.default.temporaryDirectory
    // Apps without a sandbox share the directory.
    let app = Bundle.main.bundleIdentifier ?? "app"
    return base.appendingPathComponent("Postilion/\(app)", isDirectory: true)
  }

  /// A store of its own for each of the library's three: `identity`, `state` and `consent`.
  static func file(_ name: String, isBackedUp: Bool = false) -> any StateStore {
    FileStore(url: directory.appendingPathComponent(name), isBackedUp: isBackedUp)
  }

  /// The keychain where there is one, else a file.
  static var identityStore: any IdentityStore {
    #if canImport(Security)
      StoredIdentity(store: KeychainStore(service: "org.postilion.installation"))
    #else
      StoredIdentity(store: file("identity"))
    #endif
  }

  /// A file, and on an Apple TV the keychain: there the system deletes files. An opt-out counts on
  /// the next phone, too, and the file names nobody: it alone is in backups.
  static var choiceStore: any StateStore {
    #if os(tvOS)
      KeychainStore(service: "org.postilion.consent")
    #else
      file("consent", isBackedUp: true)
    #endif
  }
}
