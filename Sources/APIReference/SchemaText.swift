/// Writes what a schema (JSON Schema 2020-12, as OpenAPI 3.1 takes it) allows: its type in words,
/// its bounds, and its members as a list in a list.
struct SchemaText {
  /// Writes descriptions.
  let markup: Markup

  // MARK: The type in words

  /// Writes type and bounds in one line: `array of Text, at most 64 elements, or null`.
  func writeType(_ schema: YAMLValue, to html: inout HTMLText) {
    writeKind(schema, to: &html)
    for bound in bounds(schema) {
      html.text(", ")
      markup.write(inline: bound, to: &html)
    }
    if types(schema).isNullable { html.text(", or null") }
  }

  private func writeKind(_ schema: YAMLValue, to html: inout HTMLText) {
    if let reference = schema["$ref"]?.text, let place = Contract.place(of: reference) {
      html.element(
        "a", ["href": "#\(place)"], text: String(reference.split(separator: "/").last ?? ""))
      return
    }
    if let constant = schema["const"] {
      html.element("code", text: ExampleText.compact(constant))
      return
    }
    let choices = choices(schema)
    if !choices.isEmpty, !isDetailed(choices) {
      for (index, choice) in choices.enumerated() {
        if index > 0 { html.text(" or ") }
        writeType(choice, to: &html)
      }
      return
    }
    if let parts = schema["allOf"]?.elements.filter({ $0["$ref"] != nil }), !parts.isEmpty {
      for (index, part) in parts.enumerated() {
        if index > 0 { html.text(" and ") }
        writeKind(part, to: &html)
      }
      if schema["properties"] != nil { html.text(", with more") }
      return
    }
    let names = types(schema).names
    guard !names.isEmpty else {
      html.text(
        schema["enum"] != nil ? "one of" : choices.isEmpty ? "any value" : "one of the following")
      return
    }
    html.text(names.joined(separator: " or "))
    if let format = schema["format"]?.text { html.text(" (\(format))") }
    if names.contains("array"), let items = schema["items"] {
      // What follows behind a comma is of the array again.
      let isBounded = items["$ref"] == nil && !bounds(items).isEmpty
      html.text(isBounded ? " of (" : " of ")
      writeType(items, to: &html)
      if isBounded { html.text(")") }
    }
  }

  /// The words of `type`, and whether `null` is one.
  private func types(_ schema: YAMLValue) -> (names: [String], isNullable: Bool) {
    let all =
      schema["type"]?.text.map { [$0] } ?? schema["type"]?.elements.map { $0.text ?? "null" }
    let names = all ?? []
    let others = names.filter { $0 != "null" }
    return others.isEmpty ? (names, false) : (others, others.count < names.count)
  }

  /// The schemas of which one must hold; those that only demand members are told in `bounds`.
  private func choices(_ schema: YAMLValue) -> [YAMLValue] {
    ((schema["anyOf"]?.elements ?? []) + (schema["oneOf"]?.elements ?? []))
      .filter { !isDemand($0) }
  }

  /// Whether the schema says only which members there must be.
  private func isDemand(_ schema: YAMLValue) -> Bool {
    schema.members.map(\.name) == ["required"]
  }

  /// Whether the choices have something to say that needs lines of their own.
  private func isDetailed(_ choices: [YAMLValue]) -> Bool {
    choices.contains { $0["description"] != nil || isStructured($0) }
  }

  private func isStructured(_ schema: YAMLValue) -> Bool {
    if schema["properties"] != nil || schema["patternProperties"] != nil { return true }
    if !(schema["additionalProperties"]?.members ?? []).isEmpty { return true }
    if isDetailed(choices(schema)) { return true }
    if let items = schema["items"] { return items["description"] != nil || isStructured(items) }
    return (schema["allOf"]?.elements ?? []).contains { isStructured($0) }
  }

  // MARK: Bounds

  private func bounds(_ schema: YAMLValue) -> [String] {
    var found: [String] = []
    if let words = schema["enum"]?.elements.filter({ $0 != .null }), !words.isEmpty {
      let list = words.map { "`\($0.text ?? ExampleText.compact($0))`" }.joined(separator: " ")
      found.append(schema["type"] == nil ? list : "one of \(list)")
    }
    found += [
      range(schema["minLength"], schema["maxLength"], "byte"),
      range(schema["minimum"], schema["maximum"], nil),
      range(schema["minItems"], schema["maxItems"], "element"),
      range(schema["minProperties"], schema["maxProperties"], "member"),
    ].compactMap { $0 }
    if let pattern = schema["pattern"]?.text { found.append("matches `\(pattern)`") }
    if let names = schema["propertyNames"] {
      let rules =
        bounds(names)
        + [names["$ref"]?.text?.split(separator: "/").last.map { "`\($0)`" }]
        .compactMap { $0 }
      if !rules.isEmpty { found.append("names \(rules.joined(separator: ", "))") }
    }
    if let other = schema["not"]?["const"] { found.append("not `\(ExampleText.compact(other))`") }
    if let usual = schema["default"] {
      found.append("`\(ExampleText.compact(usual))` unless given")
    }
    if let examples = schema["examples"]?.elements, !examples.isEmpty {
      let list = examples.map { "`\($0.text ?? ExampleText.compact($0))`" }
      found.append("such as \(list.joined(separator: ", "))")
    }
    let demands = (schema["anyOf"]?.elements ?? []).filter(isDemand)
    if !demands.isEmpty {
      let names = demands.map { demand in
        (demand["required"]?.elements ?? []).map { "`\($0.text ?? "")`" }.joined(separator: " and ")
      }
      found.append("with \(names.joined(separator: " or "))")
    }
    return found
  }

  /// `1 to 64 bytes`, `at least 1 byte`, `at most 9`.
  private func range(_ least: YAMLValue?, _ most: YAMLValue?, _ unit: String?) -> String? {
    let name = unit.map { " \($0)\((most ?? least)?.text == "1" ? "" : "s")" } ?? ""
    return switch (least?.text, most?.text) {
    case (nil, nil): nil
    case (let least?, nil): "at least \(least)\(name)"
    case (nil, let most?): "at most \(most)\(name)"
    case (let least?, let most?):
      least == most ? "\(least)\(name)" : "\(least) to \(most)\(name)"
    }
  }

  // MARK: Structure

  /// Writes what does not fit a line: the description, the members, and what there is to choose.
  func writeDetails(_ schema: YAMLValue, to html: inout HTMLText) {
    if let description = schema["description"]?.text { markup.write(description, to: &html) }
    guard isStructured(schema) else { return }
    for part in schema["allOf"]?.elements ?? [] where part["$ref"] == nil {
      writeDetails(part, to: &html)
    }
    writeMembers(schema, to: &html)
    let choices = choices(schema)
    if isDetailed(choices) {
      if !types(schema).names.isEmpty {
        html.element("p", ["class": "quiet"], text: "One of the following:")
      }
      html.element("ul", ["class": "members"]) { html in
        for choice in choices { writeItem(choice, to: &html) }
      }
    }
    if let items = schema["items"], items["description"] != nil || isStructured(items) {
      html.element("p", ["class": "quiet"], text: "Each element:")
      writeDetails(items, to: &html)
    }
  }

  private func writeItem(_ schema: YAMLValue, to html: inout HTMLText) {
    html.element("li") { html in
      html.element("span", ["class": "type"]) { writeType(schema, to: &$0) }
      writeDetails(schema, to: &html)
    }
  }

  private func writeMembers(_ schema: YAMLValue, to html: inout HTMLText) {
    let known = schema["properties"]?.members ?? []
    let patterns = schema["patternProperties"]?.members ?? []
    let others = schema["additionalProperties"]
    let hasOthers = !(others?.members ?? []).isEmpty
    guard !known.isEmpty || !patterns.isEmpty || hasOthers else { return }
    let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
    html.element("ul", ["class": "members"]) { html in
      for member in known {
        writeMember(member.value, isRequired: required.contains(member.name), to: &html) {
          $0.element("code", text: member.name)
        }
      }
      for member in patterns {
        writeMember(member.value, to: &html) { html in
          html.text("names like ")
          html.element("code", text: member.name)
        }
      }
      if hasOthers, let others {
        writeMember(others, to: &html) {
          $0.text(known.isEmpty && patterns.isEmpty ? "any name" : "any other name")
        }
      }
    }
  }

  /// Writes a member: its name, its type, whether it must be there, and what there is to say.
  func writeMember(
    _ schema: YAMLValue, isRequired: Bool = false, to html: inout HTMLText,
    name: (inout HTMLText) -> Void
  ) {
    html.element("li") { html in
      html.element("div", ["class": "member"]) { html in
        html.element("span", ["class": "name"]) { name(&$0) }
        html.text(" ")
        html.element("span", ["class": "type"]) { writeType(schema, to: &$0) }
        if isRequired {
          html.text(" ")
          html.element("span", ["class": "badge"], text: "required")
        }
      }
      writeDetails(schema, to: &html)
    }
  }
}
