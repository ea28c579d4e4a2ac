public import APNs
import Localization

extension Message: Decodable {
  /// Reads a message of the HTTP contract and tells all its faults at once.
  ///
  /// What the contract leaves open:
  ///
  /// - `"alert": "Hi"`, `{"text": …}` or `{"key": …}`: a body alone, written in Apple's string form.
  /// - `"body": "Hi"` is short for `{"text": "Hi"}`: one wording for everybody.
  /// - `"action_key": "PLAY"` inside `alert` is `action-loc-key`.
  /// - `{name}` in a literal text is the parameter, written as the device's region does.
  /// - `"literal_fallback": false`: a device that localizes gets keys and arguments only, and when
  ///   the caller demands `client` it gets them also if no catalog of its build is known.
  ///
  /// - Parameters:
  ///   - json: the object; its field `name`, if any, must have been taken out before.
  ///   - pointer: where in the request it stands, for the faults' pointers.
  public init(json: JSONValue, at pointer: String = "") throws(MessageFaults) {
    var reader = FieldReader(json, at: pointer)
    self.init()
    if reader.problems.isEmpty {
      read(from: &reader)
      reader.refuseUnknownFields()
      checkKind(&reader)
    }
    guard reader.problems.isEmpty else { throw MessageFaults(problems: reader.problems) }
  }

  /// Reads a message wherever a `Decodable` type holds one; the faults point into the whole.
  ///
  /// Throws ``MessageFaults`` for faults of the message, `DecodingError` for what is not JSON.
  public init(from decoder: any Decoder) throws {
    let pointer = decoder.codingPath.map { key in
      "/" + (key.intValue.map(String.init) ?? escapedPointer(key.stringValue))
    }
    try self.init(json: JSONValue(from: decoder), at: pointer.joined())
  }

  private mutating func read(from reader: inout FieldReader) {
    parameters = reader.object("parameters", Parameter.readAll) ?? [:]
    if let value = reader.take("alert") {
      alert = MessageAlert(value, parameters: parameters, &reader)
    }
    if let value = reader.take("sound") {
      sound = Sound(value, &reader)
    }
    badge = reader.integer("badge", in: 0...MessageLimits.badge)
    category = reader.string("category")
    threadID = template("thread_id", &reader)
    targetContentID = template("target_content_id", &reader)
    collapseID = template("collapse_id", &reader)
    interruptionLevel = reader.word("interruption_level")
    relevanceScore = reader.number("relevance_score", in: 0...1)
    filterCriteria = reader.string("filter_criteria")
    contentAvailable = reader.flag("content_available") ?? false
    mutableContent = reader.flag("mutable_content") ?? false
    ttlSeconds = reader.integer("ttl", in: 0...MessageLimits.ttlSeconds)
    readPriority(&reader)
    pushType = reader.word("push_type")
    literalFallback = reader.flag("literal_fallback") ?? true
    readData(&reader)
  }

  private mutating func readPriority(_ reader: inout FieldReader) {
    priority = reader.integer("priority", in: 1...10)
    if let priority, ![1, 5, 10].contains(priority) {
      reader.fault("priority", "out_of_range", "APNs knows the priorities 10, 5 and 1.")
    }
  }

  private func template(_ name: String, _ reader: inout FieldReader) -> Template? {
    guard let text = reader.string(name) else { return nil }
    let template = Template(text)
    reader.checkParameters(template.names, parameters, at: reader.place(name))
    if name == "collapse_id", template.names.isEmpty,
      template.filled({ _ in nil }).utf8.count > PayloadValidator.maximumCollapseIDBytes
    {
      reader.fault(name, "too_long", "APNs takes at most 64 bytes.")
    }
    return template
  }

  private mutating func readData(_ reader: inout FieldReader) {
    guard let value = reader.take("data") else { return }
    guard case .object(let members) = value else {
      return reader.wrongType("data", "An object", value)
    }
    let place = reader.place("data")
    if members["aps"] != nil {
      reader.fault(
        at: place + "/aps", "reserved_aps_in_data",
        "`aps` is Apple's; give the app's data another name.")
    }
    guard value.isShallower(than: MessageLimits.dataDepth) else {
      return reader.fault("data", "too_deep", "At most \(MessageLimits.dataDepth) levels.")
    }
    var writer = JSONWriter()
    writer.value(value)
    guard writer.bytes.count <= MessageLimits.dataBytes else {
      return reader.fault(
        "data", "too_long", "At most \(MessageLimits.dataBytes) bytes fit into a payload.")
    }
    for (name, member) in members.sorted(by: { $0.key < $1.key }) {
      let template = DataTemplate(member)
      reader.checkParameters(template.names, parameters, at: place + "/" + escapedPointer(name))
      data[name] = template
    }
  }

  private func checkKind(_ reader: inout FieldReader) {
    switch pushType {
    case nil, .alert: break
    case .background:
      if alert != nil || sound != nil || badge != nil {
        reader.fault(
          "push_type", "background_not_silent",
          "A background notification must have no alert, sound or badge.")
      }
    case let kind?:
      reader.fault(
        "push_type", "unsupported_push_type", "Messages of type `\(kind.rawValue)` are not made.")
    }
  }
}

extension FieldReader {
  /// Tells of names that are no parameters.
  mutating func checkParameters(
    _ names: [String], _ parameters: [String: Parameter], at pointer: String
  ) {
    for name in names where parameters[name] == nil {
      fault(
        at: pointer, "unknown_parameter",
        "`\(name)` is not among the message's parameters; write `{{` for a brace.")
    }
  }
}

extension DataTemplate {
  var names: [String] {
    switch self {
    case .constant: []
    case .text(let template): template.names
    case .array(let elements): elements.flatMap(\.names)
    case .object(let members): members.values.flatMap(\.names)
    }
  }
}

extension JSONValue {
  fileprivate func isShallower(than depth: Int) -> Bool {
    guard depth > 0 else { return false }
    return switch self {
    case .array(let elements): elements.allSatisfy { $0.isShallower(than: depth - 1) }
    case .object(let members): members.values.allSatisfy { $0.isShallower(than: depth - 1) }
    default: true
    }
  }
}

extension Sound {
  fileprivate init?(_ value: JSONValue, _ reader: inout FieldReader) {
    if case .string(let name) = value {
      guard !name.isEmpty, name.utf8.count <= MessageLimits.identifierBytes else {
        reader.fault("sound", "out_of_range", "A sound's name has 1 to 512 bytes.")
        return nil
      }
      self = .named(name)
      return
    }
    let sound = reader.nested(value, at: reader.place("sound")) { fields -> CriticalSound? in
      var sound = CriticalSound()
      sound.critical = fields.flag("critical").map { $0 ? 1 : 0 } ?? 1
      sound.name = fields.string("name") ?? "default"
      sound.volume = fields.number("volume", in: 0...1)
      return sound
    }
    guard let sound else { return nil }
    self = .critical(sound)
  }
}
