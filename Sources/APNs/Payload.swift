import FoundationEssentials

/// The JSON body of a notification: Apple's `aps`, and beside it what the app sends to itself.
public struct Payload: Sendable, Hashable {
  /// Apple's part; absent only in VoIP and MDM payloads.
  public var aps: APS?
  /// The app's own members; one named `aps` is not written when there is an ``aps``.
  public var data: [String: JSONValue]

  /// A payload of its two parts.
  public init(aps: APS? = nil, data: [String: JSONValue] = [:]) {
    self.aps = aps
    self.data = data
  }

  /// Takes a payload apart, whoever made it.
  ///
  /// Like a device it drops nothing over an odd member: what does not fit stays in the `rest` of
  /// its object, and an `aps` that is no object stays in ``data``.
  public init(_ object: [String: JSONValue]) {
    var members = JSONMembers(rest: object)
    aps = members.object("aps").map(APS.init)
    data = members.rest
  }

  /// Reads a payload from its UTF-8 bytes; throws `DecodingError` when they are not a JSON object.
  public init(json: some Sequence<UInt8>) throws {
    self.init(try JSONDecoder().decode([String: JSONValue].self, from: Data(json)))
  }

  /// The bytes to send: compact UTF-8 JSON, members sorted by name, no needless escapes.
  ///
  /// Their count is what APNs compares with ``PushType/maximumPayloadBytes``.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter()
    members.write(to: &writer)
    return writer.bytes
  }

  /// The payload as a JSON object.
  public var object: [String: JSONValue] { members.object }

  private var members: JSONMemberList {
    var list = JSONMemberList(capacity: 1 + data.count)
    guard let aps else {
      list.add(rest: data)
      return list
    }
    list.add("aps", aps.members)
    list.add(rest: data["aps"] == nil ? data : data.filter { $0.key != "aps" })
    return list
  }
}

extension Payload: Codable {
  /// Reads a payload as ``init(_:)`` does.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([String: JSONValue].self))
  }

  /// Writes the payload as a JSON object; the order is the encoder's.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(object)
  }
}
