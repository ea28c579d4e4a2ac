/// A path of the API with its query, percent-encoded (RFC 3986, section 2.1).
struct APIPath: Equatable {
  private(set) var text = "/v1"

  /// A path of segments that may hold anything.
  init(_ segments: String...) {
    for segment in segments { add(segment) }
  }

  /// The path of something of an app.
  static func app(_ app: String, _ segments: String...) -> APIPath {
    var path = APIPath("apps", app)
    for segment in segments { path.add(segment) }
    return path
  }

  /// Adds a segment.
  mutating func add(_ segment: String) { text += "/" + Self.encoded(segment) }

  /// The path with a parameter more, unless its value is `nil`.
  func with(_ name: String, _ value: String?) -> APIPath {
    guard let value else { return self }
    var path = self
    path.text += text.contains("?") ? "&" : "?"
    path.text += Self.encoded(name) + "=" + Self.encoded(value)
    return path
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }
}
