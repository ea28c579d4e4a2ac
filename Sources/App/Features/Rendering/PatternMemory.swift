internal import DeviceProfile
internal import Rendering

/// The patterns that are known for the devices of the same traits.
struct PatternMemory {
  /// What becomes of lines in the same circumstances.
  enum Outcome {
    case pattern(LinePattern)
    /// The person denied what the message shows.
    case denied
    /// Each has a rendering of its own.
    case none
  }

  /// The circumstances of a line beside the traits.
  struct Key: Hashable {
    private let given: UInt64
    private let hasBadge: Bool
    private let hasCollapseID: Bool
    private let environment: Environment
    /// Arguments that are no texts, as they stand in the line.
    private let fixed: [UInt8]

    /// - Parameters:
    ///   - bytes: What the line stands in.
    ///   - arguments: The arguments of this line and of others.
    ///   - texts: The parameters that take any text, a bit each.
    init(
      _ quick: QuickLine, in bytes: [UInt8], _ arguments: [Range<Int>], _ texts: UInt64,
      _ environment: Environment
    ) {
      given = quick.given
      hasBadge = quick.badge != nil
      hasCollapseID = quick.collapseID != nil
      self.environment = environment
      var rest = quick.given & ~texts
      var fixed: [UInt8] = []
      while rest != 0 {
        fixed += bytes[arguments[quick.firstArgument + rest.trailingZeroBitCount]]
        // No value has it.
        fixed.append(0)
        rest &= rest - 1
      }
      self.fixed = fixed
    }

    /// About what it takes of memory.
    var byteCount: Int { 64 + fixed.count }
  }

  private var outcomes: [Key: Outcome] = [:]
  /// How many circumstances are known.
  var count: Int { outcomes.count }
  private var last: (key: Key, outcome: Outcome)?

  /// What is known of these circumstances.
  subscript(key: Key) -> Outcome? {
    mutating get {
      // Most lines are like the one before.
      if let last, last.key == key { return last.outcome }
      guard let outcome = outcomes[key] else { return nil }
      last = (key, outcome)
      return outcome
    }
    set {
      outcomes[key] = newValue
      last = newValue.map { (key, $0) }
    }
  }
}

/// How many patterns a stream or a plan may still remember. It belongs to the rendering under way.
final class PatternBudget: @unchecked Sendable {
  private var patterns: Int
  private var bytes: Int

  init(patterns: Int, bytes: Int) {
    self.patterns = patterns
    self.bytes = bytes
  }

  static var ofStream: PatternBudget {
    PatternBudget(
      patterns: Limits.rememberedContents, bytes: Limits.rememberedContentBytes)
  }

  /// Whether another may be made.
  var hasRoom: Bool { patterns > 0 && bytes > 0 }

  /// One more is remembered.
  func take(_ outcome: PatternMemory.Outcome, of key: PatternMemory.Key) {
    patterns -= 1
    bytes -= key.byteCount
    if case .pattern(let pattern) = outcome { bytes -= pattern.byteCount }
  }
}
