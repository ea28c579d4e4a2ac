internal import ASCII

/// How a record becomes a line.
public enum LogFormat: String, Sendable, CaseIterable {
  /// For people: `2026-05-02T19:32:41.123Z info listening address=127.0.0.1:8080`.
  case text
  /// For collectors, one object a line: `{"time":"…","level":"info","event":"listening",…}`.
  case json

  /// Appends the record as one line with its line feed.
  ///
  /// Whatever the fields hold, the record stays one line, no control character reaches a terminal,
  /// and of a long text the beginning is written.
  /// - Parameter microseconds: the time of the record since 1970-01-01T00:00:00Z.
  public func append(_ record: LogRecord, microseconds: Int64, to bytes: inout [UInt8]) {
    switch self {
    case .text: appendText(record, microseconds, &bytes)
    case .json: appendJSON(record, microseconds, &bytes)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  private func appendText(_ record: LogRecord, _ microseconds: Int64, _ bytes: inout [UInt8]) {
    bytes.append(contentsOf: RFC3339.text(microseconds: microseconds).utf8)
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: record.level.name.utf8)
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: record.event.utf8)
    for field in record.fields {
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: field.key.utf8)
      bytes.append(UInt8(ascii: "="))
      if case .string(let text) = field.value, !needsQuotes(text) {
        bytes.append(contentsOf: text.shortened(to: Limits.logTextBytes).utf8)
      } else {
        appendValue(field.value, to: &bytes)
      }
    }
  }

  private func appendJSON(_ record: LogRecord, _ microseconds: Int64, _ bytes: inout [UInt8]) {
    bytes.append(contentsOf: #"{"time":""#.utf8)
    bytes.append(contentsOf: RFC3339.text(microseconds: microseconds).utf8)
    bytes.append(contentsOf: #"","level":""#.utf8)
    bytes.append(contentsOf: record.level.name.utf8)
    bytes.append(contentsOf: #"","event":"#.utf8)
    appendQuoted(record.event, to: &bytes)
    for field in record.fields {
      bytes.append(UInt8(ascii: ","))
      appendQuoted(field.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      appendValue(field.value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func appendValue(_ value: LogValue, to bytes: inout [UInt8]) {
    switch value {
    case .string(let text): appendQuoted(text.shortened(to: Limits.logTextBytes), to: &bytes)
    case .integer(let number): bytes.append(contentsOf: number.description.utf8)
    case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }
  }

  /// A bare text value ends at a space, and `=` would look like another field.
  private func needsQuotes(_ text: String) -> Bool {
    text.isEmpty
      || text.utf8.contains { byte in
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "=") || mayNeedEscape(byte)
      }
  }

  /// 0xC2 begins the control characters U+0080…U+009F, and some others that do no harm.
  private func mayNeedEscape(_ byte: UInt8) -> Bool {
    byte < UInt8(ascii: " ") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      || byte == 0x7F || byte == 0xC2
  }

  /// A JSON string (RFC 8259 section 7). Beyond what it asks for, DEL and the control characters
  /// U+0080…U+009F are escaped: terminals obey some of them.
  private func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    // Nearly all texts need no escape: half the time of a line went into the loop below.
    guard text.utf8.contains(where: mayNeedEscape) else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes.append(contentsOf: #"\""#.utf8)
      case "\\": bytes.append(contentsOf: #"\\"#.utf8)
      case "\n": bytes.append(contentsOf: #"\n"#.utf8)
      case "\r": bytes.append(contentsOf: #"\r"#.utf8)
      case "\t": bytes.append(contentsOf: #"\t"#.utf8)
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        bytes.append(contentsOf: #"\u00"#.utf8)
        if digits.utf8.count == 1 { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: digits.utf8)
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
