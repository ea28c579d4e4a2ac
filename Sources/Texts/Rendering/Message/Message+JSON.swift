import APNs
import ASCII
public import JSON
import Localization

extension APSKey {
  /// The members of `aps` that a message has itself, with the names that it has for them:
  /// `thread_id` for `thread-id`.
  static let ofMessages = allCases.filter(\.rules.isInMessages).map { key in
    (key: key, name: String(key.name.map { $0 == "-" ? "_" : $0 }))
  }
}

extension Message {
  /// Reads a message of the HTTP contract and tells all its faults at once.
  ///
  /// What the contract leaves open:
  ///
  /// - `"alert": "Hi"`, `{"text": …}` or `{"key": …}`: a body alone, in Apple's string form.
  /// - `"body": "Hi"` is short for `{"text": "Hi"}`: one wording for everybody.
  /// - `"action_key": "PLAY"` inside `alert` is `action-loc-key`.
  /// - `{name}` in a literal text is the parameter, written as the device's region does; any other
  ///   brace that opens is written `{{`.
  /// - `{name}` in any other text is the value as it came; an entry of `data` that is nothing else
  ///   keeps its type.
  /// - `"id"`: a number or a text, by which a newer notification replaces an older; `"withdraws"`
  ///   is the id of one that shall go.
  /// - `"literal_fallback": false`: a device that localizes gets keys and arguments only, and when
  ///   the caller demands `client` it gets them also if no catalog of its build is known.
  ///
  /// `nil` when its parameters cannot be read, so that nobody judges arguments by them.
  public init?(reading fields: FieldReader) {
    self.init()
    fields.otherNames = ["aps": "its members", "apns-expiration": "`ttl`"]
    let known = fields.problems.refusing.count
    parameters = fields.object("parameters", Parameter.readAll).value ?? [:]
    let areParametersRead = fields.problems.refusing.count == known
    if let value = fields.json("alert").value {
      alert = MessageAlert(value, parameters: parameters, fields)
    }
    if let (push, alert) = SystemPush.read(fields, parameters) {
      refuseNotificationMembers(push, fields)
      self.push = push
      self.alert = alert
    }
    for (key, name) in APSKey.ofMessages { read(key, name, fields) }
    collapseID = fields.template("collapse_id", parameters)
    id = readID("id", fields)
    withdraws = readID("withdraws", fields)
    type = fields.template("message_type", parameters)
    trigger = fields.object("trigger") { Trigger(reading: $0, parameters: parameters) }.value
    callID =
      fields.object("call") { [parameters] fields in
        fields.template("id", parameters, isRequired: true)
      }.value
    readTTL(fields)
    readPriority(fields)
    pushType = fields.word("push_type").value
    literalFallback = fields.flag("literal_fallback").value ?? true
    isolatesArguments = fields.flag("isolate_arguments").value ?? false
    localization = fields.word("localization").value ?? .auto
    truncation = fields.word("truncation").value ?? .truncate
    fallbackLanguage =
      fields.identifier("fallback_language").compactMap { text in
        if let tag = LanguageTag(text) { return tag }
        fields.refuse(
          .invalidLanguage, at: "fallback_language", "A language tag such as pt-BR or zh-Hant-HK.")
        return nil
      }.value
    readData(fields, beside: Self.ownMembers.filter(fields.has))
    checkKind(fields)
    if !areParametersRead { return nil }
  }

  /// Reads a member of `aps` that the message has itself.
  private mutating func read(_ key: APSKey, _ name: String, _ fields: FieldReader) {
    switch key.rules.kind {
    case .sound:
      sound = MessageSound(
        reading: fields, parameters: parameters, isCritical: aps.interruptionLevel == .critical)
    case .count: badge = Badge(reading: fields, parameters: parameters)
    case .text: apsTexts[key] = fields.template(name, parameters)
    case .word(let words): aps[key] = fields.appleWord(name, of: words).map(APSValue.text)
    case .flag: if fields.appleFlag(name) == true { aps[key] = .integer(1) }
    case .score: aps[key] = fields.number(name, in: 0...1).value.map(APSValue.number)
    case .alert, .time, .truth, .object, .texts: break
    }
  }

  private mutating func readPriority(_ fields: FieldReader) {
    priority = fields.integer("priority", in: 1...10).value
    if let priority, ![1, 5, 10].contains(priority) {
      fields.refuse(.outOfRange, at: "priority", "APNs knows the priorities 10, 5 and 1.")
    }
  }

  private mutating func readTTL(_ fields: FieldReader) {
    switch fields.json("ttl").value {
    case nil: break
    case .integer(let seconds) where (0...MessageLimits.storedTTLSeconds).contains(Int(seconds)):
      ttlSeconds = Int(seconds)
    case .integer(let number): fields.refuse(.outOfRange, at: "ttl", MessageLimits.ttlRule(number))
    case .double(let number) where number == number.rounded():
      fields.refuse(.outOfRange, at: "ttl", MessageLimits.ttlRule(Int64(exactly: number) ?? 0))
    case let value?: fields.refuseType("ttl", "a whole number", value)
    }
  }

  /// The id of a notification: a whole number, or a text with placeholders.
  private func readID(_ name: String, _ fields: FieldReader) -> DataTemplate? {
    let value = fields.json(name).value
    switch value {
    case nil: return nil
    case .integer: return value.map(DataTemplate.init)
    case .string(let text):
      let bounds = TextBounds(minimum: 1, maximum: MessageLimits.identifierBytes)
      if let (fault, detail) = bounds.fault(of: text) {
        fields.refuse(fault, at: name, detail)
        return nil
      }
      fields.checkPlaceholders(in: text, parameters, at: fields.pointer(to: name))
      return .text(Template(text))
    case let value?:
      fields.refuseType(name, "a whole number or a string", value)
      return nil
    }
  }

  /// The members of a payload that a message may have itself.
  private static let ownMembers = ["id", "trigger", "call", "withdraws"]

  /// Reads the app's own members. They replace members of the same names.
  /// - Parameter own: Names that the message has itself.
  mutating func readData(_ fields: FieldReader, beside own: [String]) {
    guard let value = fields.json("data").value else { return }
    guard case .object(let members) = value else {
      return fields.refuseType("data", "an object", value)
    }
    let place = fields.pointer(to: "data")
    if members["aps"] != nil {
      fields.refuse(
        .reservedName, pointer: place + "/aps",
        "`aps` is Apple's; give the app's data another name.")
    }
    guard value.isShallower(than: MessageLimits.dataDepth) else {
      return fields.refuse(.tooDeep, at: "data", "At most \(MessageLimits.dataDepth) levels.")
    }
    var writer = JSONWriter()
    writer.value(value)
    guard writer.bytes.count <= MessageLimits.dataBytes else {
      return fields.refuse(
        .tooLong, at: "data", "At most \(MessageLimits.dataBytes) bytes fit into a payload.")
    }
    for name in own where members[name] != nil {
      fields.refuse(Self.takenName(name, at: place))
    }
    for (name, member) in members.inOrder {
      fields.checkPlaceholders(in: member, parameters, at: place + "/" + escapedPointer(name))
      data[Spelling(name)] = DataTemplate(member)
    }
  }

  private func checkKind(_ fields: FieldReader) {
    if trigger != nil && !isPerceived {
      fields.refuse(
        .missingField, at: "alert",
        "A message with a trigger has an alert, a sound or a badge to show.")
    }
    checkIDs(fields)
    if let push, let priority, !push.priorities.contains(priority) {
      let priorities = push.priorities.map(String.init).joined(separator: " or ")
      fields.refuse(
        .outOfRange, at: "priority", "This kind of push has the priority \(priorities).")
    }
    switch pushType {
    case nil, .alert, .voip: break
    case .background:
      if alert != nil || sound != nil || badge != nil {
        fields.refuse(
          .backgroundNotSilent, at: "push_type",
          "A background notification must have no alert, sound or badge.")
      }
    case push?.pushType: break
    case let kind?:
      fields.refuse(
        .unsupportedPushType, at: "push_type", "Messages of type `\(kind.rawValue)` are not made.")
    }
  }
}

extension Message {
  /// Refuses members that only a notification has; a push that the system takes has its own alert
  /// and priority.
  private func refuseNotificationMembers(_ push: SystemPush, _ fields: FieldReader) {
    let own =
      ["alert"] + APSKey.ofMessages.map(\.name) + ["id", "withdraws", "trigger", "call"]
    let more = (push.takesData ? [] : ["data"]) + (push.isAboutNow ? ["ttl"] : [])
    for name in own + more where fields.has(name) { refuse(name, of: push, fields) }
  }

  func refuse(_ name: String, of push: SystemPush, _ fields: FieldReader) {
    fields.refuse(
      .unknownField, at: name,
      "A message of `\(push.member)` is no notification: it has no `\(name)` of its own.")
  }

  /// Checks the ids: an id belongs to a notification that is shown or withdrawn.
  private func checkIDs(_ fields: FieldReader) {
    if withdraws != nil, isPerceived || trigger != nil || id != nil {
      fields.refuse(
        .backgroundNotSilent, at: "withdraws",
        "A message that withdraws another is silent: no alert, sound, badge, trigger or id.")
    }
    if id != nil, !isPerceived, data.isEmpty, callID == nil, withdraws == nil {
      fields.refuse(
        .missingField, at: "alert",
        "A message with an id has something else: an alert, a sound, a badge, data or a call.")
    }
  }
}

extension FieldReader {
  /// A name, key or other identifier, which is not empty.
  func identifier(_ name: String) -> Change<String> {
    text(name, maximum: MessageLimits.identifierBytes, minimum: 1)
  }

  /// A text with placeholders, which is not empty.
  func template(
    _ name: String, _ parameters: [String: Parameter], isRequired: Bool = false
  ) -> Template? {
    let change = identifier(name)
    guard let text = isRequired ? required(change, name) : change.value else { return nil }
    checkPlaceholders(in: text, parameters, at: pointer(to: name))
    return Template(text)
  }

  /// One of Apple's words.
  fileprivate func appleWord<Word: APSWord>(_ name: String, of words: Word.Type) -> String? {
    word(name, of: words).value?.rawValue
  }

  /// A switch: `true` or `false`, or Apple's 1 or 0.
  func appleFlag(_ name: String) -> Bool? {
    switch json(name).value {
    case nil: return nil
    case .bool(let value): return value
    case .integer(1): return true
    case .integer(0): return false
    case let value?:
      refuseType(name, "true or false", value)
      return nil
    }
  }

  /// Tells of names that are no parameters.
  func checkParameters(
    _ names: [String], _ parameters: [String: Parameter], at pointer: String
  ) {
    for name in names where parameters[name] == nil {
      refuse(
        InputFault.unknownParameter.problem(
          at: pointer, "`\(name)` is not among the message's parameters."))
    }
  }

  /// Tells of braces in a template that open no parameter.
  func checkPlaceholders(
    in text: String, _ parameters: [String: Parameter], at pointer: String
  ) {
    for fault in Template.faults(in: text, declared: parameters.keys) {
      var problem = InputFault.unknownPlaceholder.problem(at: pointer, fault.detail)
      problem.position = fault.place
      refuse(problem)
    }
  }

  /// Tells of braces in any text of a value that open no parameter.
  func checkPlaceholders(
    in value: JSONValue, _ parameters: [String: Parameter], at pointer: String
  ) {
    switch value {
    case .string(let text): checkPlaceholders(in: text, parameters, at: pointer)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        checkPlaceholders(in: element, parameters, at: "\(pointer)/\(index)")
      }
    case .object(let members):
      for (name, member) in members.inOrder {
        checkPlaceholders(in: member, parameters, at: "\(pointer)/\(escapedPointer(name))")
      }
    case .null, .bool, .integer, .double, .longNumber: break
    }
  }
}

extension JSONValue {
  /// Whether arrays and objects are within each other less often than this.
  func isShallower(than depth: Int) -> Bool {
    guard depth > 0 else { return false }
    return switch self {
    case .array(let elements): elements.allSatisfy { $0.isShallower(than: depth - 1) }
    case .object(let members): members.values.allSatisfy { $0.isShallower(than: depth - 1) }
    default: true
    }
  }
}
