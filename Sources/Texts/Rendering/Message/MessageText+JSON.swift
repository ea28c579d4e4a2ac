import ASCII
import JSON
import Localization

extension MessageText {
  /// Reads a text: a string, `{"text": "…"}`, `{"text": {"en": "…"}}` or `{"key": "…", …}`.
  ///
  /// The value of `key` or `text` may be an object of these by the words of a `choice` parameter:
  /// `{"key": {"female": "READY_F", "other": "READY"}}`. `choose` names the parameter where the
  /// message has several. The names of a `text` are words when `other` is among them or `choose` is
  /// there, else languages.
  init?(
    _ value: JSONValue, parameters: [String: Parameter], at pointer: String,
    _ fields: FieldReader
  ) {
    if case .string(let text) = value {
      guard let literal = LiteralText(text, parameters: parameters, at: pointer, fields) else {
        return nil
      }
      self = .plain(.literal(literal))
      return
    }
    let text = fields.nested(value, at: pointer) { fields -> MessageText? in
      fields.otherNames = ["loc-key": "`key`", "loc-args": "`args`"]
      let reader = TextReader(fields, parameters)
      if fields.has("key") { return reader.keyed() }
      guard let text = fields.json("text").value else {
        fields.refuse(
          .missingField, pointer: pointer, "A text has a `key`, or a `text` per language.")
        return nil
      }
      return reader.literal(text)
    }
    guard let text else { return nil }
    self = text
  }
}

/// Reads the members of one text.
private struct TextReader {
  let fields: FieldReader
  let parameters: [String: Parameter]
  /// The parameter that `choose` names.
  let chosen: String?

  init(_ fields: FieldReader, _ parameters: [String: Parameter]) {
    self.fields = fields
    self.parameters = parameters
    chosen = fields.identifier("choose").value
  }

  func keyed() -> MessageText? {
    let value = fields.json("key").value
    let arguments =
      fields.texts(
        "args", maximumCount: MessageLimits.parameters, maximum: MessageLimits.identifierBytes,
        isUnique: false
      ).value ?? []
    let table = fields.identifier("table").value
    let catalog: KeyedText.CatalogChoice? = fields.word("catalog").value
    for (index, name) in arguments.enumerated() {
      fields.checkParameters([name], parameters, at: fields.pointer(to: "args") + "/\(index)")
    }
    guard let value else { return nil }
    let isByWord = if case .object = value { true } else { false }
    return text("key", value, isByWord: isByWord) { value, pointer in
      guard let key = key(value, at: pointer) else { return nil }
      return .key(
        KeyedText(
          key: key, arguments: arguments, table: table ?? KeyedText.deviceTable,
          catalog: catalog ?? .app))
    }
  }

  func literal(_ value: JSONValue) -> MessageText? {
    var isByWord = fields.has("choose")
    if case .object(let members) = value, members[TextChoice.other] != nil { isByWord = true }
    return text("text", value, isByWord: isByWord) { value, pointer in
      LiteralText(value, parameters: parameters, at: pointer, fields).map(TextSource.literal)
    }
  }

  private func key(_ value: JSONValue, at pointer: String) -> String? {
    guard case .string(let text) = value else {
      fields.refuse(.wrongType, pointer: pointer, "Expected a string.")
      return nil
    }
    let bounds = TextBounds(minimum: 1, maximum: MessageLimits.identifierBytes)
    if let (fault, detail) = bounds.fault(of: text) {
      fields.refuse(fault.problem(at: pointer, detail))
      return nil
    }
    return text
  }

  /// The text that a member has, or its texts by the words of a parameter.
  private func text(
    _ name: String, _ value: JSONValue, isByWord: Bool,
    _ read: (JSONValue, _ pointer: String) -> TextSource?
  ) -> MessageText? {
    guard isByWord || fields.has("choose") else {
      return read(value, fields.pointer(to: name)).map(MessageText.plain)
    }
    let choice = choice()
    guard case .object(let members) = value else {
      fields.refuseType(name, "an object of texts by word, as there is `choose`", value)
      return nil
    }
    guard let choice else { return nil }
    var sources: [String: TextSource] = [:]
    for (word, member) in members.inOrder {
      let pointer = fields.pointer(to: name) + "/" + escapedPointer(word)
      guard (choice.words + [TextChoice.other]).containsSpelling(word) else {
        let detail = "One of: \(choice.words.joined(separator: ", ")); or `other`."
        fields.refuse(.unknownValue, pointer: pointer, detail)
        continue
      }
      sources[word] = read(member, pointer)
    }
    let missing = choice.words.filter { members[$0] == nil }
    if members[TextChoice.other] == nil, let first = missing.first {
      fields.refuse(.missingField, at: name, "There is nothing for `\(first)`, and no `other`.")
    }
    return .choice(TextChoice(parameter: choice.name, sources: sources))
  }

  /// The parameter that `choose` names, or the only one there is.
  private func choice() -> (name: String, words: [String])? {
    func words(_ name: String) -> [String]? {
      if case .choice(let words)? = parameters[name]?.type { words } else { nil }
    }
    guard let name = chosen else {
      // A faulty `choose` is told already.
      if fields.has("choose") { return nil }
      let names = parameters.keys.filter { words($0) != nil }
      guard names.count == 1, let name = names.first, let words = words(name) else {
        fields.refuse(
          .missingField, at: "choose", "The name of the `choice` parameter whose words these are.")
        return nil
      }
      return (name, words)
    }
    fields.checkParameters([name], parameters, at: fields.pointer(to: "choose"))
    guard let words = words(name) else {
      if parameters[name] != nil {
        fields.refuse(.wrongType, at: "choose", "`\(name)` is no `choice`.")
      }
      return nil
    }
    return (name, words)
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
    fields.checkPlaceholders(in: InlineMarkup.words(of: text), parameters, at: pointer)
  }

  /// A wording: a string, or an object of strings by language.
  fileprivate init?(
    _ value: JSONValue, parameters: [String: Parameter], at pointer: String,
    _ fields: FieldReader
  ) {
    switch value {
    case .string(let text):
      self.init(text, parameters: parameters, at: pointer, fields)
    case .object(let members):
      guard (1...MessageLimits.languages).contains(members.count) else {
        let fault: InputFault = members.isEmpty ? .tooShort : .tooMany
        fields.refuse(
          fault.problem(at: pointer, "A text has 1 to \(MessageLimits.languages) languages."))
        return nil
      }
      var texts: [LanguageTag: String] = [:]
      for (language, text) in members.inOrder {
        let place = pointer + "/" + escapedPointer(language)
        guard let tag = LanguageTag(language) else {
          fields.refuse(
            .invalidLanguage, pointer: place,
            "This is no language tag such as `fr` or `zh-Hant-HK`.")
          continue
        }
        guard case .string(let text) = text else {
          fields.refuse(.wrongType, pointer: place, "Expected a string.")
          continue
        }
        guard LiteralText(text, parameters: parameters, at: place, fields) != nil else { continue }
        texts[tag] = text
      }
      self.init(texts)
    default:
      fields.refuse(.wrongType, pointer: pointer, "Expected a string or an object of languages.")
      return nil
    }
  }
}
