import Foundation

/// The payload of a remote notification, whoever sent it: Apple's `aps`, and beside it what belongs
/// to the app.
///
/// Like a device (docs/apple.md 1.4) it refuses nothing over an odd member: what does not fit its
/// type stays, as it came, in the `rest` of its object.
public struct RemotePayload: Sendable, Hashable {
  /// Apple's part; `nil` if there is none, as in many payloads for PushKit, or it is no object.
  public var aps: APS?
  /// The app's own members; also an `aps` that is no object. It is not written if there is an
  /// ``aps``.
  public var data: [String: PayloadValue]

  /// A payload of its two parts.
  public init(aps: APS? = nil, data: [String: PayloadValue] = [:]) {
    self.aps = aps
    self.data = data
  }

  /// Takes an object apart.
  public init(_ object: [String: PayloadValue]) {
    var members = PayloadMembers(object)
    aps = members.take("aps", \.object).map(APS.init)
    data = members.rest
  }

  /// Reads what the system hands to the app: the `userInfo` of a notification, or the
  /// `dictionaryPayload` of a PushKit payload. ``PayloadValue/init(_:)`` says what is left out.
  public init(userInfo: [AnyHashable: Any]) {
    self.init(PayloadValue.members(of: userInfo))
  }

  /// Reads the JSON of a payload, UTF-8, such as the `.apns` file of a simulator.
  ///
  /// - Returns: `nil` if the bytes are no JSON object, or have more than the 512 levels that
  ///   Foundation reads.
  public init?(json: Data) {
    guard let object = PayloadValue(json: json)?.object else { return nil }
    self.init(object)
  }

  /// The whole payload as one object.
  public var object: [String: PayloadValue] {
    var object = data
    object.put("aps", aps.map { .object($0.object) })
    return object
  }

  /// The payload as compact JSON, UTF-8, members in the order of their names. Read again, a payload
  /// that was read is equal to this one. (One made by hand may differ: `.double(3)` is written as
  /// `3`.)
  public func encoded() -> Data { PayloadValue.object(object).encoded() }

  /// Reads the app's own members into a type of the app.
  ///
  /// - Parameters:
  ///   - type: what to read.
  ///   - name: the member to read; all of ``data`` if `nil`.
  ///   - decoder: the decoder, with the strategies of the app.
  /// - Throws: `DecodingError` if the members do not fit the type, or there is no such member.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from name: String? = nil, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    let value = name.map { data[$0] ?? .null } ?? .object(data)
    return try decoder.decode(type, from: value.encoded())
  }
}
