import APNs
public import DeviceProfile
import JSON

/// The JSON of a request of the HTTP contract with gaps for the recipient and the id, so that a
/// million requests of one content are copies of the same bytes.
public struct RequestTemplate: Sendable {
  private let beforeID: [UInt8]
  private let afterID: [UInt8]

  /// The template of a content, with its payload in a form.
  public init(_ content: RenderedContent, _ form: PayloadForm) {
    var headers = content.headers
    headers.id = nil
    // In the order of their names, as everywhere.
    func json(_ members: (inout JSONWriter) -> Void) -> ArraySlice<UInt8> {
      var writer = JSONWriter()
      writer.object(members)
      return writer.bytes.dropFirst()
    }
    let before = json { writer in
      for field in headers.fields where field.name < "apns-id" {
        writer.member(field.name, field.value)
      }
      writer.key("apns-id")
      writer.string("")
    }
    let after = json { writer in
      for field in headers.fields where field.name > "apns-id" {
        writer.member(field.name, field.value)
      }
    }
    beforeID = Array(before.dropLast(2))
    let members = json { content.writeMembers(form, to: &$0) }
    afterID = Array("\",".utf8) + after + Array(",".utf8) + members
  }

  /// Appends the request for a recipient; its texts are given as UTF-8 that needs no escapes.
  /// - Parameter index: The place of the recipient in a list; nil when there is none.
  public func append(
    index: Int? = nil, installationID: some Sequence<UInt8>, token: some Sequence<UInt8>,
    environment: Environment, id: some Sequence<UInt8>, to bytes: inout [UInt8]
  ) {
    bytes.append(UInt8(ascii: "{"))
    if let index {
      bytes += "\"index\":".utf8
      bytes += index.description.utf8
      bytes.append(UInt8(ascii: ","))
    }
    bytes += "\"installation_id\":\"".utf8
    bytes += installationID
    bytes += "\",\"token\":\"".utf8
    bytes += token
    bytes += "\",\"environment\":\"".utf8
    bytes += environment.rawValue.utf8
    bytes += "\",\"path\":\"/3/device/".utf8
    bytes += token
    bytes += "\",\"headers\":{".utf8
    bytes += beforeID
    bytes += id
    bytes += afterID
  }
}

extension RenderedContent {
  /// Writes what follows the header fields.
  fileprivate func writeMembers(_ form: PayloadForm, to writer: inout JSONWriter) {
    writer.key("payload")
    form.write(payload, to: &writer)
    writer.key("payload_bytes")
    writer.integer(Int64(payload.count))
    writer.member("mode", mode.rawValue)
    writer.member("language", language)
    writer.key("problems")
    writer.array(problems) { $1.write(to: &$0) }
    if let explanation {
      writer.key("explain")
      explanation.write(to: &writer)
    }
  }
}
