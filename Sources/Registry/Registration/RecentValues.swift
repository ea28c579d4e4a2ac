/// The values of the things that were noted last. They are in two tables: when the newer one is
/// full it becomes the older one, and what that had is forgotten.
///
/// Of a thing only the 64 bits of its hash are kept. That two have the same is not to be expected.
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
      // Both tables keep their memory. New ones would make the process grow and shrink by
      // megabytes.
      swap(&recent, &older)
      recent.removeAll(keepingCapacity: true)
    }
    recent[thing.hashValue] = value
  }
}
