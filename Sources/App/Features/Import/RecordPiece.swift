import JSON

/// A record as it was cut out of the body.
struct RecordPiece: Sendable, Hashable {
  /// What was cut out.
  enum Content: Sendable, Hashable {
    /// The bytes of what should be one JSON value.
    case json([UInt8])
    /// The cells of a CSV row; `nil` for an empty one, which `""` is not.
    case row([String?])
    /// It cannot be had.
    case fault(InputFailure)
  }

  /// The line of the body on which it begins, from 1.
  var line: Int
  var content: Content

  /// A record beyond the bound.
  static func tooLarge(line: Int) -> Self {
    let detail = "A record has at most \(Limits.importRecordBytes) bytes."
    return Self(line: line, content: .fault(InputFailure(.recordTooLarge, detail)))
  }
}

/// What cuts a body into records as its bytes come, and holds one record at most.
protocol RecordCutting: Sendable {
  /// Takes the next bytes; the ones before must have been asked for to the end.
  mutating func append(_ bytes: [UInt8])
  /// The next whole record; `nil` when more bytes are needed.
  mutating func next() -> RecordPiece?
  /// The record that the end of the body completes.
  mutating func finish() -> RecordPiece?
}
