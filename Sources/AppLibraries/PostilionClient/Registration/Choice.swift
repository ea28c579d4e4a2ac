import Foundation

/// What the person has chosen: whether there may be an installation on the server.
///
/// It is stored in one word, apart from the state, and so outlives it.
///
///     in     out     gone
enum Choice: String, Sendable {
  /// There may be one.
  case optedIn = "in"
  /// There must be none, and the server has not confirmed that yet.
  case optedOut = "out"
  /// There must be none, and there is none.
  case removed = "gone"

  /// Reads what is stored. Damaged bytes are no choice if the state is there to say it. Else
  /// nothing is sent until the app says again what the person wants.
  init?(stored: Data?, hasState: Bool) {
    guard let stored else { return nil }
    if let choice = Self(rawValue: String(decoding: stored, as: UTF8.self)) {
      self = choice
    } else if hasState {
      return nil
    } else {
      self = .removed
    }
  }

  /// The choice as it is stored.
  var stored: Data { Data(rawValue.utf8) }
}

/// How far an opt-in or opt-out has come. A later release may know more of them.
public struct ChoiceProgress: RawRepresentable, Hashable, Sendable {
  /// The server has done it: after an opt-out it has no installation, after an opt-in it has one.
  public static let done = Self(rawValue: "done")
  /// It is stored on the device, and is sent when it can be, also by a later process: without a
  /// network it ends here. So does an opt-in while the system has not told a token yet, and
  /// an opt-out that the server refuses: it is tried again the next day.
  public static let stored = Self(rawValue: "stored")
  /// It is told, and not stored: the app has not started the library, or the device was not
  /// unlocked since it was switched on. Nothing of it survives the end of the process.
  public static let told = Self(rawValue: "told")

  /// Its word.
  public let rawValue: String

  /// The progress of a word.
  public init(rawValue: String) { self.rawValue = rawValue }
}
