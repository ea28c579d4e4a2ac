import Foundation

/// What the app has told and the registration has not taken in, in order. Any thread may add.
final class Inbox: @unchecked Sendable {
  private let lock = NSLock()
  private var changes: [RegistrationChange] = []
  private var current: PostilionConfiguration?

  /// The configuration of the launch; `nil` before it.
  var configuration: PostilionConfiguration? { locked { current } }

  /// Adds a change.
  func add(_ change: RegistrationChange, _ configuration: PostilionConfiguration?) {
    locked {
      changes.append(change)
      if let configuration { current = configuration }
    }
  }

  /// Takes all changes.
  func take() -> [RegistrationChange] {
    locked {
      defer { changes = [] }
      return changes
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}
