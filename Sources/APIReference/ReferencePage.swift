/// The reference of an API as a page of HTML, made from its description in OpenAPI. It looks as the
/// console does. All of it is there without its script, which adds a search to the contents.
///
/// Operations stand at `#operation-<operationId>`, schemas at `#schema-<name>`.
public struct ReferencePage {
  private let contract: Contract
  private let markup: Markup
  private let problems: [YAMLValue.Member]

  /// The page, in UTF-8.
  /// - Parameter document: The description, in the YAML that ``YAMLReader`` reads.
  public static func html(of document: [UInt8]) throws(YAMLFault) -> [UInt8] {
    let page = Self(Contract(try YAMLReader.value(of: document)))
    var html = HTMLText()
    page.write(to: &html)
    return html.bytes
  }

  private init(_ contract: Contract) {
    self.contract = contract
    var places: [String: String] = [:]
    for schema in contract.components("schemas") { places[schema.name] = "schema-\(schema.name)" }
    for operation in contract.operations { places[operation.id] = operation.place }
    markup = Markup(places: places)
    let used = contract.operations.flatMap { $0.content["responses"]?.members ?? [] }
      .filter(Contract.isProblem)
    problems = contract.components("responses").compactMap { response in
      let reference = YAMLValue.string("#/components/responses/\(response.name)")
      guard let status = used.first(where: { $0.value["$ref"] == reference })?.name else {
        return nil
      }
      return .init(name: status, value: .map([.init(name: "$ref", value: reference)]))
    }.sorted { $0.name < $1.name }
  }

  private func write(to html: inout HTMLText) {
    let title = "\(contract.content["info"]?["title"]?.text ?? "") API"
    html.element("html", ["lang": "en"]) { html in
      html.element("head") { writeHead(title, to: &$0) }
      html.element("body", ["class": "reference"]) { html in
        html.element("a", ["class": "skip", "href": "#content"], text: "Skip to the content")
        html.element("header", ["class": "top"]) { writeTop(to: &$0) }
        html.element("div", ["class": "frame"]) { html in
          html.element(
            "nav", ["id": "contents", "class": "nav contents", "aria-label": "Contents"]
          ) {
            writeContents(to: &$0)
          }
          html.element("main", ["id": "content", "class": "content", "tabindex": "-1"]) { html in
            html.element("h1", text: title)
            writeIntroduction(to: &html)
            for tag in tags { writeTag(tag, to: &html) }
            writeProblems(to: &html)
            writeFields(to: &html)
            writeSchemas(to: &html)
          }
        }
      }
    }
  }

  private func writeHead(_ title: String, to html: inout HTMLText) {
    html.void("meta", ["charset": "utf-8"])
    html.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    html.void("meta", ["name": "color-scheme", "content": "light dark"])
    html.element("title", text: title)
    html.void(
      "link", ["rel": "icon", "href": "/console/icon.svg", "type": "image/svg+xml"])
    for sheet in ["console", "reference"] {
      html.void("link", ["rel": "stylesheet", "href": "/console/\(sheet).css"])
    }
    html.element("script", ["type": "module", "src": "/console/reference.js"], text: "")
  }

  private func writeTop(to html: inout HTMLText) {
    html.element("a", ["class": "brand", "href": "/"]) { html in
      html.void("img", ["src": "/console/icon.svg", "alt": "", "width": "24", "height": "24"])
      html.text("Postilion")
    }
    html.element("span", ["class": "spring"], text: "")
    html.element("a", ["class": "button plain to-contents", "href": "#contents"], text: "Contents")
    html.element(
      "a", ["class": "button plain to-document", "href": "/openapi.yaml"], text: "openapi.yaml")
    html.element("a", ["class": "button plain", "href": "/"], text: "Console")
  }

  // MARK: Contents

  /// The groups of operations: name and description.
  private var tags: [YAMLValue] { contract.content["tags"]?.elements ?? [] }

  private func operations(of tag: YAMLValue) -> [Contract.Operation] {
    contract.operations.filter { $0.tag == tag["name"]?.text }
  }

  private func place(of tag: YAMLValue) -> String { "tag-\(tag["name"]?.text ?? "")" }

  private func writeContents(to html: inout HTMLText) {
    html.element("ul") { html in
      html.element("li") { $0.element("a", ["href": "#introduction"], text: "Introduction") }
      for tag in tags {
        html.element("li") { html in
          html.element("a", ["href": "#\(place(of: tag))", "class": "group"], text: name(of: tag))
          html.element("ul") { html in
            for operation in operations(of: tag) {
              html.element("li") { html in
                html.element("a", ["href": "#\(operation.place)"]) { html in
                  html.text(operation.content["summary"]?.text ?? "")
                  html.text(" ")
                  html.element("code", text: operation.id)
                }
              }
            }
          }
        }
      }
      for (place, name) in [("problems", "Problems"), ("fields", "Header fields")] {
        html.element("li") { $0.element("a", ["href": "#\(place)", "class": "group"], text: name) }
      }
      html.element("li") { html in
        html.element("a", ["href": "#schemas", "class": "group"], text: "Schemas")
        html.element("details") { html in
          html.element("summary", text: "All \(contract.components("schemas").count)")
          html.element("ul") { html in
            for schema in contract.components("schemas") {
              html.element("li") {
                $0.element("a", ["href": "#schema-\(schema.name)"], text: schema.name)
              }
            }
          }
        }
      }
    }
  }

  private func name(of tag: YAMLValue) -> String {
    let name = tag["name"]?.text ?? ""
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  // MARK: Sections

  private func writeIntroduction(to html: inout HTMLText) {
    let info = contract.content["info"]
    html.element("section", ["id": "introduction", "class": "panel"]) { html in
      html.element("p", ["class": "summary"], text: info?["summary"]?.text ?? "")
      markup.write(info?["description"]?.text ?? "", to: &html)
      for scheme in contract.components("securitySchemes") {
        markup.write(scheme.value["description"]?.text ?? "", to: &html)
      }
      html.element("p") { html in
        html.text("The examples are for a shell with the address of the service in ")
        html.element("code", text: "POSTILION_URL")
        html.text(", a key in ")
        html.element("code", text: "POSTILION_KEY")
        html.text(", and each parameter of the path in a variable of its name. Programs read ")
        html.element("a", ["href": "/openapi.yaml"], text: "openapi.yaml")
        html.text(", from which this page is made.")
      }
    }
  }

  private func writeTag(_ tag: YAMLValue, to html: inout HTMLText) {
    writeGroup(place(of: tag), name(of: tag), to: &html) { html in
      markup.write(tag["description"]?.text ?? "", to: &html)
    }
    let text = OperationText(contract, markup)
    for operation in operations(of: tag) { text.write(operation, to: &html) }
  }

  private func writeGroup(
    _ place: String, _ name: String, to html: inout HTMLText, _ words: (inout HTMLText) -> Void
  ) {
    html.element("div", ["id": place, "class": "group"]) { html in
      html.element("h2", text: name)
      words(&html)
    }
  }

  private func writeProblems(to html: inout HTMLText) {
    writeGroup("problems", "Problems", to: &html) { html in
      html.element("p") { html in
        html.text("What went wrong, as a ")
        html.codeLink(to: "schema-Problem", "Problem")
        html.text(", which lists the codes of each status.")
      }
    }
    let text = OperationText(contract, markup)
    for problem in problems {
      guard let place = problem.value["$ref"]?.text.flatMap(Contract.place) else { continue }
      let resolved = contract.resolved(problem.value)
      html.element("section", ["id": place, "class": "panel"]) { html in
        html.element("h3") { html in
          html.element("a", ["href": "#\(place)", "class": "route"]) {
            $0.text("\(problem.name) \(Contract.words(resolved.name ?? ""))")
          }
        }
        text.writeAnswer(nil, resolved.value, to: &html)
        writeCodes(of: problem.name, to: &html)
      }
    }
  }

  /// Writes the codes that the table of `Problem` has for a status.
  private func writeCodes(of status: String, to html: inout HTMLText) {
    let table = contract.content["components"]?["schemas"]?["Problem"]?["description"]?.text ?? ""
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("| \(status) |") }
    guard !rows.isEmpty else { return }
    html.element("p", ["class": "quiet"], text: "Codes:")
    html.element("ul", ["class": "points"]) { html in
      for row in rows {
        html.element("li") {
          markup.write(inline: row.split(separator: "|").dropFirst().joined(), to: &$0)
        }
      }
    }
  }

  private func writeFields(to html: inout HTMLText) {
    writeGroup("fields", "Header fields", to: &html) { $0.element("p", text: "Those of answers.") }
    let schemas = SchemaText(markup: markup)
    html.element("section", ["class": "panel", "aria-label": "Header fields"]) { html in
      html.element("ul", ["class": "members"]) { html in
        for field in contract.components("headers") {
          writeField(field, schemas, to: &html)
        }
      }
    }
  }

  /// A field has the name here that answers refer to it by.
  private func writeField(
    _ field: YAMLValue.Member, _ schemas: SchemaText, to html: inout HTMLText
  ) {
    let reference = YAMLValue.string("#/components/headers/\(field.name)")
    let names = contract.components("responses").flatMap { $0.value["headers"]?.members ?? [] }
    let name = names.first { $0.value["$ref"] == reference }?.name ?? field.name
    html.element("li", ["id": "header-\(field.name)"]) { html in
      html.element("div", ["class": "member"]) { html in
        html.element("span", ["class": "name"]) { $0.element("code", text: name) }
        html.text(" ")
        html.element("span", ["class": "type"]) { html in
          if let schema = field.value["schema"] { schemas.writeType(schema, to: &html) }
        }
      }
      markup.write(field.value["description"]?.text ?? "", to: &html)
      for example in contract.examples(field.value) {
        html.element("p") { html in
          html.text("Such as ")
          html.element("code", text: example.text ?? "")
        }
      }
    }
  }

  private func writeSchemas(to html: inout HTMLText) {
    writeGroup("schemas", "Schemas", to: &html) {
      $0.element("p", text: "What bodies and answers are made of.")
    }
    let schemas = SchemaText(markup: markup)
    for schema in contract.components("schemas") {
      let place = "schema-\(schema.name)"
      html.element(
        "section", ["id": place, "class": "panel", "aria-labelledby": "\(place)-name"]
      ) { html in
        html.element("h3", ["id": "\(place)-name"]) { html in
          html.element("a", ["href": "#\(place)", "class": "route"], text: schema.name)
        }
        html.element("p", ["class": "type"]) { schemas.writeType(schema.value, to: &$0) }
        schemas.writeDetails(schema.value, to: &html)
      }
    }
  }
}
