import HTTP
import Testing

@Suite struct MediaTypeTests {
  static let types: [(String, String?)] = [
    ("application/json", "application/json"),
    ("Text/HTML; Charset=utf-8", "text/html charset=utf-8"),
    ("text/html;charset=\"utf-8\"", "text/html charset=utf-8"),
    (" text/csv ; header = present", nil),
    (" text/csv ; header=present ", "text/csv header=present"),
    ("multipart/form-data; boundary=\"a;b\\\"c\"", "multipart/form-data boundary=a;b\"c"),
    ("text/csv;", "text/csv"),
    ("text/csv; ; a=b", "text/csv a=b"),
    ("text/csv; a=b; A=c", "text/csv a=b"),
    ("application/vnd.api+json", "application/vnd.api+json"),
    ("", nil), ("text", nil), ("text/", nil), ("/csv", nil), ("text/csv a", nil),
    ("text/csv; a", nil), ("text/csv; a=", nil), ("text/csv; a=\"b", nil),
    ("text /csv", nil), ("text/csv, text/html", nil),
  ]

  @Test(arguments: types)
  func parses(text: String, expected: String?) {
    let type = MediaType(text).map { type in
      ([type.essence] + type.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        .joined(separator: " ")
    }
    #expect(type == expected)
  }

  /// Against the offers `application/json`, `application/x-ndjson`, `text/csv`, in that order.
  static let accepts: [(String?, String?)] = [
    (nil, "application/json"),
    ("", "application/json"),
    ("*/*", "application/json"),
    ("text/csv", "text/csv"),
    ("TEXT/CSV", "text/csv"),
    ("application/*", "application/json"),
    ("text/*", "text/csv"),
    ("text/html", nil),
    ("text/html, */*;q=0.1", "application/json"),
    ("text/csv, application/json", "application/json"),
    ("text/csv, application/json;q=0.9", "text/csv"),
    ("text/csv;q=0.8, application/x-ndjson;q=0.85", "application/x-ndjson"),
    ("application/json;q=0, */*", "application/x-ndjson"),
    ("application/json;q=0", nil),
    ("*/*;q=0", nil),
    ("application/*;q=0.2, application/json;q=0.1, text/csv;q=0.15", "application/x-ndjson"),
    ("application/json;version=2, text/csv", "text/csv"),
    ("text/csv; q=1.000, application/json; q=0.999", "text/csv"),
    ("application/json;q=2, text/csv", "text/csv"),
    ("application/json;q=x, text/csv", "text/csv"),
    ("nonsense, text/csv", "text/csv"),
    ("a/b;c=\"d,application/json\", text/csv", "text/csv"),
    ("*/csv, text/csv;q=0.1", "text/csv"),
    ("nonsense", "application/json"),
  ]

  @Test(arguments: accepts)
  func negotiates(accept: String?, expected: String?) {
    let offers = ["application/json", "application/x-ndjson", "text/csv"]
    #expect(MediaType.preferred(accept: accept, among: offers) == expected)
  }
}
