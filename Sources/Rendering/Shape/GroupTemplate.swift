import APNs
public import DeviceProfile
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
