import ASCII
import TestSupport
import Testing

@Suite struct LineCutterTests {
  @Test(
    arguments: [
      (["a\nb", "c\nd"], ["a\nbc\n", "d"]),
      (["a\n"], ["a\n"]),
      (["\n\n", "a"], ["\n\n", "a"]),
      ([], []),
      // Of what is too long the beginning is kept, one byte more than may be.
      (["abcdef", "gh\ni"], ["abcd\n", "i"]),
      (["abcdefgh\ni\n"], ["abcdefgh\ni\n"]),
      (["abc", "def", "ghi"], ["abcd"]),
      (["abc", "d", "\n", "xyz\n"], ["abcd\nxyz\n"]),
    ] as [([String], [String])])
  func linesAreWhole(pieces: [String], expected: [String]) {
    var cutter = LineCutter(bound: 3)
    for piece in pieces { cutter.append(Array(piece.utf8)) }
    var taken: [String] = []
    while let lines = cutter.take(atMost: 100) {
      taken.append(String(decoding: lines, as: UTF8.self))
    }
    if let last = cutter.finish() { taken.append(String(decoding: last, as: UTF8.self)) }
    #expect(taken == expected)
  }

  @Test func howTheBytesAreCutMakesNoDifference() {
    let feed = UInt8(ascii: "\n")
    var random = SplitMix64(seed: 5)
    for _ in 0..<300 {
      let length = Int.random(in: 0..<60, using: &random)
      let text: [UInt8] = (0..<length).map { _ in
        Int.random(in: 0..<4, using: &random) == 0 ? feed : UInt8(ascii: "a")
      }
      var cutter = LineCutter(bound: 8)
      var taken: [UInt8] = []
      var rest = text[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...rest.count, using: &random)
        cutter.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
        if Bool.random(using: &random), let lines = cutter.take(atMost: 2) { taken += lines }
      }
      while let lines = cutter.take(atMost: 1) { taken += lines }
      taken += cutter.finish() ?? []
      #expect(Self.beginnings(taken) == Self.beginnings(text))
    }
  }

  /// The lines of a text, each as far as the bound lets it through.
  private static func beginnings(_ text: [UInt8]) -> [[UInt8]] {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.map { Array($0.prefix(9)) }
  }
}
