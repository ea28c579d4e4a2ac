import Foundation
import PostilionClient

/// What a device keeps of an app: it outlives the launches of the app in a test.
///
/// ```swift
/// let memory = DeviceMemory()
/// let first = Postilion(identityStore: memory, stateStore: memory, transport: server)
/// let second = Postilion(identityStore: memory, stateStore: memory, transport: server)
/// // `second` is the app after it was ended and launched again.
/// ```
///
/// It is unchecked because what it holds is only reached under its lock.
public final class DeviceMemory: IdentityStore, StateStore, @unchecked Sendable {
  private struct Contents {
    var identity: InstallationIdentity?
    var state: Data?
    var isLocked = false
  }

  /// The device was not unlocked since it started, so nothing can be read or written.
  public struct Locked: Error {}

  private let lock = NSLock()
  private var contents = Contents()

  /// The memory of a device without the app.
  public init() {}

  /// Name and secret of the installation; `nil` before the first launch.
  public var identity: InstallationIdentity? {
    get { withLock { $0.identity } }
    set { withLock { $0.identity = newValue } }
  }

  /// What the client has stored of the registration, in a form of its own.
  public var state: Data? {
    get { withLock { $0.state } }
    set { withLock { $0.state = newValue } }
  }

  /// Whether the device was not unlocked since it started: until it is, nothing can be read or
  /// written.
  public var isLocked: Bool {
    get { withLock { $0.isLocked } }
    set { withLock { $0.isLocked = newValue } }
  }

  /// Removes the app: its files go, and what the keychain has stays.
  public func removeApp() { state = nil }

  /// The stored identity.
  public func load() throws -> InstallationIdentity? { try unlocked { $0.identity } }

  /// Stores an identity.
  public func save(_ identity: InstallationIdentity) throws {
    try unlocked { $0.identity = identity }
  }

  /// The stored state.
  public func load() throws -> Data? { try unlocked { $0.state } }

  /// Stores a state.
  public func save(_ state: Data) throws { try unlocked { $0.state = state } }

  private func unlocked<Result>(_ body: (inout Contents) -> Result) throws -> Result {
    try withLock { contents in
      if contents.isLocked { throw Locked() }
      return body(&contents)
    }
  }

  private func withLock<Result>(_ body: (inout Contents) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&contents)
  }
}
