internal import ASCII
package import JSON
internal import Postgres

/// The number by which an attribute is compared: the `Double` next to a JSON number, or the Unix
/// seconds of a text that is a time of RFC 3339 or one of its dates, which begins in UTC.
///
/// `7` → 7, `"2026-05-02T00:00:00Z"` and `"2026-05-02"` → 1777680000, `"7"` → none
package struct AttributeNumber: Hashable, Sendable {
  /// In the order of the numbers; its hexadecimal digits have the same order.
  let order: UInt64

  init(_ value: Double) {
    // Zero has two forms, and only one place.
    let bits = (value == 0 ? 0 : value).bitPattern
    order = bits & Self.sign == 0 ? bits | Self.sign : ~bits
  }

  init(order: UInt64) { self.order = order }

  /// The number of an attribute's value, or of what it is compared with; `nil` when it has none.
  package init?(_ value: JSONValue) {
    switch value {
    case .integer(let number): self.init(Double(number))
    case .double(let number): self.init(number)
    case .longNumber(let text): self.init(Double(text) ?? 0)
    case .string(let text): self.init(time: text)
    case .null, .bool, .array, .object: return nil
    }
  }

  /// The Unix seconds of a time or date.
  private init?(time text: String) {
    // Most texts are neither, and registrations have many.
    guard text.utf8.count >= 10, text.utf8.first?.isASCIIDigit == true else { return nil }
    let isDate = text.utf8.count == 10
    guard let time = Timestamp(rfc3339: isDate ? "\(text)T00:00:00Z" : text) else { return nil }
    self.init(Double(time.microseconds) / 1_000_000)
  }

  private static let sign: UInt64 = 1 << 63

  private var value: Double {
    Double(bitPattern: order & Self.sign == 0 ? ~order : order & ~Self.sign)
  }

  /// The order as 16 hexadecimal digits.
  var text: String {
    let digits = String(order, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: Nodes

  /// A range of numbers that the index knows as a word.
  struct Node: Hashable, Sendable {
    /// How coarse it is: `a` is an octave, from a power of two to the next; `b` a 64th of one, `c`
    /// a 4096th.
    let level: Character
    /// Its place in the order of nodes of its level.
    let place: Int

    var text: String { "\(level)\(place)" }
  }

  private static let levels: [(name: Character, bits: Int)] = [("a", 12), ("b", 6), ("c", 0)]
  /// Octaves that are told apart, from 2^-16 to 2^63; smaller and larger numbers share a node each.
  private static let octaves = 80

  /// The place of its finest node: the octave, and 12 bits within it.
  fileprivate var place: Int {
    let magnitude = value.magnitude
    guard magnitude >= 0x1p-16 else { return 0 }
    let place =
      magnitude >= 0x1p63
      ? Self.octaves << 12
      : (Int(magnitude.exponent) + 17) << 12 | Int(magnitude.bitPattern >> 40 & 0xFFF)
    return value < 0 ? -place : place
  }

  /// The nodes that it lies in, one of each level.
  var nodes: [Node] { Self.levels.map { Node(level: $0.name, place: place >> $0.bits) } }

  /// The fewest nodes that hold a range; the nodes at its ends may hold a little more.
  ///
  /// Example: for 4.5 to below 16 these are the nodes of level `b` from 4.5 to 8, and the octave
  /// from 8 to 16. An empty range has none.
  static func cover(_ range: AttributeRange) -> [Node] {
    guard range.lowest <= range.highest else { return [] }
    var nodes: [Node] = []
    func add(_ low: Int, _ high: Int, _ levels: ArraySlice<(name: Character, bits: Int)>) {
      guard low <= high, let level = levels.first else { return }
      let first = (low + (1 << level.bits) - 1) >> level.bits
      let last = (high + 1) >> level.bits - 1
      guard first <= last else { return add(low, high, levels.dropFirst()) }
      nodes += (first...last).map { Node(level: level.name, place: $0) }
      add(low, first << level.bits - 1, levels.dropFirst())
      add((last + 1) << level.bits, high, levels.dropFirst())
    }
    let most = Self.octaves << 12
    let highest = Self(order: range.highest).place
    add(
      Self(order: range.lowest).place, highest == most ? most | 0xFFF : highest, levels[...])
    return nodes
  }
}

/// A range of numbers by their order, both ends included.
package struct AttributeRange: Hashable, Sendable {
  fileprivate(set) var lowest = AttributeNumber(-.infinity).order
  fileprivate(set) var highest = AttributeNumber(.infinity).order

  /// How a bound is spelled behind the name of an attribute.
  package enum Comparison: String, CaseIterable, Sendable { case gte, gt, lte, lt }

  /// All numbers.
  package init() {}

  /// Keeps those numbers of the range that compare so with a number.
  package mutating func narrow(_ comparison: Comparison, _ number: AttributeNumber) {
    switch comparison {
    case .gte: lowest = max(lowest, number.order)
    case .gt: lowest = max(lowest, number.order + 1)
    case .lte: highest = min(highest, number.order)
    case .lt: highest = min(highest, number.order - 1)
    }
  }

  func contains(_ number: AttributeNumber) -> Bool {
    number.order >= lowest && number.order <= highest
  }

  /// Whether the nodes of its cover hold nothing else.
  ///
  /// Example: from 30 to below 31 it is so; from 30 to 31 they also hold 31.001.
  var isCoveredExactly: Bool {
    func parts(_ low: UInt64, _ high: UInt64) -> Bool {
      AttributeNumber(order: low).place != AttributeNumber(order: high).place
    }
    let all = Self()
    return (lowest == all.lowest || parts(lowest - 1, lowest))
      && (highest == all.highest || parts(highest, highest + 1))
  }
}
