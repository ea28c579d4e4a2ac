import APNs
import ASCII
import Crypto
import JSON

/// A notification as one mode sends it, without its texts, and before one device changes it.
///
/// A class, as every content is made from one: copies of its many fields took 6 % of a rendering.
final class Envelope: Sendable {
  let headers: RequestHeaders
  /// The payload that the system shows, or that the app turns into a local notification; with the
  /// app's data.
  let payload: Payload
  /// The members of the alert beside its texts; nil without an alert.
  let frame: AlertFrame?
  /// The problems of which a sender should know.
  let problems: [RenderProblem]
  /// Whether it only tells the app to remove another notification.
  private let isWithdrawal: Bool
  private let leavesGaps: Bool
  /// For a local notification: the name of the member that holds its payload, and the other
  /// members.
  private let inner: (name: String, around: JSONObject)?

  /// A message in a mode, with its arguments filled in.
  init(
    _ mode: Mode, _ message: Message, name: String?, _ arguments: Arguments, _ app: AppFacts,
    now: Int64
  ) {
    var problems: [RenderProblem] = []
    var inner: (name: String, around: JSONObject)?
    let collapseID = message.collapseID(arguments, mode, &problems)
    var aps = message.aps(arguments)
    var data = message.data(arguments)
    message.push?.write(to: &aps, now: now)
    if message.push == nil, let type = arguments.text(message.type) ?? name,
      let key = app.messageTypeKey, data[key] == nil
    {
      data[key] = .string(type)
    }
    var pushType = message.effectivePushType
    switch mode {
    case .client, .server: break
    case .local:
      pushType = .background
      // The app shows it: there is nobody to wake, and no service extension runs.
      aps[.contentAvailable] = nil
      aps[.mutableContent] = nil
      inner = (app.localNotificationKey, Self.around(data, app))
    case .voip:
      pushType = .voip
      aps[.contentAvailable] = message.aps[.contentAvailable]
      data["call"] = data["call"] ?? message.call(arguments, now: now, &problems)
      if message.trigger != nil {
        problems.append(RenderProblem(.triggerIgnored, detail: "A call rings at once."))
      }
    }
    if mode == .local || mode == .voip {
      if let withdrawn = message.withdraws {
        data["withdraws"] = withdrawn.filledID(arguments, &problems)
      } else {
        data["id"] =
          message.id?.filledID(arguments, &problems) ?? data["id"]
          ?? collapseID.map(JSONValue.string)
      }
    }
    let priority =
      message.priority ?? message.push?.defaultPriority(hasAlert: message.alert != nil)
    let ttlSeconds = message.ttlSeconds ?? message.push?.staleAfterSeconds
    var headers = RequestHeaders(
      bundleID: app.bundleID, pushType: pushType, priority: priority,
      contentAvailable: aps.wakesApp, ttlSeconds: ttlSeconds.map(Int64.init),
      now: now, collapseID: mode == .voip ? nil : collapseID)
    headers.isBroadcast = message.push?.isBroadcast ?? false
    self.headers = headers
    message.tellChanges(mode, headers, &problems)
    let isEmpty = aps.isEmpty && message.alert == nil && message.push == nil
    let isBare = isEmpty && (mode == .voip || message.withdraws != nil)
    payload = Payload(aps: isBare ? nil : aps, data: data)
    isWithdrawal = message.withdraws != nil
    leavesGaps = arguments.leaveGaps
    if mode == .local, case .moment(let parameter)? = message.trigger,
      let moment = arguments.moment(parameter), moment <= Double(now)
    {
      problems.append(
        RenderProblem(.triggerInPast, detail: "`\(parameter)` is over: nothing will be shown"))
    }
    frame = message.alert.map { AlertFrame($0, arguments, message.push) }
    self.problems = problems
    self.inner = inner
  }

  /// Writes the body of the request, with the texts in the payload.
  func write(_ payload: Payload, to writer: inout JSONWriter) {
    guard let inner else { return payload.write(to: &writer) }
    writer.object { writer in
      for name in (inner.around.keys + [inner.name]).sorted() {
        writer.key(name)
        if let value = inner.around[name] {
          writer.value(value)
        } else {
          payload.write(to: &writer)
        }
      }
    }
  }

  /// The problems for which APNs or a device would refuse or drop something. A local notification
  /// is checked as the alert that it will be, and by the size of everything that is sent.
  func problems(of payload: Payload, bytes: Int) -> [PayloadProblem] {
    var headers = headers
    // A collapse id with a gap is checked when its word is there.
    if leavesGaps, headers.collapseID.map(JSONGap.isIn) == true { headers.collapseID = nil }
    // A withdrawal shows nothing, and is meant to.
    if inner != nil && !isWithdrawal { headers.pushType = .alert }
    let payload = isWithdrawal ? withdrawal(payload) : payload
    return PayloadValidator.problems(payload: payload, payloadBytes: bytes, headers: headers)
  }

  /// The payload of a withdrawal as the silent notification that carries it.
  private func withdrawal(_ payload: Payload) -> Payload {
    guard inner != nil else { return payload }
    var silent = Payload(aps: APS(), data: payload.data)
    silent.aps?[.contentAvailable] = .integer(1)
    return silent
  }

  /// The silent notification, which an app routes by its type like any other.
  private static func around(_ data: JSONObject, _ app: AppFacts) -> JSONObject {
    var around: JSONObject = [
      "aps": .object([APSKey.contentAvailable.name: .integer(1)])
    ]
    if let key = app.messageTypeKey, let type = data[key] { around[key] = type }
    around[app.localNotificationKey] = nil
    return around
  }
}

extension Message {
  /// The part of `aps` that is the same for all devices.
  fileprivate func aps(_ arguments: Arguments) -> APS {
    var aps = aps
    if case .gap(let word)? = badge {
      aps[.badge] = .gap(word)
    } else {
      aps[.badge] = badge?.number(arguments).map(APSValue.integer)
    }
    aps.sound = sound?.filled(arguments)
    for (key, template) in apsTexts { aps[key] = arguments.text(template).map(APSValue.text) }
    if effectivePushType == .background { aps[.contentAvailable] = .integer(1) }
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

  /// The call that rings: its id, and its time, by which an app recognizes a call that is over.
  fileprivate func call(
    _ arguments: Arguments, now: Int64, _ problems: inout [RenderProblem]
  ) -> JSONValue? {
    guard let id = arguments.text(callID) else {
      problems.append(
        RenderProblem(
          .voipWithoutCallID,
          detail: "There is no `call.id`, by which the app could tell whether the call is over."))
      return nil
    }
    return .object(["id": .string(id), "time": .integer(now)])
  }

  /// Adds a problem for each value that was left out, or that is not the usual one or the one that
  /// was asked for.
  fileprivate func tellChanges(
    _ mode: Mode, _ headers: RequestHeaders, _ problems: inout [RenderProblem]
  ) {
    if mode == .local && aps[.mutableContent] != nil {
      problems.append(
        RenderProblem(.mutableContentIgnored, detail: "The app shows it, and no extension runs."))
    }
    if sound?.ignoresVolume == true {
      problems.append(
        RenderProblem(.volumeIgnored, detail: "Only a sound with `critical` has a volume."))
    }
    let expected =
      priority ?? push?.defaultPriority(hasAlert: alert != nil)
      ?? headers.pushType.rules.priorities.first
    guard let expected, expected != headers.priority else { return }
    var detail = "\(headers.priority) instead of \(expected): what Apple allows here"
    if aps.wakesApp && headers.pushType == .alert {
      detail = "\(headers.priority) instead of \(expected), as `content_available` wakes the app"
      if let level = aps.interruptionLevel, level == .timeSensitive || level == .critical {
        detail += ": it may come late, though it is \(level.rawValue)"
      }
    }
    problems.append(RenderProblem(.priorityChanged, detail: detail))
  }

  /// The collapse id with its placeholders filled. Where the system shows the notification, the
  /// message's id takes its place if there is none: by it the device replaces the earlier one.
  fileprivate func collapseID(
    _ arguments: Arguments, _ mode: Mode, _ problems: inout [RenderProblem]
  ) -> String? {
    let isShownBySystem = mode == .client || mode == .server
    if isShownBySystem, collapseID == nil { return id?.filledID(arguments, &problems)?.idText }
    return arguments.text(collapseID).map { encodedID($0, arguments, &problems) }
  }
}

extension DataTemplate {
  /// An id: a number, or a text that is not empty, in the form in which all modes have it.
  fileprivate func filledID(
    _ arguments: Arguments, _ problems: inout [RenderProblem]
  ) -> JSONValue? {
    switch filled({ arguments[$0] }) {
    case .string(let text): text.isEmpty ? nil : .string(encodedID(text, arguments, &problems))
    case let number: number
    }
  }
}

/// An id as a header field has it: the text, or else the SHA-256 of its UTF-8 in hexadecimal, which
/// has the 64 bytes that APNs takes. A device knows a notification by that field, so the payload
/// that withdraws it, or replaces it in another mode, has the same form.
private func encodedID(
  _ text: String, _ arguments: Arguments, _ problems: inout [RenderProblem]
) -> String {
  if RequestHeaders.takes(collapseID: text) { return text }
  if arguments.leaveGaps, JSONGap.isIn(text) { return text }
  problems.append(
    RenderProblem(
      .collapseIDEncoded,
      detail: "\(text.utf8.count) bytes; APNs takes 64 of visible ASCII: the SHA-256 stands in"))
  return Hex.encode(SHA256.hash(text))
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
