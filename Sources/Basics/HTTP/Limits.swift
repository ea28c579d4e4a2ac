/// The bounds of bytes and counts that a peer may make us hold, each with its reason.
public struct HTTPLimits: Sendable, Hashable {
  /// Bytes of the request line without its CRLF; beyond it the answer is 414.
  ///
  /// RFC 9112 section 3 recommends to support at least 8000; 8 KiB is that, rounded up.
  public var requestLineBytes = 8 << 10
  /// Bytes of a method; beyond it the answer is 501. The longest registered one has 17
  /// (`UPDATEREDIRECTREF`, RFC 4437).
  public var methodBytes = 32
  /// Bytes of all field lines of a head with their CRLFs; beyond it the answer is 431.
  ///
  /// Four times the most that browsers send with cookies, and still small per connection.
  public var headerBytes = 32 << 10
  /// Field lines of a head; beyond it the answer is 431. Proxies add about ten to a client's ten.
  public var headerCount = 100
  /// Empty lines before a request line, which RFC 9112 section 2.2 wants tolerated.
  ///
  /// Old clients send one after a body. A peer that sends more keeps a connection busy with
  /// nothing.
  public var leadingEmptyLines = 4
  /// Bytes of a chunk-size line without its CRLF: 16 digits, and extensions that nobody uses.
  public var chunkLineBytes = 256
  /// Bytes of chunk extensions in one body: without it, extensions of one-byte chunks would be a
  /// body of their own that no body limit counts.
  public var chunkExtensionBytes = 16 << 10
  /// Bytes of all trailer lines with their CRLFs. Trailers are dropped, so little is enough.
  public var trailerBytes = 4 << 10
  public var trailerCount = 32
  /// Pairs of one query string: every parameter of the API ten times over.
  public var queryPairs = 256
  /// Elements of one `Accept` that are looked at; browsers send about eight.
  public var acceptElements = 32
  /// Addresses of one `Forwarded` or `X-Forwarded-For` that are read, the nearest ones: a service
  /// has two or three proxies.
  public var forwardedElements = 16
  /// Parameters of one media type or `Content-Disposition`; three are in use.
  public var mediaTypeParameters = 16
  /// Parts of one multipart body: an app of 60 languages with 30 string tables each.
  public var multipartParts = 2_000
  /// Bytes of the header block of one part: a long UTF-8 path and a content type.
  public var multipartHeaderBytes = 4 << 10
  /// Capacity, in bytes, that an idle parser keeps: a connection that once sent much and now waits
  /// costs no more than one that never did.
  public var idleBufferBytes = 2 << 10

  /// The bounds in use.
  public static let standard = HTTPLimits()

  /// The standard bounds, to be changed one by one.
  public init() {}
}
