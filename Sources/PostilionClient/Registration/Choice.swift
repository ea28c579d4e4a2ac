import Foundation

/// What the person has chosen: whether there may be an installation on the server.
///
/// It is stored in one word, apart from the state, and so outlives it.
///
///     in     out
enum Choice: String, Sendable {
  /// There may be one.
  case optedIn = "in"
  /// There must be none.
  case optedOut = "out"

  /// Reads what is stored. Damaged bytes are no choice if the state is there to say it, else an
  /// opt-out: then nothing is sent until the app says again what the person wants.
  init?(stored: Data?, hasState: Bool) {
    guard let stored else { return nil }
    if let choice = Self(rawValue: String(decoding: stored, as: UTF8.self)) {
      self = choice
    } else if hasState {
      return nil
    } else {
      self = .optedOut
    }
  }

  /// The choice as it is stored.
  var stored: Data { Data(rawValue.utf8) }
}
