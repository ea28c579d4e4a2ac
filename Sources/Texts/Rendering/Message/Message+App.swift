import APNs
import ASCII
public import JSON

extension Message {
  /// The faults of a message that comes now; a message that was stored before goes on as it is.
  ///
  /// This is apart from ``init(reading:)``, as it also depends on the app: a message that was read
  /// is remembered for all apps.
  ///
  /// - Parameters:
  ///   - isNamed: Whether it is stored under a name, which is its type unless it has one.
  ///   - pointer: The place of the message.
  public func faults(for app: AppFacts, isNamed: Bool, at pointer: String) -> [InputProblem] {
    var faults = ownMembers(in: app, isNamed: isNamed).filter { data[Spelling($0)] != nil }
      .map { Self.takenName($0, at: "\(pointer)/data") }
    if let ttlSeconds, ttlSeconds > MessageLimits.ttlSeconds {
      faults.append(
        InputFault.outOfRange.problem(
          at: pointer + "/ttl", MessageLimits.ttlRule(Int64(ttlSeconds))))
    }
    if let push {
      faults += push.undecodable(parameters, in: app, at: pointer)
      if push.asksForToken, push.inputChannelName != nil {
        faults.append(
          InputFault.tooMany.problem(
            at: "\(pointer)/\(push.member)/input_push_channel",
            "An activity is updated by a token or on a channel: leave one of the two out."))
      }
    }
    if isEmpty {
      faults.append(InputFault.missingField.problem(at: pointer + "/alert", Self.ruleOfContent))
    }
    return faults
  }

  /// Whether it shows, plays, counts and carries nothing, and does not even say that it is to wake
  /// the app.
  var isEmpty: Bool {
    push == nil && !isPerceived && !aps.wakesApp && data.isEmpty && type == nil
      && withdraws == nil
      && callID == nil && (pushType == nil || pushType == .alert)
  }

  /// The members of an app's payloads that this message makes itself, or may: its type, and a local
  /// notification.
  func ownMembers(in app: AppFacts, isNamed: Bool) -> [String] {
    let hasType = isNamed || type != nil
    return [hasType ? app.messageTypeKey : nil, app.localNotificationKey].compactMap(\.self)
  }

  /// A member of `data` that the message makes itself.
  static func takenName(_ name: String, at data: String) -> InputProblem {
    InputFault.invalidName.problem(
      at: "\(data)/\(escapedPointer(name))",
      "The message has `\(name)` itself; give the data another name.")
  }

  static let ruleOfContent =
    "A message shows, plays, counts or carries something: an alert, a sound, a badge or data; "
    + "`content_available` alone wakes the app."
}

extension MessageLimits {
  /// The rule for a `ttl` that is too large, with a hint at the unit that it may have been meant
  /// in.
  static func ttlRule(_ number: Int64) -> String {
    let rule = "From 0 to \(ttlSeconds) seconds: APNs keeps nothing longer than 30 days."
    // A moment as a number is from this century.
    if number >= 946_684_800_000 { return rule + " This looks like a moment in milliseconds." }
    if number.isMultiple(of: 1000), (0...Int64(ttlSeconds)).contains(number / 1000), number > 0 {
      return rule + " This looks like milliseconds: \(number / 1000) would be the seconds."
    }
    return number >= 946_684_800 ? rule + " This looks like a moment, not a time from now." : rule
  }
}
