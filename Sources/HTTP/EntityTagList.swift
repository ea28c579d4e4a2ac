/// What `If-Match` and `If-None-Match` hold: `*`, or a list of entity tags (RFC 9110 sections
/// 13.1.1 and 13.1.2).
///
///     *                      any
///     "3", W/"x,y" ,"4"      the tags "3", W/"x,y" and "4"
///     3                      nil
public struct EntityTagList: Sendable {
  /// Whether it is `*`.
  public let isAny: Bool
  private let bytes: [UInt8]
  /// Where in the bytes the tags are. No slices: those of ten thousand tags take a millisecond.
  private let tags: [(isWeak: Bool, place: Range<Int>)]

  /// Reads a field value; nil when it is neither `*` nor a list of at least one tag.
  public init?(_ text: String) {
    bytes = Array(text.utf8)
    isAny = text == "*"
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

  /// Whether a strong tag is listed, by strong comparison (RFC 9110 section 8.8.3.2): a weak one is
  /// not the same.
  /// - Parameter tag: with its quotation marks.
  public func names(_ tag: String) -> Bool { isListed(tag, weakly: false) }

  /// Whether it is listed by weak comparison: also `W/"3"` means `"3"`.
  /// - Parameter tag: with its quotation marks.
  public func namesWeakly(_ tag: String) -> Bool { isListed(tag, weakly: true) }

  private func isListed(_ tag: String, weakly: Bool) -> Bool {
    let wanted = Array(tag.utf8)
    return tags.contains { isWeak, place in
      (weakly || !isWeak) && place.count == wanted.count && bytes[place].elementsEqual(wanted)
    }
  }
}
