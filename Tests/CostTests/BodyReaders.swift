import ASCII

@testable import APNs
@testable import App
@testable import Commands
@testable import JSON
@testable import Records
@testable import Rendering

extension Reader {
  private static func cut(_ cutter: some RecordCutting, _ bytes: [UInt8]) {
    var cutter = cutter
    cutter.append(bytes)
    while cutter.next() != nil {}
    _ = cutter.finish()
  }

  private static func message(_ json: String) {
    _ = try? JSONValue(body: Array(json.utf8)).read { Message(reading: $0) }
  }

  nonisolated(unsafe) static let bodies: [Reader] = [
    Reader("rows of CSV", upTo: RecordLimits.recordBytes) {
      Array(text($0, "", "\"\"\"\",").utf8)
    } _: {
      cut(CSVCutter(), $0)
    },
    Reader("records of JSON", upTo: RecordLimits.recordBytes) { bytes in
      Array(text(bytes, "", "{\"\n[\"\\").utf8)
    } _: {
      cut(JSONCutter(envelope: "results"), $0)
    },
    Reader("records of other services", upTo: RecordLimits.recordBytes) { bytes in
      Array(numbered(bytes, "{", "\"\":0}") { "\"a\($0)\":{\"b\":{\"c\":0}}," }.utf8)
    } _: { bytes in
      if case .object(let members)? = JSONValue(parsing: bytes) { _ = FlatRecord(members) }
    },
    Reader("lines, byte by byte", upTo: Limits.recipientLineBytes) {
      text($0, "", "a")
    } _: { line in
      var cutter = LineCutter(bound: Limits.recipientLineBytes)
      for byte in line.utf8 {
        cutter.append([byte])
        _ = cutter.take(atMost: 100)
      }
    },
    Reader("templates of messages", upTo: Limits.messageBodyBytes) { bytes in
      text(bytes, "", "{{a}")
    } _: {
      _ = Template($0)
    },
    Reader("texts of messages", upTo: Limits.messageBodyBytes) { bytes in
      numbered(bytes, "{\"alert\":{\"title\":{\"text\":{\"en\":\"\"", "}}}}") {
        ",\"en-a\($0)\":\"{a}\""
      }
    } _: {
      message($0)
    },
    Reader("payloads", upTo: Limits.administrationBodyBytes) { bytes in
      numbered(bytes, "{\"payload\":{\"aps\":{\"alert\":{", "\"a\":0}}}}") { "\"a\($0)\":[]," }
    } _: { json in
      guard let request = try? PayloadCheckRequest.decode(Array(json.utf8)).body else { return }
      _ = Payload(request.payload)
    },
  ]
}
