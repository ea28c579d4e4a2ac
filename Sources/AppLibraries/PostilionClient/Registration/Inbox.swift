/// What the app has told and the registration has not taken in, in order. Any thread may add.
final class Inbox: Sendable {
  private struct Contents {
    var changes: [RegistrationChange] = []
    var configuration: PostilionConfiguration?
  }

  private let contents = Guarded(Contents())

  /// The configuration of the launch; `nil` before it.
  var configuration: PostilionConfiguration? { contents.withLock { $0.configuration } }

  /// Adds a change.
  func add(_ change: RegistrationChange, _ configuration: PostilionConfiguration?) {
    contents.withLock { contents in
      contents.changes.append(change)
      if let configuration { contents.configuration = configuration }
    }
  }

  /// Takes all changes.
  func take() -> [RegistrationChange] {
    contents.withLock { contents in
      defer { contents.changes = [] }
      return contents.changes
    }
  }
}
