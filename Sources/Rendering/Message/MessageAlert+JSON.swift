import APNs
import Localization

extension MessageAlert {
  /// Reads `alert`: an object of parts, or one text alone (a string, `{"text": …}` or
  /// `{"key": …}`), which is then the body and is written in Apple's string form.
  init?(
    _ value: JSONValue, parameters: [String: Parameter], _ reader: inout FieldReader
  ) {
    self.init()
    if value.isText {
      body = TextSource(value, parameters: parameters, at: reader.place("alert"), &reader)
      usesStringForm = true
      return
    }
    let alert = reader.nested(value, at: reader.place("alert")) { fields -> MessageAlert? in
      var alert = MessageAlert()
      if !AlertPart.allCases.contains(where: { fields.has($0.rawValue) }) {
        fields.fault(
          at: fields.pointer, "missing_field", "An alert has a `title`, a `subtitle` or a `body`.")
      }
      for part in AlertPart.allCases {
        guard let value = fields.take(part.rawValue) else { continue }
        let source = TextSource(
          value, parameters: parameters, at: fields.place(part.rawValue), &fields)
        switch part {
        case .title: alert.title = source
        case .subtitle: alert.subtitle = source
        case .body: alert.body = source
        }
      }
      alert.launchImage = fields.string("launch_image")
      alert.actionKey = fields.string("action_key")
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
    _ reader: inout FieldReader
  ) {
    if case .string(let text) = value {
      guard let literal = LiteralText(text, parameters: parameters, at: pointer, &reader) else {
        return nil
      }
      self = .literal(literal)
      return
    }
    let source = reader.nested(value, at: pointer) { fields -> TextSource? in
      if fields.has("key") {
        return KeyedText(parameters: parameters, &fields).map(TextSource.key)
      }
      guard let text = fields.take("text") else {
        fields.fault(at: pointer, "missing_field", "A text has a `key`, or a `text` per language.")
        return nil
      }
      return LiteralText(text, parameters: parameters, &fields).map(TextSource.literal)
    }
    guard let source else { return nil }
    self = source
  }
}

extension KeyedText {
  fileprivate init?(parameters: [String: Parameter], _ fields: inout FieldReader) {
    let key = fields.string("key")
    let arguments = fields.strings("args", maximumCount: MessageLimits.parameters) ?? []
    let table = fields.string("table")
    let catalog: CatalogChoice? = fields.word("catalog")
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
    _ reader: inout FieldReader
  ) {
    guard text.utf8.count <= MessageLimits.textBytes else {
      reader.fault(at: pointer, "too_long", "At most \(MessageLimits.textBytes) bytes are allowed.")
      return nil
    }
    guard !text.isEmpty else {
      reader.fault(at: pointer, "empty", "Leave the text out instead of giving an empty string.")
      return nil
    }
    self.init(text)
    reader.checkParameters(Template(text).names, parameters, at: pointer)
  }

  /// The value of `text`: a string, or an object of strings by language.
  fileprivate init?(
    _ value: JSONValue, parameters: [String: Parameter], _ fields: inout FieldReader
  ) {
    let pointer = fields.place("text")
    switch value {
    case .string(let text):
      self.init(text, parameters: parameters, at: pointer, &fields)
    case .object(let members):
      guard (1...MessageLimits.languages).contains(members.count) else {
        fields.fault(
          "text", members.isEmpty ? "empty" : "too_many",
          "A text has 1 to \(MessageLimits.languages) languages.")
        return nil
      }
      var texts: [LanguageTag: String] = [:]
      for (language, text) in members.sorted(by: { $0.key < $1.key }) {
        let place = pointer + "/" + escapedPointer(language)
        guard let tag = LanguageTag(language) else {
          fields.fault(
            at: place, "invalid_language", "This is no language tag such as `fr` or `zh-Hant-HK`.")
          continue
        }
        guard case .string(let text) = text else {
          fields.fault(at: place, "wrong_type", "A string is expected here.")
          continue
        }
        guard LiteralText(text, parameters: parameters, at: place, &fields) != nil else { continue }
        texts[tag] = text
      }
      self.init(texts)
    default:
      fields.wrongType("text", "A string or an object of languages", value)
      return nil
    }
  }
}
