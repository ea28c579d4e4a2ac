/// `field-name ":" OWS field-value OWS` (RFC 9112 section 5), of a head, a trailer or a body part.
struct FieldLine {
  let name: Range<Int>
  let value: Range<Int>

  init(_ bytes: Bytes, _ line: Range<Int>) throws(ParseError) {
    var index = line.lowerBound
    while index < line.upperBound, ByteSet.token.contains(bytes[index]) { index &+= 1 }
    guard index > line.lowerBound, index < line.upperBound, bytes[index] == UInt8(ascii: ":") else {
      throw Self.nameError(bytes, line, at: index)
    }
    name = line.lowerBound..<index

    var start = index &+ 1
    var end = line.upperBound
    while start < end, bytes[start].isBlank { start &+= 1 }
    while end > start, bytes[end &- 1].isBlank { end &-= 1 }
    value = start..<end
    guard isFieldContent(bytes, value) else {
      throw .malformed(
        "malformed_field_value", "A field value holds a control character or a bare CR.")
    }
  }

  private static func nameError(_ bytes: Bytes, _ line: Range<Int>, at index: Int) -> ParseError {
    if index < line.upperBound, bytes[index].isBlank {
      return index == line.lowerBound
        ? .malformed("folded_field", "A field line begins with a space: folding is not taken.")
        : .malformed("space_before_colon", "There is a space between a field name and its colon.")
    }
    return .malformed("malformed_field_name", "A field name is not a token followed by a colon.")
  }
}
