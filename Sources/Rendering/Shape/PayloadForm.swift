import FoundationEssentials
import JSON

/// How an answer carries a payload.
///
/// Whoever reads an answer and writes the payload again may change it: a JSON writer may order
/// members, shorten numbers or escape texts otherwise, and the bytes that were counted and checked
/// are no longer those that are sent. A text is what it is.
public enum PayloadForm: String, Sendable, Hashable, CaseIterable {
  /// As JSON in its place.
  case json
  /// As a string whose characters are the bytes in UTF-8.
  case string
  /// As a string of base64url without padding (RFC 4648, section 5).
  case base64url

  /// Writes a payload as the next value.
  func write(_ payload: [UInt8], to writer: inout JSONWriter) {
    switch self {
    case .json: writer.raw(payload)
    case .string: writer.string(String(decoding: payload, as: UTF8.self))
    case .base64url:
      writer.string(
        Data(payload).base64EncodedString(options: [.base64URLAlphabet, .omitPaddingCharacter]))
    }
  }
}
