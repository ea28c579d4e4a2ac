/// Values of things in two generations: when one is full, the one before it is forgotten.
///
/// A thing is kept as 64 bits under a key of this process; two alike are not to be expected.
struct RecentValues<Value> {
  private let maximum: Int
  private var recent: [Int: Value] = [:]
  private var older: [Int: Value] = [:]

  /// - Parameter maximum: Things of a generation.
  init(_ maximum: Int) { self.maximum = maximum }

  /// The value of a thing, unless it is forgotten.
  subscript(thing: some Hashable) -> Value? { recent[thing.hashValue] ?? older[thing.hashValue] }

  /// Notes the value of a thing.
  mutating func note(_ value: Value, _ thing: some Hashable) {
    if recent.count >= maximum {
      // Both keep their memory: a new table of this size each time would make that of the process
      // go up and down by megabytes.
      swap(&recent, &older)
      recent.removeAll(keepingCapacity: true)
    }
    recent[thing.hashValue] = value
  }
}
