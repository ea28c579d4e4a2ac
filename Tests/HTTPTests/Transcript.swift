import HTTP
import Testing

/// What a parser makes of bytes that arrive in pieces, as text: one line per head and per body, and
/// last `idle`, `closed`, `waits in head`, `waits in body`, or the error.
///
///     GET / 1.1 none keep
///     POST /a?b 1.1 length 3 close
///       abc
///     idle
func transcript(
  of pieces: [[UInt8]], limits: HTTPLimits = .standard
) -> String {
  var parser = RequestParser(limits: limits)
  var lines: [String] = []
  var body: [UInt8] = []
  do {
    for piece in [[]] + pieces {
      parser.append(piece)
      while let event = try parser.next() {
        switch event {
        case .head(let head): lines.append(summary(of: head))
        case .body(let bytes): body += bytes
        case .end:
          if !body.isEmpty { lines.append("  " + String(decoding: body, as: UTF8.self)) }
          body = []
        }
      }
    }
  } catch {
    return (lines + ["\(error.status.code) \(error.code)"]).joined(separator: "\n")
  }
  if parser.isInHead {
    lines.append("waits in head")
  } else if parser.isInBody {
    lines.append("waits in body")
  } else {
    lines.append(parser.isBetweenRequests ? "idle" : "lost")
  }
  return lines.joined(separator: "\n")
}

func transcript(of text: String, step: Int, limits: HTTPLimits = .standard) -> String {
  transcript(of: pieces(Array(text.utf8), step: step), limits: limits)
}

func pieces(_ bytes: [UInt8], step: Int) -> [[UInt8]] {
  stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<min($0 + step, bytes.count)]) }
}

private func summary(of head: RequestHead) -> String {
  let framing =
    switch head.framing {
    case .none: "none"
    case .length(let length): "length \(length)"
    case .chunked: "chunked"
    }
  let path = head.path + (head.query.map { "?" + $0 } ?? "")
  return "\(head.method.name) \(path) \(head.version == .http11 ? "1.1" : "1.0") \(framing)"
    + (head.keepAlive ? " keep" : " close") + (head.expectsContinue ? " continue" : "")
}

/// A row of a table: a name, what is sent, and the transcript that must come of it.
struct Row: Sendable, CustomTestStringConvertible {
  let name: String
  let sent: String
  let expected: String

  init(_ name: String, _ sent: String, _ expected: String) {
    self.name = name
    self.sent = sent
    self.expected = expected
  }

  var testDescription: String { name }
}
