import JSON

extension Payload {
  /// The payload as a device takes it: it never rejects a payload, it drops what it does not like.
  ///
  /// These are the rules of iOS' UserNotifications framework, as its shipped builds behave
  /// (docs/apple.md 1.4):
  ///
  /// - A string of length zero and a value of a wrong type count as absent, and names that are not
  ///   Apple's are ignored in `aps` and below.
  /// - `*-loc-args` counts only beside its key. Its elements are strings; a number becomes its
  ///   text, and anything else the empty string, so that the others keep their places.
  /// - In a flag, such as `content-available` or `critical`, a number above 0 counts as 1, a number
  ///   below 0 as absent, and a value that is no number as 1.
  /// - A badge below 0 counts as absent; `relevance-score`, save for a Live Activity's, and
  ///   `volume` are brought between 0 and 1.
  /// - A Live Activity has no `badge`, and of its alert only `title`, `body` and `sound` count: the
  ///   sound stands nowhere else.
  /// - `interruption-level` `critical` makes any sound a critical one.
  /// - An `alert` or `aps` with nothing left counts as absent: then there is nothing to show.
  ///
  /// The app's own members are left alone.
  public func asSeenByDevice() -> Payload {
    var seen = self
    seen.aps = aps?.asSeenByDevice()
    return seen
  }
}

extension APS {
  fileprivate func asSeenByDevice() -> APS? {
    var seen = APS()
    for member in known { seen[member.key] = seenValue(member.value, of: member.key) }
    for (name, value) in rest {
      guard let key = APSKey(name: name), key.rules.scope == .any, case .flag = key.rules.kind
      else { continue }
      seen[key] = flag(nil, or: value).map(APSValue.integer)
    }
    return seen.isEmpty ? nil : seen
  }

  /// The value that a device takes of a member. The framework's rules do not hold for the members
  /// of Live Activities and others, which are left alone.
  private func seenValue(_ value: APSValue, of key: APSKey) -> APSValue? {
    let rules = key.rules
    guard rules.scope == .any else { return value }
    if event != nil, key == .badge || key == .sound { return nil }
    switch (rules.kind, value) {
    case (.flag, .integer(let number)): return flag(number, or: nil).map(APSValue.integer)
    case (_, .alert(.text(let text))): return text.isEmpty ? nil : value
    case (_, .alert(.object(let alert))):
      return alert.asSeenByDevice(isActivity: event != nil).map(APSValue.alert)
    case (_, .sound(let sound)):
      return sound.asSeenByDevice(isCritical: interruptionLevel == .critical)
        .map(APSValue.sound)
    case (.text, .text(let text)): return text.isEmpty ? nil : value
    case (.count, .integer(let number)): return number < 0 ? nil : value
    case (.score, .number(let score)): return event == nil ? .number(clampedToOne(score)) : value
    default: return value
    }
  }
}

extension Alert {
  fileprivate func asSeenByDevice(isActivity: Bool) -> AlertForm? {
    if isActivity { return seenInActivity }
    var seen = self
    seen.rest = [:]
    seen.title = title?.nonEmpty
    seen.subtitle = subtitle?.nonEmpty
    seen.body = body?.nonEmpty
    seen.titleLocKey = titleLocKey?.nonEmpty
    seen.subtitleLocKey = subtitleLocKey?.nonEmpty
    seen.locKey = locKey?.nonEmpty
    seen.titleLocArgs =
      seen.titleLocKey == nil ? nil : titleLocArgs ?? arguments(rest["title-loc-args"])
    seen.subtitleLocArgs =
      seen.subtitleLocKey == nil ? nil : subtitleLocArgs ?? arguments(rest["subtitle-loc-args"])
    seen.locArgs = seen.locKey == nil ? nil : locArgs ?? arguments(rest["loc-args"])
    seen.launchImage = launchImage?.nonEmpty
    seen.action = action?.nonEmpty
    seen.actionLocKey = actionLocKey?.nonEmpty
    seen.summaryArg = summaryArg?.nonEmpty
    seen.localizedTitle = nil
    seen.localizedBody = nil
    seen.sound = nil
    return seen == Alert() ? nil : .object(seen)
  }

  private var seenInActivity: AlertForm? {
    var seen = Alert()
    seen.title = title?.nonEmpty
    seen.body = body?.nonEmpty
    seen.localizedTitle = localizedTitle?.asSeenByDevice()
    seen.localizedBody = localizedBody?.asSeenByDevice()
    seen.sound = sound
    return seen == Alert() ? nil : .object(seen)
  }
}

extension ActivityText {
  fileprivate func asSeenByDevice() -> ActivityText? {
    locKey?.nonEmpty.map { ActivityText(locKey: $0, locArgs: locArgs) }
  }
}

extension Sound {
  fileprivate func asSeenByDevice(isCritical: Bool) -> Sound? {
    switch self {
    case .named(let name):
      guard let name = name.nonEmpty else { return nil }
      return isCritical ? .critical(CriticalSound(name: name)) : self
    case .critical(var sound):
      sound.critical = isCritical ? 1 : flag(sound.critical, or: sound.rest["critical"])
      sound.name = sound.name?.nonEmpty
      sound.volume = sound.volume.map(clampedToOne)
      sound.rest = [:]
      return sound == CriticalSound(critical: nil, name: nil) ? nil : .critical(sound)
    }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

private func clampedToOne(_ value: Double) -> Double { min(max(value, 0), 1) }

/// A flag by its typed value, or else by the value that came in its place.
private func flag(_ value: Int?, or other: JSONValue?) -> Int? {
  switch value.map({ JSONValue.integer(Int64($0)) }) ?? other {
  case nil, .null?: nil
  case .integer(let number)?: number < 0 ? nil : min(Int(number), 1)
  case .double(let number)?: number < 0 ? nil : 1
  case .longNumber(let text)?: text.utf8.first == UInt8(ascii: "-") ? nil : 1
  default: 1
  }
}

/// Arguments that are not all strings.
private func arguments(_ value: JSONValue?) -> [String]? {
  guard case .array(let elements) = value else { return nil }
  return elements.map { element in
    switch element {
    case .string(let text): text
    case .integer(let number): number.description
    case .double(let number): number.description
    case .longNumber(let text): text
    case .null, .bool, .array, .object: ""
    }
  }
}
