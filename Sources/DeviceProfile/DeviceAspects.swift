/// What of a device can make a difference to a rendering, beside its languages, its platform and
/// the build of its app: devices that differ in nothing else get the same.
public struct DeviceAspects: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// A set of its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// How its region writes numbers and dates.
  public static let locale = Self(rawValue: 1)
  /// Where it is.
  public static let timeZone = Self(rawValue: 2)
  /// What its system and its app can do.
  public static let abilities = Self(rawValue: 4)
  /// What the person allows.
  public static let authorization = Self(rawValue: 8)
  /// The app's own facts, as far as the message names them.
  public static let attributes = Self(rawValue: 16)
  /// Everything that any message may depend on by itself; ``attributes`` depend on its parameters.
  public static let all: Self = [.locale, .timeZone, .abilities, .authorization]
}
