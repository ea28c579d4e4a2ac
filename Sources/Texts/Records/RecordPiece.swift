package import JSON

/// A record as it was cut out of the body.
package struct RecordPiece: Sendable, Hashable {
  package enum Content: Sendable, Hashable {
    /// The bytes of what should be one JSON value.
    case json([UInt8])
    /// The cells of a CSV row; `nil` for an empty one, which `""` is not.
    case row([String?])
    /// The record cannot be had, for this reason.
    case fault(InputFailure)
  }

  /// The line of the body on which it begins, from 1.
  package var line: Int
  package var content: Content

  /// A record beyond the bound.
  static func tooLarge(line: Int) -> Self {
    let detail = "A record has at most \(RecordLimits.recordBytes) bytes."
    return Self(line: line, content: .fault(InputFailure(.recordTooLarge, detail)))
  }
}

/// Cuts a body into records as its bytes come, and holds one record at most.
package protocol RecordCutting: Sendable {
  /// Takes the next bytes; the ones before must have been asked for to the end.
  mutating func append(_ bytes: [UInt8])
  /// The next whole record; `nil` when more bytes are needed.
  mutating func next() -> RecordPiece?
  /// The record that the end of the body completes.
  mutating func finish() -> RecordPiece?
}

/// The codes of records that cannot be cut out of a body.
package enum RecordFault: String, Sendable, CaseIterable {
  /// It is larger than ``RecordLimits/recordBytes``.
  case recordTooLarge = "record_too_large"
  /// A row has more or fewer cells than the header.
  case wrongColumns = "wrong_columns"
  /// A row's quotation marks are not in pairs, or it is not UTF-8.
  case malformedCSV = "malformed_csv"
  /// The body cannot be read on from here.
  case unreadableRest = "unreadable_rest"
}

extension InputFailure {
  /// The failure of a whole record.
  init(_ fault: RecordFault, _ detail: String) {
    self.init([InputProblem(pointer: "", code: fault.rawValue, detail: detail)])
  }
}
