import ASCII
import JSON

/// The rules for what is in `aps`.
extension [PayloadProblem] {
  /// The rules for a Live Activity as a whole.
  mutating func checkActivity(_ aps: APS) {
    add(
      .activityWithoutTimestamp, at: "/payload/aps", if: aps.timestamp == nil,
      "A Live Activity needs `timestamp`, when it is sent in Unix seconds.")
    add(
      .activityWithoutEvent, at: "/payload/aps", if: aps.event == nil && aps.rest["event"] == nil,
      "A Live Activity needs `event`: start, update or end.")
    add(
      .activityWithoutContentState, at: "/payload/aps",
      if: aps.contentState == nil && aps.event != .end,
      "The start and the update of a Live Activity need `content-state`, an object.")
    if aps.event == .start {
      add(
        .activityStartWithoutAttributesType, at: "/payload/aps", if: aps.attributesType == nil,
        "The start of a Live Activity needs `attributes-type`, the name of the app's Swift type.")
      add(
        .activityStartWithoutAttributes, at: "/payload/aps", if: aps.attributes == nil,
        "The start of a Live Activity needs `attributes`, an object.")
      add(
        .activityStartWithoutAlert, at: "/payload/aps", if: aps.alert?.isVisible != true,
        "The start of a Live Activity needs an `alert` with a title and a body.")
    } else {
      add(
        .alertEmpty, at: "/payload/aps/alert", if: aps.alert.map { !$0.isVisible } ?? false,
        "A device drops an `alert` without a text; leave it out, or give it a `body`.")
      addIgnored(aps.startMembers, "Only the start of a Live Activity has")
    }
    if aps.event != .end, aps.dismissalDate != nil {
      addIgnored(["dismissal-date"], "Only the end of a Live Activity has")
    }
  }

  /// The rules for each member by itself.
  mutating func checkMembers(_ aps: APS, _ pushType: PushType) {
    let isActivity = pushType == .liveactivity
    add(
      .badgeNegative, at: "/payload/aps/badge", if: (aps.badge ?? 0) < 0,
      "`badge` is 0 or more; 0 removes it.")
    add(
      .relevanceScoreOutOfRange, at: "/payload/aps/relevance-score",
      if: !isActivity && !(0...1).contains(aps.relevanceScore ?? 0),
      "`relevance-score` is from 0 to 1.")
    addFlag("content-available", if: !(0...1).contains(aps.contentAvailable ?? 0))
    addFlag("mutable-content", if: !(0...1).contains(aps.mutableContent ?? 0))
    addFlag("input-push-token", if: !(0...1).contains(aps.inputPushToken ?? 0))
    add(
      .apsMemberIgnored, at: "/payload/aps/content-changed", if: aps.contentChanged != nil,
      "Only pushes that have something made anew, such as `widgets`, have `content-changed`.")
    add(
      .legacyKey, at: "/payload/aps/url-args", if: aps.urlArgs != nil,
      "`url-args` is Safari's, from before web push.")
    if !isActivity { addIgnored(aps.activityMembers, "Only a Live Activity has") }
    if !aps.rest.isEmpty { for key in aps.rest.keys.sortedBySpelling() { addRest(key) } }
    if case .object(let alert) = aps.alert { check(alert, isActivity: isActivity) }
    if case .critical(let sound) = aps.sound { check(sound) }
  }

  private mutating func addIgnored(_ keys: [String], _ reason: String) {
    for key in keys {
      add(.activityKeyIgnored, at: "/payload/aps/\(key)", "\(reason) `\(key)`.")
    }
  }

  private mutating func addFlag(_ key: String, if isWrong: Bool = true) {
    add(
      .flagNotZeroOrOne, at: "/payload/aps/\(key)", if: isWrong,
      "`\(key)` is the number 0 or 1.")
  }

  /// A member of `aps` that has no typed place.
  private mutating func addRest(_ key: String) {
    switch Spelling(key) {
    case "interruption-level":
      add(
        .interruptionLevelUnknown, at: "/payload/aps/interruption-level",
        "`interruption-level` is passive, active, time-sensitive or critical.")
    case "event":
      add(.activityEventUnknown, at: "/payload/aps/event", "`event` is start, update or end.")
    case "content-available", "mutable-content", "input-push-token":
      addFlag(key)
    default:
      add(
        .apsMemberIgnored, at: "/payload/aps/\(escapedPointer(key))",
        "A device ignores `\(key)` in `aps`: not Apple's name, or not its type.")
    }
  }

  private mutating func check(_ alert: Alert, isActivity: Bool) {
    let place = "/payload/aps/alert"
    checkPart(place, "title-loc-", alert.titleLocKey, alert.titleLocArgs)
    checkPart(place, "subtitle-loc-", alert.subtitleLocKey, alert.subtitleLocArgs)
    checkPart(place, "loc-", alert.locKey, alert.locArgs)
    add(
      .legacyKey, at: place + "/action", if: alert.action != nil,
      "`action` is Safari's, from before web push.")
    add(
      .legacyKey, at: place + (alert.summaryArg == nil ? "/summary-arg-count" : "/summary-arg"),
      if: alert.summaryArg != nil || alert.summaryArgCount != nil,
      "`summary-arg` and `summary-arg-count` have no effect from iOS 15.")
    checkRest(alert.rest, at: place)
    guard isActivity else {
      for key in alert.activityMembers {
        add(
          .alertMemberIgnored, at: "\(place)/\(key)",
          "`\(key)` in `alert` is so only for Live Activities.")
      }
      return
    }
    for (name, text) in [("title", alert.localizedTitle), ("body", alert.localizedBody)] {
      guard let text else { continue }
      checkPart("\(place)/\(name)", "loc-", text.locKey, text.locArgs)
      checkRest(text.rest, at: "\(place)/\(name)")
    }
  }

  private mutating func checkPart(
    _ place: String, _ prefix: String, _ key: String?, _ arguments: [String]?
  ) {
    add(
      .locKeyEmpty, at: "\(place)/\(prefix)key", if: key?.isEmpty == true,
      "A device takes an empty `\(prefix)key` for none; leave it out.")
    add(
      .locArgsWithoutKey, at: "\(place)/\(prefix)args", if: arguments != nil && key == nil,
      "`\(prefix)args` means nothing without `\(prefix)key`.")
  }

  /// Members of `alert` that have no typed place; Apple's older documents allow `null`.
  private mutating func checkRest(_ rest: JSONObject, at place: String) {
    if rest.isEmpty { return }
    for key in rest.keys.sortedBySpelling() where rest[key] != .null {
      let member = "\(place)/\(escapedPointer(key))"
      if key.utf8.suffix(8).elementsEqual("loc-args".utf8) {
        add(.locArgsNotStrings, at: member, "`\(key)` must be an array of strings.")
      } else {
        add(
          .alertMemberIgnored, at: member,
          "A device ignores `\(key)` in `alert`: not Apple's name, or not its type.")
      }
    }
  }

  private mutating func check(_ sound: CriticalSound) {
    let isRight =
      sound.rest.isEmpty && sound.name?.isEmpty == false
      && (0...1).contains(sound.volume ?? 0) && (0...1).contains(sound.critical ?? 0)
    add(
      .criticalSoundShape, at: "/payload/aps/sound", if: !isRight,
      "The `sound` dictionary has `critical` 0 or 1, `name`, and `volume` from 0 to 1.")
  }
}
