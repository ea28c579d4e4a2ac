internal import ASCII
internal import JSON

/// Apple's rules for a payload and its header fields.
///
/// A device never rejects a payload, it drops what it does not like; APNs rejects. So this tells
/// everything that either of them would take offence at (Apple, "Generating a remote notification",
/// "Sending notification requests to APNs", "Starting and updating Live Activities with ActivityKit
/// push notifications").
public enum PayloadValidator {
  /// How long a call is worth ringing, seconds: a device that comes back later finds it stale.
  public static let maximumCallSeconds: Int64 = 30
  /// The problems of a notification; it may be sent when none of them is more than a notice.
  ///
  /// - Parameters:
  ///   - payload: what is sent.
  ///   - payloadBytes: the count of its encoded bytes.
  ///   - headers: its header fields.
  public static func problems(
    payload: Payload, payloadBytes: Int, headers: RequestHeaders
  ) -> [PayloadProblem] {
    var problems: [PayloadProblem] = []
    problems.checkSizes(payloadBytes, headers)
    problems.checkExpiration(headers)
    problems.checkTopic(headers)
    problems.checkPriority(headers, contentAvailable: payload.aps?.wakesApp == true)
    problems.add(
      .reservedAPSInData, at: "/payload/aps", if: payload.data["aps"] != nil,
      "`aps` is Apple's; give the app's data another name.")
    problems.add(
      .fileProviderWithoutContainer, at: "/payload",
      if: headers.pushType == .fileprovider && payload.data["container-identifier"] == nil,
      "A File Provider notification names its `container-identifier` beside `aps`.")
    // Not `payload.aps ?? APS()`: the copy would take as long as all the rest.
    if let aps = payload.aps {
      problems.check(aps, headers)
    } else {
      problems.check(APS(), headers)
    }
    return problems
  }
}

extension [PayloadProblem] {
  /// Notes a problem if there is one; only then its sentence is made.
  ///
  /// - Parameter place: See ``PayloadProblem/pointer``.
  mutating func add(
    _ kind: PayloadProblem.Code, at place: @autoclosure () -> String, if isThere: Bool = true,
    _ detail: @autoclosure () -> String
  ) {
    if isThere { append(PayloadProblem(kind: kind, pointer: place(), detail: detail())) }
  }

  // MARK: The request

  fileprivate mutating func checkSizes(_ bytes: Int, _ headers: RequestHeaders) {
    let limit = headers.maximumPayloadBytes
    add(
      .payloadTooLarge, at: "/payload", if: bytes > limit,
      "The payload has \(bytes) bytes; APNs takes at most \(limit).")
    guard let collapseID = headers.collapseID, !RequestHeaders.takes(collapseID: collapseID) else {
      return
    }
    let collapseIDBytes = collapseID.utf8.count
    add(
      .collapseIDTooLong, at: "/headers/apns-collapse-id",
      if: collapseIDBytes > RequestHeaders.maximumCollapseIDBytes,
      "`apns-collapse-id` has \(collapseIDBytes) bytes; APNs takes at most 64.")
    add(
      .collapseIDNotASCII, at: "/headers/apns-collapse-id",
      if: !collapseID.utf8.allSatisfy(RequestHeaders.isVisible),
      "`apns-collapse-id` is visible ASCII: some senders change other bytes, some fail at them.")
  }

  fileprivate mutating func checkExpiration(_ headers: RequestHeaders) {
    // The expiration of a call is judged by itself.
    let latest = headers.madeAt &+ RequestHeaders.maximumTTLSeconds
    add(
      .expirationTooLate, at: "/headers/apns-expiration",
      if: headers.pushType != .voip && (headers.expiration ?? 0) > latest,
      "APNs keeps nothing for more than 30 days; `apns-expiration` is in seconds since 1970.")
  }

  fileprivate mutating func checkTopic(_ headers: RequestHeaders) {
    let (topic, pushType) = (headers.topic, headers.pushType)
    let suffix = pushType.rules.topicSuffix
    guard topic.hasBytes(atEnd: suffix) else {
      return add(
        .topicWithoutSuffix, at: "/headers/apns-topic",
        "The topic of a `\(pushType.rawValue)` notification ends in `\(suffix)`.")
    }
    if pushType == .mdm {
      add(
        .topicWrong, at: "/headers/apns-topic", if: !topic.hasBytes(atStart: "com.apple.mgmt."),
        "The topic is the UID in the subject of the MDM certificate, `com.apple.mgmt.…`.")
    } else {
      let isRight =
        topic.utf8.count == headers.bundleID.utf8.count + suffix.utf8.count
        && topic.hasBytes(atStart: headers.bundleID)
      add(
        .topicWrong, at: "/headers/apns-topic", if: !isRight,
        "The topic of this notification is `\(headers.bundleID)\(suffix)`.")
    }
  }

  fileprivate mutating func checkPriority(_ headers: RequestHeaders, contentAvailable: Bool) {
    let allowed = RequestHeaders.allowedPriorities(
      headers.pushType, contentAvailable: contentAvailable)
    if allowed.contains(headers.priority) { return }
    if headers.pushType == .background {
      add(
        .backgroundPriority, at: "/headers/apns-priority",
        "The priority of a background notification is 5.")
    } else if headers.pushType.rules.priorities.contains(headers.priority) {
      add(
        .priorityNotAllowed, at: "/headers/apns-priority",
        "An alert with `content-available` has the priority 5; without the field it is 10.")
    } else {
      let words = allowed.map(\.description).joined(separator: ", ")
      add(
        .priorityNotAllowed, at: "/headers/apns-priority",
        "APNs takes no priority \(headers.priority) here; one of: \(words).")
    }
  }

  // MARK: The kind of notification

  fileprivate mutating func check(_ aps: APS, _ headers: RequestHeaders) {
    switch headers.pushType {
    case .alert: checkAlert(aps)
    case .background: checkBackground(aps)
    case .voip: return checkCall(aps, headers)
    default:
      switch headers.pushType.rules.message?.contents {
      case .activity: checkActivity(aps)
      case .session: return checkSession(aps)
      case .reload, .control:
        return add(
          .reloadWithoutContentChanged, at: "/payload/aps",
          if: aps[.contentChanged] != .truth(true),
          "Nothing is reloaded without `content-changed` true.")
      // Their contents are for the app or the extension that gets them.
      case .data, nil: return
      }
    }
    checkMembers(aps, headers.pushType)
  }

  fileprivate mutating func checkAlert(_ aps: APS) {
    let hasText = aps.alert?.isVisible ?? false
    if !hasText && aps[.badge] == nil && aps.sound.map({ $0 == .named("") }) ?? true {
      add(
        .nothingToShow, at: "/payload/aps",
        "An alert notification needs a text, a `badge` or a `sound`.")
    } else {
      add(
        .alertEmpty, at: "/payload/aps/alert", if: aps.alert != nil && !hasText,
        "A device drops an `alert` without a text; leave it out, or give it a `body`.")
    }
    checkExtension(aps, hasText: hasText)
  }

  private mutating func checkExtension(_ aps: APS, hasText: Bool) {
    add(
      .mutableContentWithoutAlert, at: "/payload/aps/mutable-content",
      if: aps[.mutableContent] == .integer(1) && !hasText,
      "The service extension runs only for an alert with a title, subtitle or body.")
  }

  fileprivate mutating func checkBackground(_ aps: APS) {
    add(
      .backgroundWithAlert, at: "/payload/aps/alert", if: aps.alert != nil,
      "A background notification must have no `alert`.")
    add(
      .backgroundWithBadge, at: "/payload/aps/badge", if: aps[.badge] != nil,
      "A background notification must have no `badge`.")
    add(
      .backgroundWithSound, at: "/payload/aps/sound", if: aps.sound != nil,
      "A background notification must have no `sound`.")
    add(
      .backgroundWithoutContentAvailable, at: "/payload/aps", if: !aps.wakesApp,
      "A background notification needs `content-available` 1.")
    checkExtension(aps, hasText: false)
  }

  fileprivate mutating func checkSession(_ aps: APS) {
    add(
      .nowPlayingWithoutEvent, at: "/payload/aps", if: aps.event == nil,
      "A `nowplaying` push needs `event`: start, update or end.")
    add(
      .nowPlayingWithoutTimestamp, at: "/payload/aps", if: aps[.timestamp] == nil,
      "A `nowplaying` push needs `timestamp`, when it is sent in Unix seconds.")
    var hasID = false
    if case .string(let id)? = aps.attributes?["id"] { hasID = !id.isEmpty }
    add(
      .nowPlayingWithoutID, at: "/payload/aps", if: !hasID,
      "A device drops a `nowplaying` push without the session's `id`, a text in `attributes`.")
  }

  fileprivate mutating func checkCall(_ aps: APS, _ headers: RequestHeaders) {
    let latest = headers.madeAt &+ PayloadValidator.maximumCallSeconds
    add(
      .voipExpirationLong, at: "/headers/apns-expiration",
      if: (headers.expiration ?? .max) > latest,
      "A call is over soon: `apns-expiration` should be 0, or the time in a few seconds.")
    add(
      .voipWithCollapseID, at: "/headers/apns-collapse-id", if: headers.collapseID != nil,
      "`apns-collapse-id` is of no use for calls; leave it out.")
    if case .object(let alert) = aps.alert {
      add(
        .voipWithLocKey, at: "/payload/aps/alert", if: alert.hasLocKey,
        "No system looks up the keys of a VoIP payload; send finished text.")
    }
  }
}
