/// What one decision writes; all of it or nothing.
package struct ChangeSet: Sendable {
  package var transitions: [Transition] = []
  package var touches: [Installation] = []

  /// Changes of some installations, and others that were only called.
  package init(transitions: [Transition] = [], touches: [Installation] = []) {
    self.transitions = transitions
    self.touches = touches
  }

  package var keys: [InstallationKey] { transitions.compactMap(\.key) + touchedKeys }

  var touchedKeys: [InstallationKey] {
    touches.map { InstallationKey(appID: $0.appID, id: $0.id) }
  }

  /// Deletions go in rounds of their own, so that the rows of a round are locked in one order.
  var isDeletion: Bool { transitions.contains { $0.after == nil } }
}
