/// What is to become of a call once it is reported. A later release may know more of them.
public struct CallFate: RawRepresentable, Sendable, Hashable {
  /// It rings.
  public static let ring = Self(rawValue: "ring")
  /// It is ended at once: it began too long ago.
  public static let endStale = Self(rawValue: "endStale")
  /// It is ended at once: it was withdrawn, or the payload withdraws it.
  public static let endWithdrawn = Self(rawValue: "endWithdrawn")
  /// It is ended at once: the payload says nothing of a call.
  public static let endUnreadable = Self(rawValue: "endUnreadable")

  /// Its word.
  public let rawValue: String

  /// The fate of a word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Whether it is ended at once.
  public var ends: Bool { self != .ring }
}
