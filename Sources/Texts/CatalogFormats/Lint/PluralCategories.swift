internal import Localization

/// The plural categories of a language, each with a number that belongs to it.
///
/// Found by asking for 0…200, 1000 and 1000000, and for 0.0…2.9: no public function tells the
/// categories of a language, nor which of them whole numbers can have (Czech has `many` for
/// fractions only).
struct PluralCategories {
  /// The categories of whole numbers.
  private(set) var integers: [PluralCategory: String] = [:]
  /// The categories of whole numbers and fractions.
  private(set) var all: [PluralCategory: String] = [:]

  init(localization: String) {
    let rules = PluralRules(localization: localization)
    for number in Array(0...200) + [1000, 1_000_000] {
      let category = rules.category(of: .integer(Int64(number)))
      if integers[category] == nil { integers[category] = String(number) }
    }
    all = integers
    for tenths in 0..<30 {
      let number = PluralNumber.decimal(Double(tenths) / 10, fractionDigits: 1)
      let category = rules.category(of: number)
      if all[category] == nil { all[category] = "\(tenths / 10).\(tenths % 10)" }
    }
  }
}
