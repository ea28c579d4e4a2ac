import ASCII
import CatalogFormats
import Foundation
import Localization
import TestSupport
import Testing

/// No bytes crash or hang the parser.
@Suite struct RobustnessTests {
  @Test func anySequenceOfTokensIsReadOrRefused() {
    var random = SplitMix64(seed: 0x57_21)
    let tokens = [
      "\"", "'", "\\", "=", ";", "{", "}", "(", ")", "<", ">", ",", "/*", "*/", "//", "\n", "\r",
      "a", "\"k\"", "k=v;", "\\U", "d83d", "\\351", "\u{2028}", "é", "😀", "\u{0}", "\u{FEFF}", "/",
      "<?xml", "bplist00", "0f", " ",
    ]
    for _ in 0..<30_000 {
      let text = (0..<random.below(24)).map { _ in tokens[random.below(tokens.count)] }.joined()
      let result = parse(text)
      let hasError = result.diagnostics.contains { $0.severity == .error }
      #expect(result.entries != nil || hasError)
    }
  }

  @Test func damagedFilesOfEveryFormatDoNotCrash() throws {
    var random = SplitMix64(seed: 0xDA_4A)
    let strings = ["key": "text with é", "other": "😀", "third": "plain %@ text"]
    let old = strings.map { "\"\($0)\" = \"\($1)\"; // c\n" }.joined()
    let seeds: [[UInt8]] = [
      Array(old.utf8), [0xFF, 0xFE] + old.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
      Array(
        try PropertyListSerialization.data(fromPropertyList: strings, format: .binary, options: 0)),
      Array(
        try PropertyListSerialization.data(fromPropertyList: strings, format: .xml, options: 0)),
    ]
    for _ in 0..<20_000 {
      var bytes = seeds[random.below(seeds.count)]
      for _ in 0...random.below(5) {
        // Half of the damage goes to the last 40 bytes: a binary file's trailer and offsets.
        let place =
          random.below(2) == 0
          ? random.below(bytes.count) : max(0, bytes.count - 1 - random.below(40))
        bytes[place] = UInt8(random.below(256))
      }
      if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
      _ = StringsParser.parse(SourceFile(path: "x", bytes: bytes))
    }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "\"", "'", "\\", "(", "{", "a=(", "a={", "a;", "\"\\u", "/*", "//", "<", "a=<", "\u{2028}",
    ]
  )
  func aMegabyteOfOneThingTakesNoQuadraticTime(token: String) {
    func text(of bytes: Int) -> String {
      String(repeating: token, count: bytes / token.utf8.count)
    }
    let growth = Growth.ofWork(on: text(of: 1 << 18), and: text(of: 1 << 20)) { _ = parse($0) }
    #expect(growth < Growth.limit)
  }
}
