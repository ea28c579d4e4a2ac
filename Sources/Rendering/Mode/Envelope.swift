import APNs
import ASCII
import JSON

/// A notification as one mode sends it, but for its texts and what one device changes of it.
///
/// A class, as every content begins with it: copies of its many fields took 6 % of a rendering.
final class Envelope: Sendable {
  /// The header fields.
  let headers: RequestHeaders
  /// What is shown, or what the app makes a local notification of, and the app's data.
  let payload: Payload
  /// What the alert has beside its texts; nil without an alert.
  let frame: AlertFrame?
  /// What a sender should know of it.
  let problems: [RenderProblem]
  /// Whether it only tells the app to remove another.
  private let isWithdrawal: Bool
  /// The member that a local notification's payload is, and those around it.
  private let inner: (name: String, around: [String: [UInt8]])?

  /// A message in a mode, with its arguments filled in.
  init(
    _ mode: Mode, _ message: Message, name: String?, _ arguments: Arguments, _ app: AppFacts,
    now: Int64
  ) {
    var problems: [RenderProblem] = []
    var inner: (name: String, around: [String: [UInt8]])?
    let collapseID = message.collapseID(arguments, mode, &problems)
    var aps = message.aps(arguments)
    var data = message.data(arguments)
    if let type = arguments.text(message.type) ?? name, let key = app.messageTypeKey,
      data[key] == nil
    {
      data[key] = .string(type)
    }
    var pushType = message.effectivePushType
    switch mode {
    case .client, .server: break
    case .local:
      pushType = .background
      // The app shows it: there is nobody to wake, and no service extension runs.
      aps.contentAvailable = nil
      aps.mutableContent = nil
      inner = (app.localNotificationKey, Self.around(data, app))
    case .voip:
      pushType = .voip
      aps.contentAvailable = message.contentAvailable ? 1 : nil
      data["call"] = data["call"] ?? message.call(arguments, now: now, &problems)
      if message.trigger != nil {
        problems.append(RenderProblem(.triggerIgnored, detail: "A call rings at once."))
      }
    }
    if mode == .local || mode == .voip {
      if let withdrawn = message.withdraws {
        data["withdraws"] = withdrawn.filledID(arguments)
      } else {
        data["id"] =
          message.id?.filledID(arguments) ?? data["id"] ?? collapseID.map(JSONValue.string)
      }
    }
    headers = RequestHeaders(
      bundleID: app.bundleID, pushType: pushType, priority: message.priority,
      contentAvailable: aps.contentAvailable == 1, ttlSeconds: message.ttlSeconds.map(Int64.init),
      now: now, collapseID: mode == .voip ? nil : collapseID)
    if let priority = message.priority, priority != headers.priority {
      problems.append(
        RenderProblem(
          .priorityChanged,
          detail: "\(headers.priority) instead of \(priority): what Apple allows here"))
    }
    let isEmpty = aps == APS() && message.alert == nil
    let isBare = isEmpty && (mode == .voip || message.withdraws != nil)
    payload = Payload(aps: isBare ? nil : aps, data: data)
    isWithdrawal = message.withdraws != nil
    if mode == .local, case .moment(let parameter)? = message.trigger,
      let moment = arguments.moment(parameter), moment <= Double(now)
    {
      problems.append(
        RenderProblem(.triggerInPast, detail: "`\(parameter)` is over: nothing will be shown"))
    }
    frame = message.alert.map { AlertFrame($0, arguments) }
    self.problems = problems
    self.inner = inner
  }

  /// The bytes to send, with the texts in the payload.
  func encoded(_ payload: Payload) -> [UInt8] {
    guard let inner else { return payload.encoded() }
    var members = inner.around
    members[inner.name] = payload.encoded()
    var writer = JSONWriter()
    writer.object { writer in
      for (name, json) in members.sorted(by: { $0.key < $1.key }) {
        writer.key(name)
        writer.raw(json)
      }
    }
    return writer.bytes
  }

  /// What APNs or a device would take offence at. Of a local notification both the payload, which
  /// is that of an alert, and the size of all of it are judged.
  func problems(of payload: Payload, bytes: Int) -> [PayloadProblem] {
    var headers = headers
    // A withdrawal shows nothing, and is meant to.
    if inner != nil && !isWithdrawal { headers.pushType = .alert }
    let payload = isWithdrawal ? withdrawal(payload) : payload
    return PayloadValidator.problems(payload: payload, payloadBytes: bytes, headers: headers)
  }

  /// A payload as the silent notification that carries it.
  private func withdrawal(_ payload: Payload) -> Payload {
    guard inner != nil else { return payload }
    var silent = Payload(aps: APS(), data: payload.data)
    silent.aps?.contentAvailable = 1
    return silent
  }

  /// The silent notification, which an app routes by its type like any other.
  private static func around(_ data: JSONObject, _ app: AppFacts) -> [String: [UInt8]] {
    var around = ["aps": Array(#"{"content-available":1}"#.utf8)]
    if let key = app.messageTypeKey, let type = data[key] {
      var writer = JSONWriter()
      writer.value(type)
      around[key] = writer.bytes
    }
    return around
  }
}

extension Message {
  /// The part of `aps` that is the same for all devices.
  fileprivate func aps(_ arguments: Arguments) -> APS {
    var aps = APS()
    aps.badge = badge?.number(arguments)
    aps.sound = sound?.filled(arguments)
    aps.category = arguments.text(category)
    aps.threadID = arguments.text(threadID)
    aps.targetContentID = arguments.text(targetContentID)
    aps.interruptionLevel = interruptionLevel
    aps.relevanceScore = relevanceScore
    aps.filterCriteria = arguments.text(filterCriteria)
    aps.contentAvailable = contentAvailable || effectivePushType == .background ? 1 : nil
    aps.mutableContent = mutableContent ? 1 : nil
    return aps
  }

  /// The app's own members.
  fileprivate func data(_ arguments: Arguments) -> JSONObject {
    var filledBytes = 0
    let filled = data.mapValues { template in
      template.filled { name in
        guard filledBytes <= MessageLimits.filledBytes else { return nil }
        let argument = arguments[name]
        filledBytes += argument?.plainText.utf8.count ?? 0
        return argument
      }
    }
    return JSONObject(filled.map { (key: $0.text, value: $1) })
  }

  /// The call that rings: its id, and its time, by which an app recognizes one that is over.
  fileprivate func call(
    _ arguments: Arguments, now: Int64, _ problems: inout [RenderProblem]
  ) -> JSONValue? {
    guard let id = arguments.text(callID) else {
      problems.append(
        RenderProblem(.voipWithoutCallID, detail: "The app cannot tell a call that is over."))
      return nil
    }
    return .object(["id": .string(id), "time": .integer(now)])
  }

  /// The collapse id with its placeholders filled; left out when APNs would refuse it. Where no app
  /// reads the id, it stands in: by a collapse id a device replaces a notification, and the app
  /// finds it.
  fileprivate func collapseID(
    _ arguments: Arguments, _ mode: Mode, _ problems: inout [RenderProblem]
  ) -> String? {
    let isShownBySystem = mode == .client || mode == .server
    let id = isShownBySystem && collapseID == nil ? id?.filledID(arguments)?.idText : nil
    guard let text = arguments.text(collapseID) ?? id else {
      return nil
    }
    if text.utf8.count > PayloadValidator.maximumCollapseIDBytes {
      problems.append(
        RenderProblem(
          .collapseIDTooLong,
          detail: "left out: \(text.utf8.count) bytes, APNs takes at most 64"))
      return nil
    }
    // A line break in a header value would let an argument add header fields of its own.
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      problems.append(
        RenderProblem(
          .collapseIDNotPrintable, detail: "left out: it has control characters"))
      return nil
    }
    return text
  }
}

extension DataTemplate {
  /// An id: a number, or a text that is not empty.
  fileprivate func filledID(_ arguments: Arguments) -> JSONValue? {
    let id = filled { arguments[$0] }
    return id == .string("") ? nil : id
  }
}

extension JSONValue {
  /// A number or a text as a text.
  fileprivate var idText: String? {
    switch self {
    case .integer(let number): number.description
    case .string(let text): text
    default: nil
    }
  }
}
