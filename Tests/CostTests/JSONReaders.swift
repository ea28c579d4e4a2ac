@testable import App
@testable import JSON
@testable import Registry

extension Reader {
  private static func json(
    _ name: String, _ worst: @escaping (Int) -> String
  ) -> Reader {
    Reader(name, upTo: Limits.renderBodyBytes) {
      Array(worst($0).utf8)
    } _: { bytes in
      _ = try? JSONValue(body: bytes)
    }
  }

  nonisolated(unsafe) static let json: [Reader] = [
    json("JSON: arrays in arrays") { bytes in text(bytes, "[", "[[[[[[[[]]]]]]]],", "0]") },
    json("JSON: a number") { bytes in text(bytes, "[0.", "123456789", "e-99]") },
    json("JSON: a string with escapes") { bytes in text(bytes, "[\"", "\\ud83d\\ude00", "\"]") },
    json("JSON: many names") { bytes in numbered(bytes, "{", "\"\":0}") { "\"a\($0)\":0," } },
    json("JSON: long names of marks") { bytes in
      let name = text(bytes / 40, "e", marks)
      return numbered(bytes, "{", "\"\":0}") { "\"\(name)\($0)\":0," }
    },
    json("JSON: a name twice, deep inside") { bytes in
      let (depth, name) = (100, text(bytes / 200, "", "n"))
      let start = String(repeating: "{\"\(name)\":", count: depth)
      return text(bytes, start + "{", "\"a\":0,", "\"a\":0}" + String(repeating: "}", count: depth))
    },
    json("JSON: names twice on many lines") { bytes in text(bytes, "{", "\"a\":0,\n", "\"a\":0}") },
    Reader("JSON of string catalogs", upTo: 16 << 20) { bytes in
      Array(numbered(bytes, "{", "\"\":0}") { "\"\(marks)\($0)\":[]," }.utf8)
    } _: { bytes in
      _ = try? JSONNode(parsing: bytes, maximumCount: 1 << 20)
    },
    Reader("fields that nobody knows", upTo: Limits.renderBodyBytes) { bytes in
      Array(numbered(bytes, "{", "\"\":0}") { "\"\(9999 - $0)\(marks)/\":0," }.utf8)
    } _: { bytes in
      _ = try? TagChange.decode(bytes)
    },
  ]
}
