import AppTesting
import Testing

@testable import App

/// Every list in its three forms.
@Suite struct ListTests {
  static let lists = ["keys", "failures", "catalogs", "messages"]

  /// An app with a few items in each list, with texts that a table has to quote.
  private func makeApp(_ transport: Transport) async throws -> TestApp {
    let app = try await TestApp.make(
      transport, settings: ["name": "Say \"hi\", twice", "message_type_key": .null])
    _ = try await app.admin.post("\(app.path)/keys", ["kind": "sender", "label": "a,b"])
    for report in FailuresTests.reports {
      _ = try await app.client.post("\(app.path)/failures", report)
    }
    for version in ["1.0", "2.0", "server"] {
      let reply = try await app.admin.upload(
        "\(app.path)/catalogs/\(version)",
        [
          ("en.lproj/Localizable.strings", "\"A\" = \"a\";"),
          ("fr-CA.lproj/Localizable.strings", "\"A\" = \"à\"; \"A\" = \"b\";"),
        ])
      try #require(reply.status == 201, "\(reply.text)")
    }
    for name in ["a", "b", "c", "d"] {
      let reply = try await app.admin.put(
        "\(app.path)/messages/\(name)", ["alert": "Say \"hi\", twice"])
      try #require(reply.status == 201, "\(reply.text)")
    }
    return app
  }

  private func stream(_ client: Client, _ path: String, _ type: String) async throws -> Reply {
    try await client.send("GET", path, fields: [("Accept", type)])
  }

  /// The cell that shows a member of an item.
  private func cell(_ column: String, of item: JSON) -> String? {
    switch (column, item[column]) {
    case ("message", .object(let message)): JSON.object(message).text
    case ("domain", _), ("code", _), ("message", _):
      item["error"][column].string ?? item["error"][column].whole.map(String.init)
    case ("languages", .array(let languages)):
      languages.compactMap(\.string).joined(separator: " ")
    case ("warnings", .array(let warnings)):
      warnings.compactMap { $0["code"].string }.joined(separator: " ")
    case (_, .string(let text)): text
    case (_, .number): item[column].whole.map(String.init)
    case (_, .array), (_, .object): item[column].text
    default: nil
    }
  }

  @Test(arguments: Transport.allCases)
  func aStreamIsAllThatThePagesHave(transport: Transport) async throws {
    let app = try await makeApp(transport)
    for (client, path) in Self.lists.map({ (app.admin, "\(app.path)/\($0)") })
      + [(app.admin, "/v1/apps")]
    {
      let items = try await client.items("\(path)?limit=1")
      #expect(items.count == (path == "/v1/apps" ? 1 : path.hasSuffix("catalogs") ? 3 : 4))

      let lines = try await stream(client, path, "application/x-ndjson")
      #expect(lines.status == 200)
      #expect(lines["content-type"] == "application/x-ndjson")
      #expect(lines["vary"] == "Accept")
      #expect(lines["server-timing"] != nil)
      let parsed = lines.body.split(separator: UInt8(ascii: "\n"))
        .map { JSON(parsing: Array($0)) }
      #expect(parsed == items, "\(path)")
      #expect(lines.text.hasSuffix("}\n"))

      let table = try await stream(client, path, "text/csv")
      #expect(table["content-type"] == "text/csv; charset=utf-8; header=present")
      let rows = CSVTable.parse(table.body)
      let names = try #require(rows.first).compactMap(\.self)
      #expect(rows.dropFirst().count == items.count)
      for (row, item) in zip(rows.dropFirst(), items) {
        let cells = row.map { cell in
          cell.map { $0.hasPrefix("[") ? JSON(parsing: Array($0.utf8)).text : $0 }
        }
        #expect(cells == names.map { cell($0, of: item) }, "\(path)")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func anEmptyListIsAnEmptyStream(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for list in ["failures", "catalogs", "installations"] {
      let path = "\(app.path)/\(list)"
      let lines = try await stream(app.admin, path, "application/x-ndjson")
      #expect(lines.status == 200)
      #expect(lines.text == "")
      let table = try await stream(app.admin, path, "text/csv")
      #expect(CSVTable.parse(table.body).count == 1)
    }
  }

  @Test(
    arguments: [
      (nil, "application/json"), ("*/*", "application/json"), ("text/html", "application/json"),
      ("application/json, application/x-ndjson", "application/json"),
      ("application/x-ndjson", "application/x-ndjson"),
      ("application/x-ndjson, */*;q=0.1", "application/x-ndjson"),
      ("text/*", "text/csv; charset=utf-8; header=present"),
      ("text/csv;q=0.5, application/x-ndjson;q=0.4", "text/csv; charset=utf-8; header=present"),
    ])
  func theFormIsWhatTheClientPrefers(accept: String?, type: String) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.admin.send(
      "GET", "\(app.path)/keys", fields: accept.map { [("Accept", $0)] } ?? [])
    #expect(reply.status == 200)
    #expect(reply["content-type"] == type)
    #expect(reply["vary"] == "Accept")
  }

  @Test(arguments: Transport.allCases, ["application/x-ndjson", "text/csv"])
  func aStreamHasNoPages(transport: Transport, type: String) async throws {
    let app = try await TestApp.make(transport)
    for list in Self.lists + ["installations"] {
      let reply = try await stream(app.admin, "\(app.path)/\(list)?limit=5&cursor=x", type)
      #expect(reply.status == 422)
      #expect(reply.problem == "invalid_input")
      #expect(reply.faults == ["limit unknown_field", "cursor unknown_field"])
    }
  }

  @Test(arguments: Transport.allCases)
  func filtersHoldForStreams(transport: Transport) async throws {
    let app = try await makeApp(transport)
    let lines = try await stream(
      app.admin, "\(app.path)/failures?kind=apns", "application/x-ndjson")
    #expect(lines.text.split(separator: "\n").count == 2)
    let refused = try await stream(app.admin, "\(app.path)/failures?kind=x", "text/csv")
    #expect(refused.faults == ["kind unknown_value"])
  }
}
