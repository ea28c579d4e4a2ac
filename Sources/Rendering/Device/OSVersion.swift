/// A version such as `17.4.1`, compared number by number: 10.0 is later than 9.3.
public struct OSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The first number.
  public var major: Int
  /// The second number, 0 when it is left out.
  public var minor: Int
  /// The third number, 0 when it is left out.
  public var patch: Int

  /// A version of its numbers.
  public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Reads one to three numbers of at most six digits with dots between; nil for anything else.
  public init?(_ text: String) {
    let fields = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
    guard (1...3).contains(fields.count) else { return nil }
    var numbers: [Int] = []
    for field in fields {
      guard (1...6).contains(field.utf8.count),
        field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = Int(field)
      else { return nil }
      numbers.append(number)
    }
    self.init(
      numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
  }

  /// The version as text: `17.4`, or `17.4.1` when there is a third number.
  public var description: String {
    patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
  }

  /// The order of versions.
  public static func < (first: OSVersion, second: OSVersion) -> Bool {
    (first.major, first.minor, first.patch) < (second.major, second.minor, second.patch)
  }
}
