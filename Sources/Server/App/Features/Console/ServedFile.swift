internal import Crypto
internal import HTTP
internal import Zip

/// A file for browsers in two forms. Each form has a tag, by which a browser sees that it already
/// has the file.
struct ServedFile: Sendable {
  private let contentType: String
  private let plain: [UInt8]
  private let plainTag: EntityTag
  private let compressed: [UInt8]
  private let compressedTag: EntityTag

  init(_ bytes: [UInt8], contentType: String) {
    self.contentType = contentType
    plain = bytes
    plainTag = Self.tag(bytes)
    compressed = Zip.compressed(bytes, .gzip)
    compressedTag = Self.tag(compressed)
  }

  private static func tag(_ bytes: [UInt8]) -> EntityTag {
    EntityTag(SHA256.hash(bytes).prefix(7).reduce(0) { $0 << 8 | Int64($1) })
  }

  /// The file, or an answer without it if the browser already has it.
  /// - Throws: ``Problem`` about preconditions that cannot be read.
  func response(to request: Request) throws -> Response {
    let isCompressed = request.head.acceptsGzip()
    let bytes = isCompressed ? compressed : plain
    var response = try Response(.ok, contentType: contentType, fixed: bytes)
      .tagged(isCompressed ? compressedTag : plainTag, unlessKnown: request)
    if isCompressed { response.fields.append("Content-Encoding", "gzip") }
    response.fields.append("Content-Security-Policy", Self.policy)
    for (name, value) in Self.fields { response.fields.append(name, value) }
    return response
  }

  /// A page has its own files and calls its own service, and nothing else: a text that it shows can
  /// bring in no script, and no other page can frame it.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Browsers ask each time whether a file is still the same, so that an upgrade is seen at once.
  private static let fields = [
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding"),
  ]
}
