import Foundation
import Localization
import TestSupport
import Testing

@Suite struct PluralRulesTests {
  @Test(arguments: [
    ("ru", "1 one, 2 few, 5 many, 11 many, 21 one, 22 few, 111 many, 1.5 other"),
    ("pl", "0 many, 1 one, 2 few, 5 many, 12 many, 21 many, 22 few"),
    ("ar", "0 zero, 1 one, 2 two, 3 few, 10 few, 11 many, 99 many, 100 other, 103 few"),
    ("he", "1 one, 2 two, 3 other"),
    ("lv", "0 zero, 1 one, 10 zero, 11 zero, 21 one, 2 other"),
    ("fr", "0 one, 1 one, 1.5 one, 2 other, 1000000 many"),
    ("pt", "0 one, 1 one"), ("pt-PT", "0 other, 1 one"), ("pt_PT", "0 other"), ("pt-BR", "0 one"),
    ("cs", "1 one, 3 few, 5 other, 1.5 many"),
    ("sl", "101 one, 102 two, 103 few, 5 other"),
    ("lt", "1 one, 2 few, 10 other, 11 other, 21 one"),
    ("ro", "0 few, 1 one, 19 few, 20 other, 101 few"),
    ("cy", "0 zero, 1 one, 2 two, 3 few, 6 many"), ("ga", "7 many, 11 other"),
    ("en", "0 other, 1 one, 1.0 other, 1.00 other, 2 other"),
    ("ru", "9007199254740993 few"),
    ("zh_Hans", "1 other"), ("sr@latin", "1 one, 2 few"), ("iw", "2 two"), ("English", "1 one"),
    ("lld", "0 other, 1 one, 1.0 other, 2 other, 1000000 many"),
    ("tl", "4 other, 5 one"), ("pr", "1 other"), ("", "1 other"),
  ])
  func aNumberHasTheCategoryOfTheLanguage(localization: String, expected: String) {
    let rules = PluralRules(localization: localization)
    for sample in expected.split(separator: ", ") {
      let parts = sample.split(separator: " ").map(String.init)
      #expect(category(parts[0], rules) == parts[1], "\(localization): \(parts[0])")
    }
  }

  /// All of the samples, so that a change of the toolchain's data shows what it changes.
  @Test(arguments: [("cardinals", PluralRules.Kind.cardinal), ("ordinals", .ordinal)])
  func everySampleOfCLDRHasItsCategory(name: String, kind: PluralRules.Kind) throws {
    var languages: [String] = []
    var count = 0
    for line in try Golden.fixture("Localization/\(name).txt").split(separator: "\n") {
      guard !line.hasPrefix("#") else { continue }
      guard line.hasPrefix("  ") else {
        languages = line.split(separator: " ").map(String.init)
        continue
      }
      let words = line.split(whereSeparator: { " :".contains($0) }).map(String.init)
      let samples = words.dropFirst().flatMap(expanded)
      for language in languages {
        let rules = PluralRules(localization: language, kind)
        let wrong = samples.filter { category($0, rules) != words[0] }
        #expect(wrong == [], "\(language) \(words[0])")
        count += samples.count
      }
    }
    #expect(count > (kind == .cardinal ? 8000 : 2000))
  }

  private func category(_ sample: String, _ rules: PluralRules) -> String {
    rules.category(of: number(sample)).rawValue
  }

  private func number(_ sample: String) -> PluralNumber {
    if let integer = Int64(sample) { return .integer(integer) }
    let digits = sample.split(separator: ".").last?.count ?? 0
    return .decimal(Double(sample) ?? .nan, fractionDigits: digits)
  }

  /// `0.0~0.2` → 0.0, 0.1, 0.2.
  private func expanded(_ sample: String) -> [String] {
    let ends = sample.split(separator: "~").map(String.init)
    guard ends.count == 2 else { return ends }
    let digits = ends[0].split(separator: ".").dropFirst().first?.count ?? 0
    let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
    func units(_ text: String) -> Int { Int(((Double(text) ?? 0) * Double(scale)).rounded()) }
    return (units(ends[0])...units(ends[1])).map { unit in
      guard digits > 0 else { return String(unit) }
      let fraction = String(unit % scale)
      let zeros = String(repeating: "0", count: digits - fraction.count)
      return "\(unit / scale).\(zeros)\(fraction)"
    }
  }
}
