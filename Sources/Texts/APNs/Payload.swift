internal import ASCII
public import JSON

/// The JSON body of a notification: Apple's `aps`, and beside it what the app sends to itself.
public struct Payload: Sendable, Hashable {
  /// Apple's part; absent only in VoIP and MDM payloads.
  public var aps: APS?
  /// The app's own members; one named `aps` is not written when there is an ``aps``.
  public var data: JSONObject

  public init(aps: APS? = nil, data: JSONObject = [:]) {
    self.aps = aps
    self.data = data
  }

  /// Takes a payload apart, whoever made it.
  ///
  /// Like a device it drops nothing over an odd member: a member that does not fit stays in the
  /// `rest` of its object, and an `aps` that is no object stays in ``data``.
  public init(_ object: JSONObject) {
    var members = JSONMembers(rest: object)
    aps = members.object("aps").map(APS.init)
    data = members.rest
  }

  /// Reads a payload from its UTF-8 bytes; `nil` when they are not a JSON object.
  public init?(json: [UInt8]) {
    guard case .object(let object)? = JSONValue(parsing: json) else { return nil }
    self.init(object)
  }

  /// The bytes to send: compact UTF-8 JSON, members sorted by name, no needless escapes.
  ///
  /// APNs compares their count with ``PushRules/maximumPayloadBytes``.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Writes ``encoded()`` as the next value.
  public func write(to writer: inout JSONWriter) { members.write(to: &writer) }

  private var members: JSONMemberList {
    var list = JSONMemberList(capacity: 1 + data.count)
    guard let aps else {
      list.add(rest: data)
      return list
    }
    list.add("aps", aps.members)
    list.add(rest: data["aps"] == nil ? data : data.filter { !$0.key.isSpelled(like: "aps") })
    return list
  }
}
