internal import Content
internal import JSON
internal import Rendering

/// The body of `POST …/render`.
enum RenderBody: RequestBody {
  /// A message for channels.
  case broadcast(BroadcastRequest)
  /// One set of arguments for an audience, which may be one device.
  case audience(RenderRequest)
  /// Recipients with arguments of their own, not read yet: a fault of one recipient is its own.
  case recipients(RecipientsRequest, [JSONValue])
  /// The same as lines, of which none is read yet. No JSON body has this form.
  case lines

  static var policy: FieldPolicy { .strict }

  init?(reading fields: FieldReader) {
    guard fields.has("recipients") else {
      if BroadcastRequest.isMeant(by: fields) {
        guard let request = BroadcastRequest(reading: fields) else { return nil }
        self = .broadcast(request)
        return
      }
      guard let request = RenderRequest(reading: fields) else { return nil }
      self = .audience(request)
      return
    }
    if fields.json("to").value != nil {
      fields.refuse(.tooMany, at: "recipients", "Either `to` or `recipients`.")
    }
    let request = RecipientsRequest(reading: fields)
    guard let values = fields.recipients(), let request else { return nil }
    self = .recipients(request, values)
  }

  /// Whether it is for channels: all subscribers of a channel get the request.
  var isBroadcast: Bool { if case .broadcast = self { true } else { false } }

  /// Whether one device or channel is asked for, and gets one object unless the client wants lines.
  var isForOne: Bool {
    switch self {
    case .broadcast(let request): if case .channel = request.choice { true } else { false }
    case .audience(let request):
      switch request.audience {
      case .installation, .token: true
      case .user, .all: false
      }
    case .recipients, .lines: false
    }
  }
}

extension FieldReader {
  /// The recipients of a body.
  fileprivate func recipients() -> [JSONValue]? {
    let value = json("recipients").value
    guard case .array(let values)? = value else {
      if let value { refuseType("recipients", "an array of objects", value) }
      return nil
    }
    guard (1...Limits.recipients).contains(values.count) else {
      let detail = "From 1 to \(Limits.recipients); more are sent as application/x-ndjson."
      refuse(values.isEmpty ? .tooShort : .tooMany, at: "recipients", detail)
      return nil
    }
    return values
  }
}

/// The common part of all recipients of a rendering: the first line of a body of lines, or a JSON
/// body but for its recipients.
struct RecipientsRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  let message: MessageSource
  /// Values of parameters for recipients that have none of their own, not read yet.
  let arguments: JSONObject
  let settings: RenderSettings

  init?(reading fields: FieldReader) {
    let message = fields.messageSource()
    let given = fields.json("arguments").value
    if case .object(let members)? = given {
      arguments = members
    } else {
      if let given { fields.refuseType("arguments", "an object", given) }
      arguments = [:]
    }
    settings = RenderSettings(reading: fields)
    if settings.shape != .requests(settings.shape.payloadForm) {
      fields.refuse(
        .unknownValue, at: "shape",
        "Recipients get `requests`, each with the `index` of its recipient.")
    }
    guard let message else { return nil }
    self.message = message
  }
}
