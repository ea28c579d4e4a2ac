/// A version that can be compared: one to four dotted numbers, as in `17.4.1` or `412`; `3.2` and
/// `3.2.0` are the same, and 10.0 is later than 9.3. Text is stored as the app sent it; this is how
/// it is read.
public struct Version: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The numbers, zero where there is none.
  private var numbers = SIMD4<UInt64>.zero

  /// A version of its first numbers.
  public init(_ major: UInt64, _ minor: UInt64 = 0, _ patch: UInt64 = 0) {
    numbers[0] = major
    numbers[1] = minor
    numbers[2] = patch
  }

  /// Reads a version; `nil` when it is not one, or a number has more than 18 digits.
  public init?(_ text: String) {
    var index = 0
    var digits = 0
    for byte in text.utf8 {
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits < 18 {
        numbers[index] = numbers[index] * 10 + UInt64(byte - UInt8(ascii: "0"))
        digits += 1
      } else if byte == UInt8(ascii: "."), digits > 0, index < 3 {
        index += 1
        digits = 0
      } else {
        return nil
      }
    }
    guard digits > 0 else { return nil }
  }

  /// The numbers without zeros behind, at least one: arrays of them compare as versions do.
  /// `3.2.0` → `[3, 2]`
  public var order: [UInt64] {
    var order = (0..<4).map { numbers[$0] }
    while order.count > 1, order.last == 0 { order.removeLast() }
    return order
  }

  /// The version as text, of two numbers at least: `17.0`, `17.4.1`.
  public var description: String {
    let order = order.map(String.init)
    return (order.count > 1 ? order : order + ["0"]).joined(separator: ".")
  }

  public static func < (left: Self, right: Self) -> Bool {
    for index in 0..<4 where left.numbers[index] != right.numbers[index] {
      return left.numbers[index] < right.numbers[index]
    }
    return false
  }
}

/// The systems that know a feature, each with the first version that knows it.
public struct FirstVersions: Hashable, Sendable {
  private let ios: Version
  private let macos: Version?
  private let watchos: Version?
  private let visionos: Version?

  /// The first versions of iOS, which iPadOS shares, and of the other systems that know the
  /// feature.
  public init(
    ios: Version, macos: Version? = nil, watchos: Version? = nil, visionos: Version? = nil
  ) {
    self.ios = ios
    self.macos = macos
    self.watchos = watchos
    self.visionos = visionos
  }

  /// Nil: the system never knew it.
  public subscript(platform: Platform) -> Version? {
    switch platform {
    case .ios, .ipados: ios
    case .macos: macos
    case .watchos: watchos
    case .visionos: visionos
    case .tvos: nil
    }
  }
}
