import APNs
public import DeviceProfile
import FoundationEssentials
import JSON

/// The JSON of one payload for many tokens, with a gap for these.
public struct GroupTemplate: Sendable, Hashable {
  let before: [UInt8]
  let after: [UInt8]

  /// The group of the HTTP contract: `{environment, headers, payload, payload_bytes, tokens}`.
  public static func group(
    _ content: RenderedContent, _ environment: Environment, _ form: PayloadForm
  ) -> GroupTemplate {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("environment", environment.rawValue)
      writer.key("headers")
      writer.object { writer in
        for field in content.headers.fields { writer.member(field.name, field.value) }
      }
      writer.key("payload")
      form.write(content.payload, to: &writer)
      writer.key("payload_bytes")
      writer.integer(Int64(content.payload.count))
      writer.key("tokens")
      writer.array { _ in }
    }
    return GroupTemplate(before: Array(writer.bytes.dropLast(2)), after: Array("]}".utf8))
  }

  /// Appends the group of some tokens, given as JSON strings with commas between them.
  public func append(tokens: [UInt8], to bytes: inout [UInt8]) {
    bytes += before
    bytes += tokens
    bytes += after
  }
}

/// How an answer carries a payload.
///
/// A program that reads an answer and writes the payload again may change it: a JSON writer may
/// order members, shorten numbers or escape texts otherwise. Then the sent bytes are no longer the
/// bytes that were counted and checked. A text stays as it is.
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

extension RenderedContent {
  /// The contents of the `.apns` file that `xcrun simctl push` delivers to a simulator: the payload
  /// with the bundle id of the app's target (`xcrun simctl help push`).
  public func simulatorFile() -> [UInt8] {
    var writer = JSONWriter()
    writer.object { $0.member("Simulator Target Bundle", headers.bundleID) }
    let isEmpty = payload.count <= 2
    return writer.bytes.dropLast() + (isEmpty ? [] : [UInt8(ascii: ",")]) + payload.dropFirst()
  }
}
