/// Apple's rules for a payload and its header fields, as far as they concern alert and background
/// notifications.
///
/// A device never rejects, it drops what it does not like; APNs rejects. So everything that either
/// would take offence at is told here (Apple, "Generating a remote notification" and "Sending
/// notification requests to APNs").
public enum PayloadValidator {
  /// The most bytes of `apns-collapse-id`.
  public static let maximumCollapseIDBytes = 64

  /// The faults of a notification, none when it may be sent.
  ///
  /// - Parameters:
  ///   - payload: what is sent.
  ///   - payloadBytes: the count of its encoded bytes.
  ///   - headers: its header fields.
  public static func problems(
    payload: Payload, payloadBytes: Int, headers: RequestHeaders
  ) -> [PayloadProblem] {
    var problems: [PayloadProblem] = []
    checkSize(payloadBytes, headers, &problems)
    if payload.data["aps"] != nil {
      problems.append("reserved_aps_in_data", "`aps` is Apple's; give the app's data another name.")
    }
    guard let aps = payload.aps else { return problems }
    switch headers.pushType {
    case .background: checkBackground(aps, &problems)
    case .alert: checkAlert(aps, &problems)
    default: break
    }
    checkValues(aps, &problems)
    if case .object(let alert) = aps.alert { checkArguments(alert, &problems) }
    if case .critical(let sound) = aps.sound { checkSound(sound, &problems) }
    return problems
  }

  private static func checkSize(
    _ bytes: Int, _ headers: RequestHeaders, _ problems: inout [PayloadProblem]
  ) {
    let limit = headers.pushType.maximumPayloadBytes
    if bytes > limit {
      problems.append(
        "payload_too_large", "The payload has \(bytes) bytes; APNs takes at most \(limit).")
    }
    if let id = headers.collapseID, id.utf8.count > maximumCollapseIDBytes {
      problems.append(
        "collapse_id_too_long",
        "`apns-collapse-id` has \(id.utf8.count) bytes; APNs takes at most 64.")
    }
  }

  private static func checkBackground(_ aps: APS, _ problems: inout [PayloadProblem]) {
    if aps.alert != nil {
      problems.append("background_with_alert", "A background notification must have no `alert`.")
    }
    if aps.badge != nil {
      problems.append("background_with_badge", "A background notification must have no `badge`.")
    }
    if aps.sound != nil {
      problems.append("background_with_sound", "A background notification must have no `sound`.")
    }
    if aps.contentAvailable != 1 {
      problems.append(
        "background_without_content_available",
        "A background notification needs `content-available` 1.")
    }
  }

  private static func checkAlert(_ aps: APS, _ problems: inout [PayloadProblem]) {
    let hasText =
      switch aps.alert {
      case .text(let text): !text.isEmpty
      case .object(let alert): alert.isVisible
      case nil: false
      }
    if !hasText && aps.badge == nil && aps.sound == nil {
      problems.append(
        "nothing_to_show", "An alert notification needs a text, a `badge` or a `sound`.")
    }
    if aps.mutableContent == 1 && !hasText {
      problems.append(
        "mutable_content_without_alert",
        "The service extension runs only for an alert with a title, subtitle or body.")
    }
  }

  private static func checkValues(_ aps: APS, _ problems: inout [PayloadProblem]) {
    if let badge = aps.badge, badge < 0 {
      problems.append("badge_negative", "`badge` is 0 or more; 0 removes it.")
    }
    if let score = aps.relevanceScore, aps.event == nil, !(0...1).contains(score) {
      problems.append("relevance_score_out_of_range", "`relevance-score` is from 0 to 1.")
    }
    for key in aps.rest.keys.sorted() {
      if key == "interruption-level" {
        problems.append(
          "interruption_level_unknown",
          "`interruption-level` is passive, active, time-sensitive or critical.")
      } else {
        problems.append(
          "aps_member_ignored",
          "A device ignores `\(key)` in `aps`: not Apple's name, or not its type.")
      }
    }
  }

  private static func checkArguments(_ alert: Alert, _ problems: inout [PayloadProblem]) {
    guard alert.hasArguments || !alert.rest.isEmpty else { return }
    let parts = [
      ("title-loc-", alert.titleLocKey, alert.titleLocArgs),
      ("subtitle-loc-", alert.subtitleLocKey, alert.subtitleLocArgs),
      ("loc-", alert.locKey, alert.locArgs),
    ]
    for (prefix, key, arguments) in parts {
      if arguments != nil && key?.isEmpty != false {
        problems.append(
          "loc_args_without_key", "`\(prefix)args` means nothing without `\(prefix)key`.")
      }
      if alert.rest[prefix + "args"] != nil {
        problems.append("loc_args_not_strings", "`\(prefix)args` must be an array of strings.")
      }
    }
  }

  private static func checkSound(_ sound: CriticalSound, _ problems: inout [PayloadProblem]) {
    let volumeFits = sound.volume.map { (0...1).contains($0) } ?? true
    guard sound.rest.isEmpty, sound.name?.isEmpty == false, volumeFits,
      sound.critical.map({ $0 == 0 || $0 == 1 }) ?? true
    else {
      problems.append(
        "critical_sound_shape",
        "The `sound` dictionary has `critical` 0 or 1, `name`, and `volume` from 0 to 1.")
      return
    }
  }
}

extension Alert {
  fileprivate var hasArguments: Bool {
    locArgs != nil || titleLocArgs != nil || subtitleLocArgs != nil
  }
}

extension [PayloadProblem] {
  fileprivate mutating func append(_ code: String, _ detail: String) {
    append(PayloadProblem(code: code, detail: detail))
  }
}
