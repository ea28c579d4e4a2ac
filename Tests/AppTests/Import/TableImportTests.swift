import AppTesting
import Testing

/// The export as CSV is as good as that as JSON, whatever the values are.
@Suite struct TableImportTests {
  private static let hostile = [
    "=1+1", "=cmd|' /C calc'!A0", "+1", "-1+1", "-5", "-", "@SUM(A1)", "\ttab", "\rreturn",
    "\nline",
    "'", "'=1", "''", "'\u{301}", "a,b", "say \"hi\"", "\"", "two\r\nlines", "a;=1+1", "a|'b",
    "\t\"=1", "＝1", " space ", "é👍🏽",
    "null",
    "{}", "\u{FEFF}",
  ]

  /// Installations that say all there is to say, each in another strange text.
  private static var lines: String {
    hostile.enumerated().map { index, text -> String in
      var record = Sample.fullReport()
      let tags: [JSON] = [.string(text), "beta"]
      let at = JSON.string("2026-05-02T19:32:\(10 + index).250Z")
      record["installation_id"] = .string(Sample.id())
      record["device_model"] = .string(text)
      record["user"] = ["id": .string(text)]
      record["tags"] = .array(tags)
      record["capabilities"] = .array(tags)
      record["attributes"] = [text: .string(text), "n": -5, "x": 1.5, "none": .null, "on": true]
      record["language_override"] = "fr"
      for kind in ["apns", "voip"] {
        record["credentials"][kind]["status"] = "invalid"
        record["credentials"][kind]["reason"] = .string(text)
        record["credentials"][kind]["registered_at"] = at
        record["credentials"][kind]["invalidated_at"] = at
      }
      for name in ["created_at", "updated_at", "last_seen_at", "reported_at"] { record[name] = at }
      return record.text
    }.joined(separator: "\n")
  }

  private func export(_ app: TestApp, as type: String) async throws -> String {
    try await app.admin.send("GET", "\(app.path)/installations", fields: [("Accept", type)]).text
  }

  private func send(_ app: TestApp, _ body: String) async throws -> Reply {
    try await app.admin.send(
      "POST", "\(app.path)/installations/import", body: Array(body.utf8),
      fields: [("Content-Type", "text/csv")])
  }

  @Test(arguments: Transport.allCases)
  func theExportAsATableImportsAgain(transport: Transport) async throws {
    let (app, other) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let bare: JSON = [
      "installation_id": .string(Sample.id()), "platform": "macos", "environment": "sandbox",
      "device_model": "",
    ]
    let filled = try await send(app, Self.lines + "\n" + bare.text)
    #expect(filled.json["accepted"].whole == Self.hostile.count + 1)

    let table = try await export(app, as: "text/csv")
    // No spreadsheet runs a cell of it.
    for cell in CSVTable.parse(Array(table.utf8), restores: false).joined() {
      #expect(!["=", "+", "@", "\t", "\r", "\n"].contains { cell?.hasPrefix($0) ?? false })
    }
    let imported = try await send(other, table)
    #expect(imported.json["accepted"].whole == Self.hostile.count + 1)
    #expect(imported.json["rejected"] == 0)
    #expect(imported.json["ignored"] == [])
    #expect(try await export(other, as: "text/csv") == table)
    let lines = try await export(app, as: "application/x-ndjson")
    #expect(try await export(other, as: "application/x-ndjson") == lines)
    #expect(try await send(other, table).json["unchanged"].whole == Self.hostile.count + 1)
    // As a spreadsheet saves it again.
    let saved = "\u{FEFF}" + table
    #expect(try await send(other, saved).json["unchanged"].whole == Self.hostile.count + 1)
  }

  @Test func rowsThatAreWrongCostThemselves() async throws {
    let app = try await TestApp.make(.inProcess)
    let ids = (0..<4).map { _ in Sample.id() }
    let reply = try await send(
      app,
      """
      installation_id,platform,environment,apns_token,apns_color,tags
      \(ids[0]),ios,production,\(Sample.token()),,
      \(ids[1]),ios,production,\(Sample.token()),,[
      \(ids[2]),ios,production,\(Sample.token()),red,
      \(ids[3]),ios,production

      """)
    #expect(reply.json["accepted"] == 1)
    #expect(
      reply.json["errors"].elements.map { error in
        "\(error["line"]) \(error["pointer"].string ?? "") \(error["code"].string ?? "")"
      } == [
        "3 /tags malformed_json", "4 /credentials/apns/color unknown_field", "5  wrong_columns",
      ])
    let other = try await send(app, "id,platform\n1,ios\n")
    #expect(other.status == 422)
    #expect(other.json["detail"].string?.contains("installation_id") == true)
  }
}
