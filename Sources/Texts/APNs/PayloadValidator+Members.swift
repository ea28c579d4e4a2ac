import ASCII
import JSON

/// The rules for the members of `aps`.
extension [PayloadProblem] {
  /// The rules for a Live Activity as a whole.
  mutating func checkActivity(_ aps: APS) {
    add(
      .activityWithoutTimestamp, at: "/payload/aps", if: aps[.timestamp] == nil,
      "A Live Activity needs `timestamp`, when it is sent in Unix seconds.")
    add(
      .activityWithoutEvent, at: "/payload/aps", if: aps.event == nil && aps.rest["event"] == nil,
      "A Live Activity needs `event`: start, update or end.")
    add(
      .activityWithoutContentState, at: "/payload/aps",
      if: aps[.contentState] == nil && aps.event != .end,
      "The start and the update of a Live Activity need `content-state`, an object.")
    let alert: Alert? = if case .object(let object)? = aps.alert { object } else { nil }
    if aps.event == .start {
      add(
        .activityStartWithoutAttributesType, at: "/payload/aps", if: aps[.attributesType] == nil,
        "The start of a Live Activity needs `attributes-type`, the name of the app's Swift type.")
      add(
        .activityStartWithoutAttributes, at: "/payload/aps", if: aps[.attributes] == nil,
        "The start of a Live Activity needs `attributes`, an object.")
      add(
        .activityStartWithoutAlert, at: "/payload/aps", if: alert?.isVisibleInActivity != true,
        "The start of a Live Activity needs an `alert` with a title and a body.")
    } else {
      add(
        .alertEmpty, at: "/payload/aps/alert",
        if: alert.map { !$0.isVisibleInActivity } ?? (aps.alert == .text("")),
        "A device drops an `alert` without a text; leave it out, or give it a `body`.")
    }
    for member in aps.known {
      guard case .activity(let event?) = member.key.rules.scope, event != aps.event
      else { continue }
      addIgnored(member.key, "Only the \(event.rawValue) of a Live Activity has")
    }
  }

  /// The rules for each member by itself.
  mutating func checkMembers(_ aps: APS, _ pushType: PushType) {
    let isActivity = pushType == .liveactivity
    for member in aps.known { check(member.key, member.value, isActivity: isActivity) }
    if !aps.rest.isEmpty { for key in aps.rest.keys.sortedBySpelling() { addRest(key) } }
    if case .object(let alert) = aps.alert { check(alert, isActivity: isActivity) }
    if case .critical(let sound) = aps.sound { check(sound) }
  }

  private mutating func addIgnored(_ key: APSKey, _ reason: String) {
    add(.activityKeyIgnored, at: "/payload/aps/\(key.name)", "\(reason) `\(key.name)`.")
  }

  /// Checks a member whose value is of its kind.
  private mutating func check(_ key: APSKey, _ value: APSValue, isActivity: Bool) {
    let rules = key.rules
    let isRight =
      switch (rules.kind, value) {
      case (.count, .integer(let number)): number >= 0
      case (.flag, .integer(let number)): (0...1).contains(number)
      case (.score, .number(let score)): isActivity || (0...1).contains(score)
      default: true
      }
    if !isRight, let fault = rules.fault { add(fault, of: key) }
    switch rules.scope {
    case .any:
      add(
        .apsMemberIgnored, at: "/payload/aps/\(key.name)",
        if: isActivity && (key == .badge || key == .sound),
        "A Live Activity has no `\(key.name)` in `aps`; a `sound` stands in its `alert`.")
    case .activity: if !isActivity { addIgnored(key, "Only a Live Activity has") }
    case .reload:
      add(
        .apsMemberIgnored, at: "/payload/aps/\(key.name)",
        "Only pushes that have something made anew, such as `widgets`, have `\(key.name)`.")
    case .website:
      add(
        .legacyKey, at: "/payload/aps/\(key.name)",
        "`\(key.name)` is Safari's, from before web push.")
    }
  }

  private mutating func add(_ fault: APSRules.Fault, of key: APSKey) {
    add(
      fault.code, at: "/payload/aps/\(key.name)", "`\(key.name)` is \(fault.rule).")
  }

  /// Adds the problem of a member that is not Apple's, or of another kind. For a word or a flag any
  /// value but the right ones is a fault.
  private mutating func addRest(_ name: String) {
    let key = APSKey(name: name)
    switch (key, key?.rules.kind, key?.rules.fault) {
    case (let key?, .word, let fault?), (let key?, .flag, let fault?): add(fault, of: key)
    default:
      add(
        .apsMemberIgnored, at: "/payload/aps/\(escapedPointer(name))",
        "A device ignores `\(name)` in `aps`: not Apple's name, or not its type.")
    }
  }

  private mutating func check(_ alert: Alert, isActivity: Bool) {
    let place = "/payload/aps/alert"
    guard isActivity else { return checkOfNotification(alert, at: place) }
    for key in alert.notificationMembers {
      add(
        .alertMemberIgnored, at: "\(place)/\(key)",
        "The alert of a Live Activity has `title`, `body` and `sound`, and no `\(key)`.")
    }
    checkRest(alert.rest, at: place)
    for (name, text) in [("title", alert.localizedTitle), ("body", alert.localizedBody)] {
      guard let text else { continue }
      checkPart("\(place)/\(name)", "loc-", text.locKey, text.locArgs)
      checkRest(text.rest, at: "\(place)/\(name)")
    }
  }

  private mutating func checkOfNotification(_ alert: Alert, at place: String) {
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
    for key in alert.activityMembers {
      add(
        .alertMemberIgnored, at: "\(place)/\(key)",
        "`\(key)` in `alert` is so only for Live Activities.")
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
