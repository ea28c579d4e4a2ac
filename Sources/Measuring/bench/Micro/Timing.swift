/// Nanoseconds of one operation.
enum Timing {
  /// How long each of the repetitions lasts, in seconds, and how many there are.
  private static let seconds = 0.1
  private static let repetitions = 5

  /// The best of a few repetitions: whatever else the machine does only adds to it.
  ///
  /// - Parameter operation: gives something that depends on its work, so that none is left out.
  static func nanoseconds(_ operation: () throws(Fault) -> Int) throws(Fault) -> Double {
    var best = Double.infinity
    var sum = 0
    for _ in 0..<repetitions {
      var count = 0
      let start = now()
      var elapsed = 0.0
      repeat {
        for _ in 0..<16 { sum &+= try operation() }
        count += 16
        elapsed = now() - start
      } while elapsed < seconds
      best = min(best, elapsed * 1e9 / Double(count))
    }
    guard sum != 0 else { throw Fault("an operation gave nothing") }
    return best
  }
}
