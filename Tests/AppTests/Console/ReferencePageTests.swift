import AppTesting
import Foundation
import FoundationXML
import Testing

@testable import App

/// The reference of the API at `/docs`: it has all of `openapi.yaml`, for every browser.
@Suite struct ReferencePageTests {
  private static func page() async throws -> Reply {
    try await TestService.shared().client(.inProcess, key: nil).get("/docs")
  }

  @Test(arguments: Transport.allCases)
  func aBrowserGetsThePage(transport: Transport) async throws {
    let client = try await TestService.shared().client(transport, key: nil)
    let plain = try await client.get("/docs")
    #expect(plain.status == 200)
    #expect(plain["content-type"] == "text/html; charset=utf-8")
    #expect(plain["cache-control"] == "no-cache")
    #expect(plain["vary"] == "Accept-Encoding")
    #expect(
      plain["content-security-policy"] == "default-src 'none'; script-src 'self'; "
        + "style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'")
    #expect(plain.text.hasSuffix("</html>\n"))
    let offer = ("Accept-Encoding", "gzip")
    let compressed = try await client.send("GET", "/docs", fields: [offer])
    #expect(compressed["content-encoding"] == "gzip")
    #expect(compressed["etag"] != plain["etag"])
    for (tag, fields) in [(plain["etag"], []), (compressed["etag"], [offer])] {
      let fields = fields + [("If-None-Match", try #require(tag))]
      let again = try await client.send("GET", "/docs", fields: fields)
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
    }
    #expect(try await client.send("POST", "/docs").status == 405)
  }

  @Test func itIsMadeOfTheContract() async throws {
    let folder = "Sources/Server/Console/Reference"
    let (status, page) = try await ShellScript(
      text: "/usr/bin/python3 \(folder)/reference.py < openapi.yaml", directory: Sources.root.path
    ).run()
    let said = String(decoding: page.prefix(status == 0 ? 0 : 2000), as: UTF8.self)
    let isSame = status == 0 && Array(page) == Resources.reference
    #expect(isSame, "\(folder)/reference.html is not of this openapi.yaml: make reference. \(said)")
  }

  @Test func aHeadIsAnsweredWithoutTheBody() async throws {
    let service = try await TestService.shared()
    let page = try await service.client(.socket, key: nil).get("/docs")
    let wire = try Wire(port: service.port)
    let request = "HEAD /docs HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in 0..<2 {
      // The second answer comes at once behind the head of the first.
      try wire.send(Array(request.utf8))
      let head = try wire.receiveHead()
      #expect(head.status == 200)
      #expect(head["etag"] == page["etag"])
      #expect(head["content-length"] == "\(page.body.count)")
    }
  }

  /// It stays in memory, and people wait for it.
  @Test func itIsLight() async throws {
    let client = try await TestService.shared().client(.inProcess, key: nil)
    let reply = try await client.send("GET", "/docs", fields: [("Accept-Encoding", "gzip")])
    #expect(reply.body.count < 120_000, "\(reply.body.count) bytes")
  }

  @Test func callersWhoComeAtOnceGetTheSame() async throws {
    let service = try await TestService.shared()
    let tags = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<16 {
        group.addTask { try await service.client(.socket, key: nil).get("/docs")["etag"] }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(tags.count == 1)
  }

  @Test func everyOperationAndEverySchemaIsOnIt() async throws {
    let page = try PageElements(try await Self.page())
    let operations = Contract.source.operations
    #expect(operations.count > 50)
    for operation in operations {
      #expect(page.ids.contains("operation-\(operation.id)"), "\(operation.id)")
      #expect(page.text.contains(operation.path), "\(operation.path)")
      for key in operation.keys.split(separator: ",") { #expect(page.text.contains(key)) }
    }
    let schemas = Contract.source.components.filter { $0.hasPrefix("schemas/") }
    #expect(schemas.count > 100)
    for schema in schemas {
      #expect(page.ids.contains("schema-\(schema.dropFirst(8))"), "\(schema)")
    }
  }

  /// Parameters, members and words of the contract are all told.
  @Test func nothingOfTheContractIsLeftOut() async throws {
    let page = NSString(string: try PageElements(try await Self.page()).words)
    func shows(_ text: String) -> Bool {
      page.range(of: text, options: .literal).location != NSNotFound
    }
    func check(_ value: JSON, at place: String) {
      if let words = value["description"].string {
        let plain = words.replacing("`", with: "").replacing("**", with: "").replacing(
          /\|(-+\|)*/, with: " "
        )
        .replacing(#/(?m)^- /#, with: " ").split { " \n".contains($0) }.joined(separator: " ")
        #expect(shows(plain), "\(place): \(plain)")
      }
      for list in ["enum", "x-extensible-enum"] {
        for word in value[list].elements.compactMap(\.string) {
          #expect(shows(word), "\(place): \(word)")
        }
      }
      for part in ["properties", "patternProperties"] {
        for name in value[part].names {
          #expect(shows(name), "\(place): \(name)")
          check(value[part][name], at: "\(place)/\(name)")
        }
      }
      for part in ["items", "additionalProperties", "schema"] where value[part] != .absent {
        check(value[part], at: "\(place)/\(part)")
      }
      for part in ["anyOf", "oneOf", "allOf"] {
        for choice in value[part].elements { check(choice, at: "\(place)/\(part)") }
      }
    }
    let document = ContractDocument.shared
    for schema in document.content["components"]["schemas"].names {
      check(document.content["components"]["schemas"][schema], at: schema)
    }
    for operation in document.operations {
      check(operation.content, at: operation.id)
      check(operation.content["requestBody"], at: "\(operation.id): body")
      for parameter in operation.content["parameters"].elements {
        let parameter = document.resolved(parameter)
        #expect(shows(parameter["name"].string ?? "?"))
        check(parameter, at: "\(operation.id): \(parameter["name"])")
      }
      for status in operation.content["responses"].names {
        #expect(shows(status))
        check(
          document.resolved(operation.content["responses"][status]),
          at: "\(operation.id): \(status)")
      }
    }
  }

  @Test func everyLinkHasATarget() async throws {
    let service = try await TestService.shared()
    let page = try PageElements(try await Self.page())
    #expect(page.ids.count == Set(page.ids).count, "a place is there twice")
    #expect(page.links.count > 500)
    for link in Set(page.links) {
      if link.hasPrefix("#") {
        #expect(page.ids.contains(String(link.dropFirst())), "\(link)")
      } else {
        #expect(link.hasPrefix("/"), "\(link)")
        #expect(try await service.client(.inProcess, key: nil).get(link).status == 200, "\(link)")
      }
    }
  }

  @Test func itRunsNothingButTheSearch() async throws {
    let page = try PageElements(try await Self.page())
    #expect(page.names.isDisjoint(with: ["style", "iframe", "object", "form"]))
    #expect(page.scripts == ["/console/reference.js"])
    #expect(page.attributes.allSatisfy { $0 != "style" && !$0.hasPrefix("on") })
  }

  /// The commands, as a shell reads them.
  @Test func everyCommandIsWhatTheContractShows() async throws {
    let page = try PageElements(try await Self.page())
    let commands = page.codes.filter { $0.hasPrefix("curl ") }
    let names = page.text.matches(of: /\$([A-Z_]+)/).map { String($0.1) }
    let (status, said) = try await ShellScript(
      text: "curl() { printf '%s\\0' \"$@\"; printf '\\1\\0'; }\n"
        + commands.joined(separator: "\n") + "\n",
      options: ["-eu"], environment: Dictionary(names.map { ($0, $0.lowercased()) }) { $1 }
    ).run()
    #expect(status == 0)
    let calls = said.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }.split(separator: "\u{1}").map(Array.init)
      .filter { $0 != [""] }
    #expect(calls.count == commands.count)
    let document = ContractDocument.shared
    for operation in document.operations {
      let path = operation.path.replacing(/[{}]/, with: "")
      let ofPath = calls.filter { call in
        call[0] == "postilion_url\(path)"
          && (call.contains("-X") ? call.contains(operation.method) : true)
      }
      #expect(!ofPath.isEmpty, "\(operation.id)")
      let body = operation.content["requestBody"]["content"]["application/json"]
      for example in document.examples(body) {
        let isShown = ofPath.contains { call in
          call.contains { JSON(parsing: Array($0.utf8)) == example }
        }
        #expect(isShown, "\(operation.id)")
      }
    }
  }
}

/// What a page consists of, read as XML: so it is well-formed, too.
private final class PageElements: NSObject, XMLParserDelegate {
  private(set) var ids: [String] = []
  private(set) var links: [String] = []
  private(set) var codes: [String] = []
  /// Where each script is; an empty text for one that stands in the page.
  private(set) var scripts: [String] = []
  private(set) var names: Set<String> = []
  private(set) var attributes: Set<String> = []
  private(set) var text = ""
  private var code: String?

  /// Elements within words.
  private static let inline: Set = ["a", "code", "span", "strong"]

  /// The text with one space between any two words.
  var words: String { text.split { " \n".contains($0) }.joined(separator: " ") }

  init(_ page: Reply) throws {
    super.init()
    let parser = XMLParser(data: Data(page.body))
    parser.delegate = self
    let isRead = parser.parse()
    let place = "line \(parser.lineNumber), column \(parser.columnNumber)"
    try #require(isRead, "\(place): \(String(describing: parser.parserError))")
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes members: [String: String]
  ) {
    names.insert(name)
    attributes.formUnion(members.keys)
    if let id = members["id"] { ids.append(id) }
    if let link = members["href"] ?? members["src"] { links.append(link) }
    if name == "code" { code = "" }
    if name == "script" { scripts.append(members["src"] ?? "") }
    if !Self.inline.contains(name) { text += " " }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    if name == "code", let code { codes.append(code) }
    if name == "code" { code = nil }
    if !Self.inline.contains(name) { text += " " }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    text += characters
    code? += characters
  }
}
