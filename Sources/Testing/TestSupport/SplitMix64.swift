/// A random generator whose numbers follow from its seed (Steele, Lea, Flood: "Fast splittable
/// pseudorandom number generators", 2014), so that a failing test can be run again.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator; equal seeds give equal numbers.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 on that is less than a bound above 0.
  public mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &self) }
}
