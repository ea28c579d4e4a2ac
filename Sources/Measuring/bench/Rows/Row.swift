/// What a figure has to reach.
enum Bar: Sendable {
  /// At least so many times the reference.
  case ratio(first: Double, goal: Double)
  /// At most so much, in the row's unit.
  case most(first: Double, goal: Double)
  /// At most so many times the reference.
  case mostRatio(first: Double, goal: Double)
  /// At least so much, in the row's unit.
  case least(Double)
  /// Reported only.
  case none

  var first: Double? {
    switch self {
    case .ratio(let first, _), .most(let first, _), .mostRatio(let first, _), .least(let first):
      first
    case .none: nil
    }
  }

  var goal: Double? {
    switch self {
    case .ratio(_, let goal), .most(_, let goal), .mostRatio(_, let goal), .least(let goal): goal
    case .none: nil
    }
  }
}

/// One line of the table and of `results.json`.
struct Row: Sendable, Encodable {
  /// The name in the list of goals, `P1`.
  let name: String
  let what: String
  let value: Double
  let unit: String
  var reference: String?
  var referenceValue: Double?
  let bar: Bar
  /// What the bare mechanisms alone reach in the same run (``Bound``).
  var boundValue: Double?
  /// The ratio, or where there is no reference the value, of each round.
  var rounds: [Double] = []
  var p50Milliseconds: Double?
  var p99Milliseconds: Double?
  var p999Milliseconds: Double?
  var referenceP50Milliseconds: Double?
  var referenceP99Milliseconds: Double?
  /// How much later than due an open-loop client sent 99 of 100 requests at most.
  var lagMilliseconds: Double?
  var cpuMicroseconds: CPUShare?
  var referenceCPUMicroseconds: CPUShare?
  var boundCPUMicroseconds: CPUShare?
  /// How much of the machine other programs took meanwhile, 0 to 1.
  var othersShare: Double?

  var ratio: Double? { referenceValue.map { value / $0 } }

  /// How much of the physical bound is reached, 0 to 1.
  var share: Double? { boundValue.map { value / $0 } }
  /// What ``share`` is to reach.
  static let shareBar = (first: 0.6, goal: 0.85)

  /// As ``ratio``, in operations for the processor time of all processes: what the ratio tends to
  /// when processors are short, and hardly touched by what else runs on the machine.
  var cpuRatio: Double? {
    guard let own = cpuMicroseconds?.all, let other = referenceCPUMicroseconds?.all else {
      return nil
    }
    return other / own
  }

  var verdict: String {
    switch bar {
    case .ratio(let first, let goal):
      let ratio = ratio ?? 0
      return ratio >= goal ? "goal" : ratio >= first ? "first bar" : "below first bar"
    case .most(let first, let goal):
      return value <= goal ? "goal" : value <= first ? "first bar" : "below first bar"
    case .mostRatio(let first, let goal):
      guard let ratio else { return "" }
      return ratio <= goal ? "goal" : ratio <= first ? "first bar" : "below first bar"
    case .least(let goal): return value >= goal ? "goal" : "below first bar"
    case .none: return ""
    }
  }

  private enum CodingKeys: String, CodingKey {
    case name, what, value, unit, reference, ratio, goal, verdict, share
    case bound, rounds
    case shareFirstBar = "share_first_bar"
    case shareGoal = "share_goal"
    case boundCPUMicroseconds = "bound_cpu_us"
    case referenceValue = "reference_value"
    case firstBar = "first_bar"
    case p50Milliseconds = "p50_ms"
    case p99Milliseconds = "p99_ms"
    case p999Milliseconds = "p999_ms"
    case referenceP50Milliseconds = "reference_p50_ms"
    case referenceP99Milliseconds = "reference_p99_ms"
    case lagMilliseconds = "client_lag_p99_ms"
    case cpuMicroseconds = "cpu_us"
    case referenceCPUMicroseconds = "reference_cpu_us"
    case cpuRatio = "cpu_ratio"
    case othersShare = "others_share"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(what, forKey: .what)
    try container.encode(value, forKey: .value)
    try container.encode(unit, forKey: .unit)
    try container.encode(reference, forKey: .reference)
    try container.encode(referenceValue, forKey: .referenceValue)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(bar.first, forKey: .firstBar)
    try container.encode(bar.goal, forKey: .goal)
    try container.encode(verdict, forKey: .verdict)
    if !rounds.isEmpty { try container.encode(rounds, forKey: .rounds) }
    if let boundValue, let share {
      try container.encode(boundValue, forKey: .bound)
      try container.encode(share, forKey: .share)
      try container.encode(Self.shareBar.first, forKey: .shareFirstBar)
      try container.encode(Self.shareBar.goal, forKey: .shareGoal)
    }
    try container.encodeIfPresent(boundCPUMicroseconds, forKey: .boundCPUMicroseconds)
    try container.encodeIfPresent(p50Milliseconds, forKey: .p50Milliseconds)
    try container.encodeIfPresent(p99Milliseconds, forKey: .p99Milliseconds)
    try container.encodeIfPresent(p999Milliseconds, forKey: .p999Milliseconds)
    try container.encodeIfPresent(referenceP50Milliseconds, forKey: .referenceP50Milliseconds)
    try container.encodeIfPresent(referenceP99Milliseconds, forKey: .referenceP99Milliseconds)
    try container.encodeIfPresent(lagMilliseconds, forKey: .lagMilliseconds)
    try container.encodeIfPresent(cpuMicroseconds, forKey: .cpuMicroseconds)
    try container.encodeIfPresent(referenceCPUMicroseconds, forKey: .referenceCPUMicroseconds)
    try container.encodeIfPresent(cpuRatio, forKey: .cpuRatio)
    try container.encodeIfPresent(othersShare, forKey: .othersShare)
  }
}
