import Foundation

/// What the app and its extensions share on the device, as of iOS an extension sees none of the
/// app's files: the keys to decrypt a message, say, or the messages themselves.
///
/// ```swift
/// let shared = AppGroup("group.com.example.food")
/// let keys = shared.directory?.appendingPathComponent("keys")
/// ```
///
/// In Xcode, add the capability *App Groups* with this name to the app and to the extension.
public struct AppGroup: Sendable, Hashable {
  /// The name of the group, which begins with `group.`.
  public var identifier: String

  /// A group.
  public init(_ identifier: String) {
    self.identifier = identifier
  }

  /// The directory of the group; `nil` where the target lacks the capability, and on systems that
  /// are not Apple's.
  public var directory: URL? {
    #if canImport(Darwin)
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier)
    #else
      nil
    #endif
  }
}
