public import APNs
internal import ASCII
public import JSON

/// What APNs and a device make of a finished payload, whoever made it.
public struct PayloadCheck: Sendable {
  /// The kind of notification that it is taken for.
  public let pushType: PushType
  /// The bytes of the payload in the shortest JSON.
  public let payloadBytes: Int
  /// The problems that APNs or a device would have with it, with pointers into payload and header
  /// fields.
  public let problems: [PayloadProblem]
  /// What a person sees.
  public let shown: ShownAlert
  /// The part of the payload that the device takes; it drops the rest.
  public let seen: Payload

  /// Checks a payload.
  ///
  /// - Parameters:
  ///   - object: the payload.
  ///   - headers: its header fields.
  ///   - app: the strings of the app, in the order of the device's languages; nil for none.
  ///   - envelopeKey: the member in which a silent notification carries a local one.
  public init(
    _ object: JSONObject, headers: RequestHeaders, app: CatalogView?, envelopeKey: String
  ) {
    let payload = Payload(object)
    pushType = headers.pushType
    payloadBytes = payload.encoded().count
    seen = payload.asSeenByDevice()
    var problems = PayloadValidator.problems(
      payload: payload, payloadBytes: payloadBytes, headers: headers)
    // No system looks up the keys of a call.
    let device = DeviceSimulator(app: headers.pushType == .voip ? nil : app)
    problems += PayloadValidator.membersWithoutEffect(of: payload, at: "/payload")
    problems += Self.nulls(in: payload.data)
    var visible = payload
    if [.alert, .liveactivity].contains(headers.pushType) {
      problems += device.problems(of: payload, at: "/payload")
    }
    if headers.pushType == .background, case .object(let envelope)? = payload.data[envelopeKey],
      envelope["aps"] != nil
    {
      visible = Payload(envelope)
      let place = "/payload/" + escapedPointer(envelopeKey)
      problems += Self.problems(ofLocal: visible, headers, at: place)
      problems += PayloadValidator.membersWithoutEffect(of: visible, at: place)
      problems += device.problems(of: visible, at: place)
    }
    self.problems = problems
    shown = device.shown(by: visible)
  }

  /// Members of the app's data that are null, or have a null in them: each is told once.
  private static func nulls(in data: JSONObject) -> [PayloadProblem] {
    data.inOrder.compactMap { name, value in
      guard let place = value.placeOfNull else { return nil }
      return PayloadProblem(
        kind: .nullInData, pointer: "/payload/\(escapedPointer(name))\(place)",
        detail: "An app cannot store a notification with a `null`; leave the member out.")
    }
  }

  /// The problems of a local notification, which the app shows like an alert. Its size and header
  /// fields are those of the silent notification around it.
  private static func problems(
    ofLocal payload: Payload, _ headers: RequestHeaders, at place: String
  ) -> [PayloadProblem] {
    var headers = headers
    headers.pushType = .alert
    let prefix = "/payload"
    return PayloadValidator.problems(payload: payload, payloadBytes: 0, headers: headers)
      .filter { $0.pointer.hasBytes(atStart: prefix) }
      .map { problem in
        var moved = problem
        moved.pointer = place + problem.pointer.dropFirst(prefix.count)
        return moved
      }
  }

  public func writeMembers(to writer: inout JSONWriter) {
    writer.key("valid")
    writer.bool(problems.allSatisfy(\.kind.isNotice))
    writer.member("push_type", pushType.rawValue)
    for (name, bytes) in [
      ("payload_bytes", payloadBytes), ("maximum_bytes", pushType.rules.maximumPayloadBytes),
    ] {
      writer.key(name)
      writer.integer(Int64(bytes))
    }
    for part in AlertPart.allCases { writer.member(part.rawValue, shown[part]) }
    writer.key("seen")
    writer.raw(seen.encoded())
    writer.key("problems")
    writer.array(problems) { writer, problem in
      writer.object { writer in
        writer.member("pointer", problem.pointer)
        writer.member("code", problem.code)
        writer.member("severity", problem.kind.isNotice ? "notice" : "error")
        writer.member("detail", problem.detail)
      }
    }
  }
}

extension JSONValue {
  /// Where the first null in it is, as a JSON pointer; nil when there is none.
  fileprivate var placeOfNull: String? {
    switch self {
    case .null: ""
    case .array(let elements):
      elements.enumerated().lazy
        .compactMap { index, element in element.placeOfNull.map { "/\(index)\($0)" } }.first
    case .object(let members):
      members.inOrder.lazy
        .compactMap { name, member in
          member.placeOfNull.map { "/\(escapedPointer(name))\($0)" }
        }.first
    default: nil
    }
  }
}
