extension RowReader {
  /// The next column as a word of a fixed list.
  public mutating func nextWord<Word: RawRepresentable<String>>() throws(PostgresError) -> Word {
    guard let word = try nextOptionalWord(Word.self) else {
      throw PostgresError(.decoding, "a column of \(Word.self) is null")
    }
    return word
  }

  /// The next column as a word of a fixed list, `nil` when it is null.
  public mutating func nextOptionalWord<Word: RawRepresentable<String>>(
    _ type: Word.Type = Word.self
  ) throws(PostgresError) -> Word? {
    guard let text = try nextOptional(String.self) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw PostgresError(.decoding, "a column holds no \(Word.self)")
    }
    return word
  }
}
