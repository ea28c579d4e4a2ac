internal import ASCII
internal import Localization

extension EntryLint {
  /// Rules that hold the cases of variables to the categories of the entry's language.
  ///
  /// A variable that reads its number as an integer needs no category that only fractions have.
  /// A missing `other` is told by the reader of the file; `zero` stands for 0 in any language.
  mutating func checkPlurals(categories: () -> PluralCategories) {
    let variables = entry.comparedFormats.flatMap(\.variables)
    guard !variables.isEmpty else { return }
    let categories = categories()
    for (name, variable) in variables {
      let isWhole = variable.numberConversion?.isWhole == true
      let samples = isWhole ? categories.integers : categories.all
      let missing = PluralCategory.allCases.filter {
        $0 != .other && samples[$0] != nil && variable.cases[$0] == nil
      }
      if !missing.isEmpty {
        let list = missing.map { "\($0.rawValue) (\(samples[$0] ?? ""))" }.joined(separator: ", ")
        add(
          .missingPluralCategory,
          "has no text of '\(name.text.quoted)' for \(list): 'other' stands in.",
          commonCause: list)
      }
      let unreachable = PluralCategory.allCases.filter {
        $0 != .zero && $0 != .other && categories.all[$0] == nil && variable.cases[$0] != nil
      }
      if !unreachable.isEmpty {
        let list = unreachable.map(\.rawValue).joined(separator: ", ")
        add(
          .unreachablePluralCategory,
          "has a text of '\(name.text.quoted)' for \(list), which the language does not have.",
          commonCause: list)
      }
    }
  }
}
