import AppTesting
import Foundation
import Testing

/// Long work by the program: exports, imports, renderings, what happens now.
@Suite struct StreamCommandTests {
  private func register(_ line: ProgramCalls, _ count: Int) async throws -> [String] {
    var ids: [String] = []
    for _ in 0..<count {
      let id = Sample.id()
      var report = Sample.report()
      report["languages"] = ["en"]
      #expect(try await line.app.admin.put(line.app.installation(id), report).status == 201)
      ids.append(id)
    }
    return ids
  }

  @Test func anExportIsImportedElsewhere() async throws {
    let line = try await ProgramCalls()
    let ids = try await register(line, 3)
    let file = line.directory + "/devices.ndjson"
    let exported = try await line.run(["export", "--output", file])
    #expect(exported.status == 0, "\(exported.errors)")
    #expect(exported.output.isEmpty && exported.errors.isEmpty)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.split(separator: "\n").count == 3)
    #expect(ids.allSatisfy { text.contains($0) })
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try await line.run(["export", "--output", file]).status == 73)
    let csv = try await line.run(["export", "--format", "csv"])
    #expect(csv.output.hasPrefix("installation_id,"))
    #expect(csv.output.split(whereSeparator: \.isNewline).count == 4)

    let other = try await ProgramCalls()
    let tried = try await other.run(["import", file, "--dry-run"])
    #expect(tried.status == 0)
    #expect(tried.errors == "Tried: 3 accepted, 0 updated, 0 unchanged, 0 rejected.\n")
    #expect(try await other.run(["device", "list", "--json"]).json["items"] == [])
    let imported = try await other.run(["import", file])
    #expect(imported.output == "Imported: 3 accepted, 0 updated, 0 unchanged, 0 rejected.\n")
    let again = try await other.run(["import", file, "--json"])
    #expect(again.json["unchanged"] == 3)
  }

  @Test func rejectedRecordsStopAnImportBeforeItBegins() async throws {
    let line = try await ProgramCalls()
    var record = Sample.report()
    record["installation_id"] = .string(Sample.id())
    try line.make(["mixed.ndjson": "\(record.text)\n{\"installation_id\":1}\n"])
    let file = line.directory + "/mixed.ndjson"
    let stopped = try await line.run(["import", file])
    #expect(stopped.status == 65)
    #expect(stopped.output.isEmpty)
    #expect(stopped.errors.contains(/\nline 2: error: .*\n/), "\(stopped.errors)")
    #expect(stopped.errors.hasSuffix("--skip-rejected imports the others.\n"))
    #expect(try await line.run(["device", "list", "--json"]).json["items"] == [])
    let skipped = try await line.run(["import", file, "--skip-rejected"])
    #expect(skipped.status == 0)
    #expect(skipped.output == "Imported: 1 accepted, 0 updated, 0 unchanged, 1 rejected.\n")
    #expect(try await line.run(["import", "/nowhere"]).status == 66)
  }

  /// Another service's export: what the program finds and what the service finds are one report, by
  /// the lines of the file. A pipe, which can be read once, is as good as a file.
  @Test func anotherServicesExportIsImported() async throws {
    let line = try await ProgramCalls()
    let token = Sample.token()
    let export = """
      {"results": [
        {"objectId": "o1", "deviceType": "ios", "deviceToken": "\(token)",
         "timeZone": "GMT+99", "user": {"objectId": "ann"}},
        {"objectId": "o2", "deviceType": "android", "deviceToken": "x"},
        {"objectId": "o3", "deviceType": "ios",
         "deviceToken": "abc"}
      ]}
      """
    let pipe = line.directory + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    async let written: Void = blocking {
      try FileHandle(forWritingTo: URL(filePath: pipe)).write(contentsOf: Data(export.utf8))
    }
    let done = try await line.run(["import", pipe, "--format", "parse", "--skip-rejected"])
    try await written
    #expect(done.status == 0)
    #expect(done.output == "Imported: 1 accepted, 0 updated, 0 unchanged, 2 rejected.\n")
    for words in [
      "line 2: warning: /timeZone: ", "line 4: error: /deviceType: ", "[unsupported_platform]",
      "line 5: error: /deviceToken: ", "[token_odd_length]",
    ] {
      #expect(done.errors.contains(words), "\(done.errors)")
    }
    let device = try await line.run(["device", "list", "--json"]).json["items"][0]
    #expect(device["user"]["id"] == "ann")
    #expect(device["credentials"]["apns"]["token"] == .string(token))

    try line.make(["installations.json": export, "none.csv": "a,b\n1,2\n"])
    let file = line.directory + "/installations.json"
    let json = try await line.run(["import", file, "--format", "parse", "--dry-run", "--json"])
    #expect(json.status == 65)
    #expect(json.json["unchanged"] == 1 && json.json["rejected"] == 2)
    #expect(json.json["errors"].elements.map { $0["line"].whole } == [4, 5])
    let lines = json.json["reasons"].elements.map { $0["lines"].elements.map(\.whole) }
    #expect(lines == [[2], [4], [5]])
    let none = line.directory + "/none.csv"
    #expect(try await line.run(["import", none, "--format", "onesignal"]).status == 65)
  }

  /// A table as teams have them: tried, its dirt named, and imported without it.
  @Test func aTableOfOnesOwnIsImported() async throws {
    let line = try await ProgramCalls()
    let token = Sample.token()
    let short = (0..<7).map { "\($0);u\($0);abc\n" }.joined()
    try line.make(["table.csv": "Id;User;Token\n7;ann;<\(token.uppercased())>\n\(short)"])
    let call = [
      "import", line.directory + "/table.csv", "--map", "token=token", "--map", "user=user",
      "--default", "platform=ios", "--default", "languages=fr_CA",
    ]
    let stopped = try await line.run(call)
    #expect(stopped.status == 65)
    #expect(
      stopped.errors.contains("line 3: error: /token: A hex digit is missing"),
      "\(stopped.errors)")
    #expect(stopped.errors.contains("… 7 records in all: token_odd_length\n"))
    let done = try await line.run(call + ["--skip-rejected"])
    #expect(done.output == "Imported: 1 accepted, 0 updated, 0 unchanged, 7 rejected.\n")
    let device = try await line.run(["device", "list", "--json"]).json["items"][0]
    #expect(device["user"]["id"] == "ann" && device["languages"] == ["fr-CA"])
    #expect(device["credentials"]["apns"]["token"] == .string(token))
    let again = try await line.run(call + ["--skip-rejected"])
    #expect(again.output == "Imported: 0 accepted, 0 updated, 1 unchanged, 7 rejected.\n")
  }

  @Test func anAudienceIsRenderedLineByLine() async throws {
    let line = try await ProgramCalls()
    let ids = try await register(line, 2)
    try line.make(["hello.json": #"{"alert": {"body": "Hello"}}"#])
    let message = line.directory + "/hello.json"
    let sender = ["POSTILION_KEY": line.app.keys["sender"] ?? ""]
    let many = try await line.run(["render", message, "--filter", "platform=ios"], sender)
    let lines = many.output.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
    #expect(many.status == 0, "\(many.errors)")
    #expect(lines.count == 3)
    #expect(lines.last?["summary"]["rendered"] == 2)
    #expect(Set(lines.dropLast().compactMap { $0["installation_id"].string }) == Set(ids))
    let one = try await line.run(["render", message, "--device", ids[0]])
    #expect(one.json["payload"]["aps"]["alert"]["body"] == "Hello", "\(one.output)")
    let none = try await line.run(["render", message], sender)
    #expect(none.status == 64)
    let admin = try await line.run(["render", message, "--filter", "platform=ios"])
    #expect(admin.status == 77)
    #expect(admin.output.isEmpty)
  }

  @Test func tailShowsWhatHappened() async throws {
    let line = try await ProgramCalls()
    _ = try await line.run(["key", "list"])
    let failure: AppTesting.JSON = [
      "kind": "apns", "error": ["domain": "D", "code": 7, "message": "m"],
      "occurred_at": "2026-11-01T00:00:00Z",
    ]
    let reported = try await line.app.client.post("\(line.app.path)/failures", failure)
    #expect(reported.status == 201, "\(reported.text)")
    let tail = ["tail", "--once", "--since", "2026-01-01T00:00:00Z"]
    let shown = try await line.run(tail)
    #expect(shown.status == 0, "\(shown.errors)")
    let rows = shown.output.split(separator: "\n")
    #expect(rows.contains { $0.contains(#/Z  audit  listKeys  -  200  /#) }, "\(shown.output)")
    #expect(rows.contains { $0.contains(#/Z  failure  apns  D  7  m$/#) })
    // Its own calls are on record, and no news.
    #expect(!shown.output.contains("listAudit"))
    let json = try await line.run(tail + ["--json"]).output.split(separator: "\n")
    #expect(json.contains { JSON(parsing: Array($0.utf8))["failure"]["kind"] == "apns" })
    #expect(try await line.run(["tail", "--once"]).output.isEmpty)
  }

  /// More than a page of a list.
  @Test func tailShowsAllSinceATime() async throws {
    let line = try await ProgramCalls()
    for _ in 0..<210 { _ = try await line.app.admin.get("\(line.app.path)/keys") }
    let shown = try await line.run(["tail", "--once", "--since", "2026-01-01T00:00:00Z"])
    let calls = shown.output.split(separator: "\n").filter { $0.contains("  listKeys  ") }
    #expect(calls.count == 210, "\(shown.errors)")
  }
}
