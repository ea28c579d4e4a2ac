internal import ASCII

/// A finding at a byte offset, before lines and columns are counted.
struct Finding: Error {
  var offset: Int
  var severity: Diagnostic.Severity = .error
  var code: Diagnostic.Code
  var message: String

  /// Throws when the task is cancelled: then nobody waits for the result any more.
  static func checkCancellation() throws(Finding) {
    guard !Task.isCancelled else {
      throw Finding(offset: 0, code: .limitExceeded, message: "Nobody waits for this any more.")
    }
  }
}

/// Turns offsets into lines and columns in one walk over the text.
struct PositionCounter {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var column = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The place of an offset; offsets must not decrease from call to call.
  mutating func position(of target: Int) -> Place {
    while offset < min(target, bytes.count) {
      let byte = bytes[offset]
      offset += 1
      let isCarriageReturn = byte == UInt8(ascii: "\r")
      let precedesLineFeed = offset < bytes.count && bytes[offset] == UInt8(ascii: "\n")
      if byte == UInt8(ascii: "\n") || isCarriageReturn && !precedesLineFeed {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return Place(line: line, column: column)
  }

  /// The places of keys, which come in order. If a key is there twice, the last place counts, as
  /// the last value does.
  static func places(
    of keys: [(key: String, offset: Int)], in text: [UInt8]
  ) -> [Spelling: Place] {
    var counter = PositionCounter(text)
    var places: [Spelling: Place] = Dictionary(minimumCapacity: keys.count)
    for (key, offset) in keys { places[key] = counter.position(of: offset) }
    return places
  }

  /// The diagnostics of one file, in order of place.
  static func diagnostics(_ findings: [Finding], file: String, text: [UInt8]) -> [Diagnostic] {
    var counter = PositionCounter(text)
    return findings.sorted { $0.offset < $1.offset }.map { finding in
      let place = counter.position(of: finding.offset)
      return Diagnostic(
        file: file, line: place.line, column: place.column, severity: finding.severity,
        code: finding.code, message: finding.message)
    }
  }
}
