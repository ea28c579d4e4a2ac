/// The value of `If-Match` or `If-None-Match`: `*`, or a list of entity tags (RFC 9110 sections
/// 13.1.1 and 13.1.2).
///
///     *                      any
///     "3", W/"x,y" ,"4"      the tags "3", W/"x,y" and "4"
///     3                      nil
public struct EntityTagList: Sendable {
  /// Whether it is `*`.
  public let isAny: Bool
  private let bytes: [UInt8]
  /// Where the tags are in the bytes. No slices: ten thousand slices take a millisecond.
  private let tags: [(isWeak: Bool, place: Range<Int>)]

  /// Reads a field value; nil when it is neither `*` nor a list of at least one tag.
  public init?(_ text: String) {
    bytes = Array(text.utf8)
    isAny = bytes == [UInt8(ascii: "*")]
    guard !isAny else {
      tags = []
      return
    }
    var scanner = FieldScanner(bytes)
    var tags: [(isWeak: Bool, place: Range<Int>)] = []
    while true {
      scanner.skipBlanks()
      if scanner.isAtEnd { break }
      if scanner.take(",") { continue }
      guard let tag = scanner.entityTag() else { return nil }
      tags.append(tag)
      scanner.skipBlanks()
      guard scanner.isAtEnd || scanner.take(",") else { return nil }
    }
    guard !tags.isEmpty else { return nil }
    self.tags = tags
  }

  /// Whether a strong tag is listed (RFC 9110 section 8.8.3.2).
  /// - Parameters:
  ///   - tag: with its quotation marks.
  ///   - weakly: whether also `W/"3"` means `"3"`.
  public func names(_ tag: String, weakly: Bool = false) -> Bool {
    let wanted = Array(tag.utf8)
    return tags.contains { isWeak, place in
      (weakly || !isWeak) && place.count == wanted.count && bytes[place].elementsEqual(wanted)
    }
  }
}
