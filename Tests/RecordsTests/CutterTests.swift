import JSON
import Testing

@testable import Records

/// Bodies are cut into records wherever their pieces end.
@Suite struct CutterTests {
  /// A body and its records: `1 {"a":1}`, the line and the text, or the code of its fault.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let body: String
    var envelope: String?
    let records: [String]
    var testDescription: String { name }
  }

  static let json: [Case] = [
    Case(name: "nothing", body: "", records: []),
    Case(name: "blanks", body: " \n\t\r\n", records: []),
    Case(
      name: "one on each line", body: "{\"a\":1}\n{\"b\":2}\n",
      records: ["1 {\"a\":1}", "2 {\"b\":2}"]),
    Case(
      name: "no end of line", body: "{\"a\":1}\n{\"b\":2}",
      records: ["1 {\"a\":1}", "2 {\"b\":2}"]),
    Case(name: "CRLF", body: "{}\r\n{}\r\n", records: ["1 {}", "2 {}"]),
    Case(name: "empty lines", body: "\n\n{}\n\n \n{}\n", records: ["3 {}", "6 {}"]),
    Case(name: "byte order mark", body: "\u{FEFF}{}\n{}", records: ["1 {}", "2 {}"]),
    Case(
      name: "a line that is no JSON costs itself", body: "{}\nxyz\n{}",
      records: ["1 {}", "2 xyz", "3 {}"]),
    Case(name: "the first line is no JSON", body: "xyz\n{}", records: ["1 xyz", "2 {}"]),
    Case(
      name: "the first object is broken off", body: "{\"a\":{\"b\":1}\n{}\n{}",
      records: ["1 {\"a\":{\"b\":1}", "2 {}", "3 {}"]),
    Case(
      name: "the first object ends in a string", body: "{\"a\":\"b\n{}\n{}",
      records: ["1 {\"a\":\"b", "2 {}", "3 {}"]),
    Case(
      name: "the first object's brackets do not match", body: "{\"a\":[1}\n{}",
      records: ["1 {\"a\":[1}", "2 {}"]),
    Case(
      name: "and its line goes on", body: "{\"a\":[1}{\"b\":2}\n{}",
      records: ["1 {\"a\":[1}{\"b\":2}", "2 {}"]),
    Case(
      name: "array", body: "[{\"a\":1}, {\"b\":[2,3]}]",
      records: ["1 {\"a\":1}", "1 {\"b\":[2,3]}"]),
    Case(
      name: "array over lines", body: "[\n {\"a\":\n 1},\n {}\n]\n",
      records: ["2 {\"a\":\n 1}", "4 {}"]),
    Case(name: "empty array", body: " [ ] ", records: []),
    Case(
      name: "array of anything", body: "[1,\"a,]\",null]", records: ["1 1", "1 \"a,]\"", "1 null"]),
    Case(
      name: "brackets and quotation marks in strings", body: #"[{"a":"}]\"[{\\"},{"b":"\\\""}]"#,
      records: [#"1 {"a":"}]\"[{\\"}"#, #"1 {"b":"\\\""}"#]),
    Case(
      name: "an array that ends too soon", body: "[{},{\"a\":1",
      records: ["1 {}", "1 unreadable_rest"]),
    Case(
      name: "an array whose brackets do not match", body: "[{},\n{\"a\":1]},{}]",
      records: ["1 {}", "2 unreadable_rest"]),
    Case(
      name: "envelope", body: "{\n\"results\": [{\"a\":1},{\"results\":[1]}]}", envelope: "results",
      records: ["2 {\"a\":1}", "2 {\"results\":[1]}"]),
    Case(
      name: "envelope with other members", body: #"{"n":{"results":[1]},"results":[{}],"x":[2]}"#,
      envelope: "results", records: ["1 {}"]),
    Case(
      name: "envelopes behind each other",
      body: "{\"results\":[{\"a\":1}],\"next\":\"}]\"}\n{\"next\":[],\"results\":[{}]}\n",
      envelope: "results", records: ["1 {\"a\":1}", "2 {}"]),
    Case(
      name: "arrays behind each other", body: "[{\"a\":1}]\n[{\"b\":2}][]",
      records: ["1 {\"a\":1}", "2 {\"b\":2}"]),
    Case(name: "text behind an array", body: "[{}] x\ny", records: ["1 {}", "1 x", "2 y"]),
    Case(
      name: "an envelope that ends too soon", body: "{\"results\":[{}],\"next\":\"",
      envelope: "results", records: ["1 {}", "1 unreadable_rest"]),
    Case(
      name: "an envelope whose brackets do not match", body: "{\"results\":[{}],\"next\":[}}",
      envelope: "results", records: ["1 {}", "1 unreadable_rest"]),
    Case(
      name: "no envelope", body: "{\"results\":[{}]}\n{}",
      records: ["1 {\"results\":[{}]}", "2 {}"]),
    Case(
      name: "a member of that name is no array", body: "{\"results\":{}}\n{}", envelope: "results",
      records: ["1 {\"results\":{}}", "2 {}"]),
    Case(
      name: "a value of that name", body: "{\"a\":\"results\",\"b\":[1]}", envelope: "results",
      records: ["1 {\"a\":\"results\",\"b\":[1]}"]),
  ]

  static let csv: [Case] = [
    Case(name: "nothing", body: "", records: []),
    Case(name: "cells", body: "a,b\nc,d\n", records: ["1 a|b", "2 c|d"]),
    Case(name: "no end of line", body: "a,b\nc,d", records: ["1 a|b", "2 c|d"]),
    Case(name: "CRLF", body: "a,b\r\nc,\r\n", records: ["1 a|b", "2 c|nil"]),
    Case(name: "empty cells", body: ",\n,,", records: ["1 nil|nil", "2 nil|nil|nil"]),
    Case(name: "empty texts", body: "\"\",\n,\"\"", records: ["1 |nil", "2 nil|"]),
    Case(name: "empty lines", body: "\n\r\na\n\n", records: ["3 a"]),
    Case(name: "quoted", body: "\"a,b\",\"c\"\n\"\"\n", records: ["1 a,b|c", "2 "]),
    Case(name: "doubled quotation marks", body: "\"\"\"a\"\" b\",c", records: ["1 \"a\" b|c"]),
    Case(
      name: "line break in a cell", body: "\"a\r\nb\",c\r\nd,e",
      records: ["1 a\r\nb|c", "3 d|e"]),
    Case(name: "quotation mark within", body: "a\"b,c", records: ["1 a\"b|c"]),
    Case(
      name: "text behind a quoted cell", body: "\"a\"b,c\nd,e",
      records: ["1 malformed_csv", "2 d|e"]),
    Case(name: "open at the end", body: "a,b\n\"c,d", records: ["1 a|b", "2 malformed_csv"]),
    Case(name: "a carriage return of its own", body: "a\rb,c", records: ["1 a\rb|c"]),
  ]

  @Test(arguments: json) func jsonIsCut(row: Case) {
    expect(row) { JSONCutter(envelope: row.envelope) }
  }

  @Test(arguments: csv) func csvIsCut(row: Case) {
    expect(row) { CSVCutter() }
  }

  /// However the body is cut into pieces, the records are the same.
  private func expect(_ row: Case, _ make: () -> any RecordCutting) {
    let bytes = Array(row.body.utf8)
    for size in 1...max(1, bytes.count) {
      let pieces = stride(from: 0, to: bytes.count, by: size).map {
        Array(bytes[$0..<min($0 + size, bytes.count)])
      }
      #expect(records(pieces, make()) == row.records, "pieces of \(size)")
    }
  }

  private func records(_ pieces: [[UInt8]], _ cutter: any RecordCutting) -> [String] {
    var cutter = cutter
    var found: [RecordPiece] = []
    for piece in pieces {
      cutter.append(piece)
      while let record = cutter.next() { found.append(record) }
    }
    while let record = cutter.finish() { found.append(record) }
    return found.map { record in
      switch record.content {
      case .json(let bytes):
        // Blanks behind a record are the JSON reader's business.
        let end = bytes.lastIndex { ![0x20, 0x0A, 0x0D].contains($0) }.map { $0 + 1 } ?? 0
        return "\(record.line) \(String(decoding: bytes[..<end], as: UTF8.self))"
      case .row(let cells):
        return "\(record.line) \(cells.map { $0 ?? "nil" }.joined(separator: "|"))"
      case .fault(let failure): return "\(record.line) \(failure.problems[0].code)"
      }
    }
  }

  @Test func aRecordBeyondTheBoundCostsItselfAndNoMemory() {
    let long = String(repeating: "x", count: 10_000_000)
    let bodies: [(String, any RecordCutting)] = [
      ("{}\n{\"a\":\"\(long)\"}\n{}", JSONCutter(envelope: nil)),
      ("{\"a\":\"\(long)\"}\n{}\n{}", JSONCutter(envelope: nil)),
      ("[{},\n{\"a\":\"\(long)\"},\n{}]", JSONCutter(envelope: nil)),
      ("a\n\"\(long)\"\nb", CSVCutter()),
    ]
    for (body, cutter) in bodies {
      let bytes = Array(body.utf8)
      let pieces = stride(from: 0, to: bytes.count, by: 65_536).map {
        Array(bytes[$0..<min($0 + 65_536, bytes.count)])
      }
      let found = records(pieces, cutter)
      #expect(found.count == 3)
      #expect(found.filter { $0.hasSuffix("record_too_large") }.count == 1)
    }
  }

  @Test func nestingIsBounded() {
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(records([Array(deep.utf8)], JSONCutter(envelope: nil)) == ["1 unreadable_rest"])
    let object = "{\"a\":\(deep)\n{}"
    #expect(records([Array(object.utf8)], JSONCutter(envelope: nil)).last == "2 {}")
  }
}
