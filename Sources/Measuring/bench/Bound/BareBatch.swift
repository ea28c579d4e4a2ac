internal import Glibc

/// The requests that wait together, as the texts of arrays of PostgreSQL.
///
/// Nothing is parsed: keys and tokens are found by the bytes around them, which all requests of the
/// bench have in common.
struct BareBatch {
  /// The connections that wait for it.
  private(set) var waiting: [Int] = []
  /// `{…}` of the keys, tokens and versions, without the last brace.
  private(set) var ids: [CChar] = []
  private(set) var tokens: [CChar] = []
  private(set) var versions: [CChar] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Takes what the statements need of a request; one that has no key is no request of the bench.
  mutating func add(_ request: UnsafeRawBufferPointer, from connection: Int) {
    guard let middle = request.position(of: "-0000-4000-8000-"), middle >= 8 else { return }
    waiting.append(connection)
    Self.append(request[(middle - 8)..<(middle + 28)], to: &ids)
    let token = request.position(of: #""token":""#, from: middle)
    Self.append(token.map { request[($0 + 9)..<($0 + 73)] } ?? request[0..<0], to: &tokens)
    let version = request.position(of: #""app_version":""#, from: middle)
    let end = version.flatMap { request.position(of: #"""#, from: $0 + 15) }
    let range = version.flatMap { start in end.map { (start + 15)..<$0 } } ?? 0..<0
    Self.append(request[range], to: &versions)
  }

  /// The text of an array.
  static func closed(_ array: [CChar]) -> [CChar] {
    array + [CChar(UInt8(ascii: "}")), 0]
  }

  /// An element without bytes is null.
  private static func append(_ bytes: Slice<UnsafeRawBufferPointer>, to array: inout [CChar]) {
    array.append(CChar(UInt8(ascii: array.isEmpty ? "{" : ",")))
    if bytes.isEmpty {
      array += "NULL".utf8.map { CChar(bitPattern: $0) }
    } else {
      for byte in bytes { array.append(CChar(bitPattern: byte)) }
    }
  }
}
