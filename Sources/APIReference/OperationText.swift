/// Writes one operation: what it does, which keys may call it, what it takes, what it answers, and
/// a command that calls it.
struct OperationText {
  /// The document that it is of.
  let contract: Contract
  /// Writes descriptions.
  let markup: Markup
  private var schemas: SchemaText { SchemaText(markup: markup) }

  init(_ contract: Contract, _ markup: Markup) {
    self.contract = contract
    self.markup = markup
  }

  /// Writes it as a section.
  func write(_ operation: Contract.Operation, to html: inout HTMLText) {
    let place = operation.place
    html.element(
      "section", ["id": place, "class": "panel", "aria-labelledby": "\(place)-name"]
    ) { html in
      writeHead(operation, to: &html)
      writeParameters(operation.parameters.map { contract.resolved($0).value }, to: &html)
      writeBody(operation.content["requestBody"], to: &html)
      writeAnswers(operation.content["responses"]?.members ?? [], to: &html)
      writeCommands(operation, to: &html)
    }
  }

  private func writeHead(_ operation: Contract.Operation, to html: inout HTMLText) {
    html.element("h3", ["id": "\(operation.place)-name"]) { html in
      html.element("a", ["href": "#\(operation.place)", "class": "route"]) { html in
        Self.writeMethod(operation.method, to: &html)
        html.text(" ")
        html.element("code", text: operation.path)
      }
    }
    html.element("p", ["class": "summary"]) {
      markup.write(inline: operation.content["summary"]?.text ?? "", to: &$0)
    }
    markup.write(operation.content["description"]?.text ?? "", to: &html)
    html.element("p", ["class": "keys quiet"]) { html in
      html.text(operation.keys == ["open"] ? "Needs no key." : "Keys:")
      for kind in operation.keys where kind != "open" {
        html.text(" ")
        html.element("span", ["class": "badge"], text: kind)
      }
      html.text(" · ")
      html.element("code", text: operation.id)
    }
  }

  /// Writes `GET` and its like, as it looks everywhere.
  static func writeMethod(_ method: String, to html: inout HTMLText) {
    html.element("span", ["class": "method \(method.lowercased())"], text: method)
  }

  private func writeParameters(_ parameters: [YAMLValue], to html: inout HTMLText) {
    guard !parameters.isEmpty else { return }
    html.element("h4", text: "Parameters")
    html.element("ul", ["class": "members"]) { html in
      for parameter in parameters { writeParameter(parameter, to: &html) }
    }
  }

  private func writeParameter(_ parameter: YAMLValue, to html: inout HTMLText) {
    html.element("li") { html in
      let media = parameter["content"]?.members.first
      html.element("div", ["class": "member"]) { html in
        html.element("span", ["class": "name"]) { html in
          html.element("code", text: parameter["name"]?.text ?? "")
        }
        html.text(" ")
        html.element("span", ["class": "type"]) { html in
          html.text("\(Self.locations[parameter["in"]?.text ?? ""] ?? "") · ")
          if let schema = parameter["schema"] ?? media?.value["schema"] {
            schemas.writeType(schema, to: &html)
          }
          if let media { html.text(", as \(media.name)") }
        }
        if parameter["required"] == .bool(true), parameter["in"]?.text != "path" {
          html.text(" ")
          html.element("span", ["class": "badge"], text: "required")
        }
      }
      if let words = parameter["description"]?.text { markup.write(words, to: &html) }
      for example in media.map({ contract.examples($0.value) }) ?? [] {
        html.element("p") { html in
          html.text("Such as ")
          html.element("code", text: ExampleText.compact(example))
        }
      }
      if let schema = parameter["schema"] { schemas.writeDetails(schema, to: &html) }
    }
  }

  private static let locations = ["path": "path", "query": "query", "header": "header field"]

  // MARK: Bodies

  private func writeBody(_ body: YAMLValue?, to html: inout HTMLText) {
    guard let body else { return }
    html.element("h4", text: "Body")
    if let words = body["description"]?.text { markup.write(words, to: &html) }
    writeMedia(body["content"]?.members ?? [], showsExamples: false, to: &html)
  }

  /// Writes what stands behind media types.
  private func writeMedia(
    _ types: [YAMLValue.Member], showsExamples: Bool, to html: inout HTMLText
  ) {
    html.element("ul", ["class": "members"]) { html in
      for type in types {
        html.element("li") { html in
          html.element("div", ["class": "member"]) { html in
            html.element("span", ["class": "name"]) { $0.element("code", text: type.name) }
            if let schema = type.value["schema"] {
              html.text(" ")
              html.element("span", ["class": "type"]) { schemas.writeType(schema, to: &$0) }
            }
          }
          if let schema = type.value["schema"] { schemas.writeDetails(schema, to: &html) }
          if showsExamples { writeExamples(type, to: &html) }
        }
      }
    }
  }

  private func writeExamples(_ type: YAMLValue.Member, to html: inout HTMLText) {
    let examples = contract.examples(type.value)
    guard !examples.isEmpty else { return }
    html.element("details") { html in
      html.element("summary", text: "Example")
      for example in examples { Self.writeCode(ExampleText.text(example), to: &html) }
    }
  }

  private static func writeCode(_ text: String, to html: inout HTMLText) {
    html.element("div", ["class": "code"]) { html in
      html.element("pre", ["tabindex": "0"]) { $0.element("code", text: text) }
    }
  }

  // MARK: Answers

  private func writeAnswers(_ responses: [YAMLValue.Member], to html: inout HTMLText) {
    html.element("h4", text: "Answers")
    let problems = responses.filter { Contract.isProblem($0) }
    html.element("ul", ["class": "members"]) { html in
      for response in responses where !Contract.isProblem(response) {
        html.element("li") { html in
          writeAnswer(response.name, contract.resolved(response.value).value, to: &html)
        }
      }
    }
    guard !problems.isEmpty else { return }
    html.element("p", ["class": "quiet"], text: "Problems:")
    html.element("ul", ["class": "problem-links"]) { html in
      for problem in problems {
        guard let reference = problem.value["$ref"]?.text, let place = Contract.place(of: reference)
        else { continue }
        html.element("li") { html in
          html.element("a", ["href": "#\(place)", "class": "badge"]) { html in
            html.element("strong", text: problem.name)
            html.text(" \(Contract.words(contract.resolved(problem.value).name ?? ""))")
          }
        }
      }
    }
  }

  /// Writes what an answer has, behind its status unless that stands above it.
  func writeAnswer(_ status: String?, _ response: YAMLValue, to html: inout HTMLText) {
    html.element("div", ["class": "member"]) { html in
      if let status {
        html.element("strong", text: status)
        html.text(" ")
      }
      markup.write(inline: response["description"]?.text ?? "", to: &html)
    }
    let fields = response["headers"]?.members ?? []
    if !fields.isEmpty {
      html.element("p", ["class": "quiet"]) { html in
        html.text("Header fields: ")
        for (index, field) in fields.enumerated() {
          if index > 0 { html.text(", ") }
          if let place = field.value["$ref"]?.text.flatMap(Contract.place) {
            html.codeLink(to: place, field.name)
          } else {
            html.element("code", text: field.name)
          }
        }
      }
    }
    let types = response["content"]?.members ?? []
    if !types.isEmpty { writeMedia(types, showsExamples: true, to: &html) }
  }

  // MARK: Commands

  private func writeCommands(_ operation: Contract.Operation, to html: inout HTMLText) {
    html.element("h4", text: "Example")
    let types = operation.content["requestBody"]?["content"]?.members ?? []
    let bodies = types.flatMap { type in
      contract.examples(type.value).map { (type: type.name, example: $0) }
    }
    guard !bodies.isEmpty else {
      return Self.writeCode(CurlCommand(operation, body: nil).text, to: &html)
    }
    for body in bodies { Self.writeCode(CurlCommand(operation, body: body).text, to: &html) }
  }
}

extension Contract {
  /// Whether an answer is a problem that operations share.
  static func isProblem(_ response: YAMLValue.Member) -> Bool {
    response.name >= "400" && response.value["$ref"] != nil
  }

  /// A name as words: `NotFound` is `not found`.
  static func words(_ name: String) -> String {
    name.reduce(into: "") { words, character in
      if character.isUppercase, !words.isEmpty { words += " " }
      words += character.lowercased()
    }
  }
}
