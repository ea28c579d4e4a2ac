import JSON
import Localization

extension MessageAlert {
  /// Reads `alert`: an object of parts, or one text alone (a string, `{"text": …}` or
  /// `{"key": …}`), which is then the body and is written in Apple's string form.
  init?(_ value: JSONValue, parameters: [String: Parameter], _ fields: FieldReader) {
    self.init()
    if value.isText {
      body = TextSource(value, parameters: parameters, at: fields.place("alert"), fields)
      usesStringForm = true
      return
    }
    let alert = fields.nested(value, at: fields.place("alert")) { fields -> MessageAlert? in
      var alert = MessageAlert()
      if !AlertPart.allCases.contains(where: { fields.has($0.rawValue) }) {
        fields.refuse(
          InputFault.missingField.problem(
            at: fields.pointer, "An alert has a `title`, a `subtitle` or a `body`."))
      }
      for part in AlertPart.allCases {
        guard let value = fields.json(part.rawValue).value else { continue }
        let source = TextSource(
          value, parameters: parameters, at: fields.place(part.rawValue), fields)
        switch part {
        case .title: alert.title = source
        case .subtitle: alert.subtitle = source
        case .body: alert.body = source
        }
      }
      alert.launchImage = fields.template("launch_image", parameters)
      alert.actionKey = fields.template("action_key", parameters)
      return alert
    }
    guard let alert else { return nil }
    self = alert
  }
}

extension JSONValue {
  /// Whether the value is a text alone rather than an object of parts.
  fileprivate var isText: Bool {
    switch self {
    case .string: true
    case .object(let members): members["text"] != nil || members["key"] != nil
    default: false
    }
  }
}

extension TextSource {
  /// Reads a text: a string, `{"text": "…"}`, `{"text": {"en": "…"}}` or `{"key": "…", …}`.
  init?(
    _ value: JSONValue, parameters: [String: Parameter], at pointer: String,
    _ fields: FieldReader
  ) {
    if case .string(let text) = value {
      guard let literal = LiteralText(text, parameters: parameters, at: pointer, fields) else {
        return nil
      }
      self = .literal(literal)
      return
    }
    let source = fields.nested(value, at: pointer) { fields -> TextSource? in
      if fields.has("key") {
        return KeyedText(parameters: parameters, fields).map(TextSource.key)
      }
      guard let text = fields.json("text").value else {
        fields.refuse(
          InputFault.missingField.problem(
            at: pointer, "A text has a `key`, or a `text` per language."))
        return nil
      }
      return LiteralText(text, parameters: parameters, fields).map(TextSource.literal)
    }
    guard let source else { return nil }
    self = source
  }
}

extension KeyedText {
  fileprivate init?(parameters: [String: Parameter], _ fields: FieldReader) {
    let key = fields.identifier("key").value
    let arguments =
      fields.texts(
        "args", maximumCount: MessageLimits.parameters, maximum: MessageLimits.identifierBytes,
        isUnique: false
      ).value ?? []
    let table = fields.identifier("table").value
    let catalog: CatalogChoice? = fields.word("catalog").value
    for (index, name) in arguments.enumerated() {
      fields.checkParameters([name], parameters, at: fields.place("args") + "/\(index)")
    }
    guard let key else { return nil }
    self.init(
      key: key, arguments: arguments, table: table ?? KeyedText.deviceTable,
      catalog: catalog ?? .app)
  }
}

extension LiteralText {
  fileprivate init?(
    _ text: String, parameters: [String: Parameter], at pointer: String,
    _ fields: FieldReader
  ) {
    let bounds = TextBounds(minimum: 1, maximum: MessageLimits.textBytes)
    if let (fault, detail) = bounds.fault(of: text) {
      fields.refuse(fault.problem(at: pointer, detail))
      return nil
    }
    self.init(text)
    fields.checkPlaceholders(in: text, parameters, at: pointer)
  }

  /// The value of `text`: a string, or an object of strings by language.
  fileprivate init?(
    _ value: JSONValue, parameters: [String: Parameter], _ fields: FieldReader
  ) {
    let pointer = fields.place("text")
    switch value {
    case .string(let text):
      self.init(text, parameters: parameters, at: pointer, fields)
    case .object(let members):
      guard (1...MessageLimits.languages).contains(members.count) else {
        fields.refuse(
          members.isEmpty ? .tooShort : .tooMany, at: "text",
          "A text has 1 to \(MessageLimits.languages) languages.")
        return nil
      }
      var texts: [LanguageTag: String] = [:]
      for (language, text) in members.sorted(by: { $0.key < $1.key }) {
        let place = pointer + "/" + escapedPointer(language)
        guard let tag = LanguageTag(language) else {
          fields.refuse(
            InputFault.invalidLanguage.problem(
              at: place, "This is no language tag such as `fr` or `zh-Hant-HK`."))
          continue
        }
        guard case .string(let text) = text else {
          fields.refuse(InputFault.wrongType.problem(at: place, "Expected a string."))
          continue
        }
        guard LiteralText(text, parameters: parameters, at: place, fields) != nil else { continue }
        texts[tag] = text
      }
      self.init(texts)
    default:
      fields.refuseType("text", "a string or an object of languages", value)
      return nil
    }
  }
}
