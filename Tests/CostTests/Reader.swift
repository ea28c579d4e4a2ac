import Foundation

/// Something that reads bytes from outside, and what costs it most.
struct Reader {
  /// What is read.
  let name: String
  /// The most bytes of it that get so far.
  let largest: Int
  /// Makes what costs most of so many bytes, and gives the work on it.
  let prepare: (Int) -> () -> Void

  /// - Parameter make: The worst input of so many bytes.
  init<Input>(
    _ name: String, upTo largest: Int, _ make: @escaping (Int) -> Input,
    _ read: @escaping (Input) -> Void
  ) {
    self.name = name
    self.largest = largest
    prepare = { size in
      let input = make(size)
      return { read(input) }
    }
  }

  /// What is measured: something small, and four times as much, the largest if that is not long.
  var sizes: [Int] {
    let large = min(largest, 16 << 10)
    return [large / 4, large]
  }

  /// All of them.
  nonisolated(unsafe) static let all = fields + heads + json + reports + texts + bodies + files
}

/// A text of about so many bytes: a beginning, something again and again, and an end.
func text(_ bytes: Int, _ start: String = "", _ unit: String, _ end: String = "") -> String {
  let count = max(0, bytes - start.utf8.count - end.utf8.count) / unit.utf8.count
  return start + String(repeating: unit, count: count) + end
}

/// The same, of pieces that differ by their number.
func numbered(
  _ bytes: Int, _ start: String = "", _ end: String = "", _ unit: (Int) -> String
) -> String {
  var text = start
  var number = 0
  while text.utf8.count + end.utf8.count < bytes {
    text += unit(number)
    number += 1
  }
  return text + end
}

/// A letter with many marks, whose order Swift looks for in quadratic time.
let marks = "\u{323}\u{301}"
/// Characters of which one cannot be told from the next without those before.
let flags = "🇩🇪"

/// The processor time of this thread that some work takes.
func processorSeconds(_ work: () -> Void) -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  work()
  return now() - start
}
