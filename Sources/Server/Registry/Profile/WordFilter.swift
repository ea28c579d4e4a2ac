internal import DeviceProfile

/// A filter of installations by a word of a fixed list, which the inverted index keeps.
package struct WordFilter: Sendable {
  /// Its name in queries, which is that of the field.
  package let name: String
  /// All words of the list.
  package let words: [String]
  /// The column that has nothing but the word; `nil` when the word is a part of a column.
  let column: String?
  /// Whether every installation has a word: then the installations without one word are those with
  /// another.
  let isAlwaysThere: Bool
  /// The word of an installation; `nil` when it has none.
  let word: @Sendable (Installation) -> String?

  init<Word: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, of type: Word.Type, isAlwaysThere: Bool = false, isColumn: Bool = true,
    _ value: @escaping @Sendable (Installation) -> Word?
  ) {
    self.name = name
    column = isColumn ? name : nil
    words = Word.allCases.map(\.rawValue)
    self.isAlwaysThere = isAlwaysThere
    word = { value($0)?.rawValue }
  }

  package static let all: [WordFilter] =
    [
      WordFilter("platform", of: Platform.self, isAlwaysThere: true) { $0.platform },
      WordFilter("environment", of: Environment.self, isAlwaysThere: true) { $0.environment },
      WordFilter("authorization", of: AuthorizationStatus.self, isColumn: false) {
        $0.authorization?.status
      },
    ] + ProfileField.all.compactMap(\.word)
}
