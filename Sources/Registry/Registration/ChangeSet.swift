/// What one decision writes; all of it or nothing.
package struct ChangeSet: Sendable {
  package var transitions: [Transition] = []
  package var touches: [Installation] = []
  /// The person whose device an installation becomes, to be looked at behind the commit.
  var choice: ChosenLanguage?

  /// Changes of some installations, and others that were only called.
  package init(transitions: [Transition] = [], touches: [Installation] = []) {
    self.transitions = transitions
    self.touches = touches
  }

  /// Whether there is nothing to write.
  var isEmpty: Bool { transitions.isEmpty && touches.isEmpty }

  package var keys: [InstallationKey] { transitions.compactMap(\.key) + touchedKeys }

  var touchedKeys: [InstallationKey] { touches.map(\.key) }

  /// Deletions go in rounds of their own, so that the rows of a round are locked in one order.
  var isDeletion: Bool { transitions.contains { $0.after == nil } }
}

/// How the writing of a ``ChangeSet`` ended.
enum CommitResult: Sendable {
  /// Another writer was faster, and nothing was written.
  case outrun
  /// It is committed.
  case written
  /// It is committed, and the language of its ``ChangeSet/choice`` may have been chosen anew.
  case overtaken
}
