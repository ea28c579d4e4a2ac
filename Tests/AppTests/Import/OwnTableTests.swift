import AppTesting
import Foundation
import Testing

@testable import Commands

/// Tables that teams have written themselves come in by `postilion import`, with the dirt that is
/// in them.
@Suite struct OwnTableTests {
  private static let hex = (0..<9).map { String(repeating: "\($0)a", count: 32) }

  // MARK: The head

  private static let columns = ["token": "device_token", "user": "user_id"]

  @Test(
    arguments: [
      ("device_token,user_id\n", "0 0 ,"), ("id;USER_ID;Device_Token\n1;a;b\n", "0 0 ;"),
      ("user_id\tdevice_token\r\n", "0 0 \t"), ("user_id|device_token\n", "0 0 |"),
      ("\u{FEFF}\"device_token\" ; \"user_id\"\n", "0 0 ;"),
      ("sep=;\nuser_id;device_token\n", "6 1 ;"),
      ("Tokens, of June; all\n\nuser_id,device_token\n", "22 2 ,"),
      ("user_id,device_token", "0 0 ,"),
    ] as [(String, String)])
  func theHeadIsFound(row: (text: String, head: String)) throws {
    let table = try OwnTable(columns: Self.columns, defaults: [:])
    let head = try #require(try table.head(Array(row.text.utf8), isWhole: true))
    let separator = Character(Unicode.Scalar(head.separator))
    #expect("\(head.offset) \(head.lines) \(separator)" == row.head)
    // However little of it is there.
    for count in 0..<row.text.utf8.count {
      let part = try table.head(Array(row.text.utf8.prefix(count)), isWhole: false)
      #expect(part == nil || part == head)
    }
  }

  @Test(
    arguments: [
      ("a;b\nc;d\n", "has: a, b."), ("", "has: ."),
      (String(repeating: "x\n", count: 20) + "device_token,user_id\n", "names the columns"),
      ("PK\u{3}\u{4}", "workbook"),
    ] as [(String, String)])
  func aTableWithoutItsColumnsIsRefused(row: (text: String, words: String)) throws {
    let table = try OwnTable(columns: Self.columns, defaults: [:])
    #expect {
      try table.head(Array(row.text.utf8), isWhole: true)
    } throws: {
      ($0 as? Exit)?.line.contains(row.words) ?? false
    }
  }

  @Test func utf16IsNamed() throws {
    let table = try OwnTable(columns: Self.columns, defaults: [:])
    #expect {
      try table.head([0xFF, 0xFE, 0x61, 0], isWhole: false)
    } throws: {
      ($0 as? Exit)?.line.contains("UTF-16") ?? false
    }
  }

  // MARK: Rows

  /// The tokens of another app are of another topic: none of them gets this app's.
  @Test func aRecordOfAnotherAppIsRejected() async throws {
    let line = try await ProgramCalls()
    _ = try await line.app.service.client().put(
      line.app.path, ["bundle_ids": ["com.example.watch"]])
    let bundle = try await line.app.admin.get(line.app.path).json["bundle_id"].string ?? ""
    let records = [bundle, "com.example.watch", "com.example.other", nil].enumerated().map {
      let app = $1.map { #", "appIdentifier": "\#($0)""# } ?? ""
      return #"{"deviceType": "ios", "deviceToken": "\#(Self.hex[$0])"\#(app)}"#
    }
    try line.make(["parse.json": records.joined(separator: "\n")])
    let options = ["--format", "parse", "--skip-rejected", "--json"]
    let result = try await line.run(["import", line.directory + "/parse.json"] + options)
    #expect(result.json["accepted"] == 3, "\(result.errors)")
    #expect(reasons(result.json) == ["error unknown_value 1: 3"])
    #expect(result.json["errors"][0]["pointer"] == "/appIdentifier")
    let stored = try await line.app.admin.get("\(line.app.path)/installations").json["items"]
    #expect(
      Set(stored.elements.map { $0["bundle_id"].string ?? "-" })
        == [bundle, "com.example.watch", "-"])

    let table = "device_token,app\n\(Self.hex[4]),com.example.other\n\(Self.hex[5]),\(bundle)\n"
    let mapped = try await send(line, table, ["token=device_token", "bundle_id=app"])
    #expect(mapped["accepted"] == 1 && reasons(mapped) == ["error unknown_value 1: 2"])
  }

  /// A column that is too short cuts tokens off, and APNs refuses what is left.
  @Test func tokensOfAnotherLengthThanNearlyAllAreNamed() async throws {
    let line = try await ProgramCalls()
    let rows = Self.hex.enumerated().map { $0 == 4 ? String($1.prefix(40)) : $1 }
    let odd = try await send(
      line, "device_token\n" + rows.joined(separator: "\n"), ["token=device_token"],
      more: ["--dry-run"])
    #expect(reasons(odd) == ["notice token_length 1: 6"])
    let cut = rows.map { String($0.prefix(40)) }
    let all = try await send(
      line, "device_token\n" + cut.joined(separator: "\n"), ["token=device_token"],
      more: ["--dry-run"])
    #expect(reasons(all) == ["notice token_length 9: 2 3 4 5 6"])
  }

  /// Imports a table, and leaves out what is rejected.
  /// - Parameter options: Of the command line: `token=t` is the column of a part.
  private func send(
    _ line: ProgramCalls, _ table: String, _ columns: [String], more: [String] = []
  ) async throws -> AppTesting.JSON {
    try line.make(["table.csv": table])
    let map = columns.flatMap { ["--map", $0] }
    let options = map + more + ["--skip-rejected", "--json"]
    let result = try await line.run(["import", line.directory + "/table.csv"] + options)
    #expect(result.status == 0, "\(result.errors)")
    return result.json
  }

  private func reasons(_ report: AppTesting.JSON) -> [String] {
    report["reasons"].elements.map { reason in
      let lines = reason["lines"].elements.compactMap(\.whole).map(String.init)
      let words = [reason["kind"].string ?? "", reason["code"].string ?? ""]
      return (words + ["\(reason["count"].whole ?? 0):"] + lines).joined(separator: " ")
    }
  }

  private func counts(_ report: AppTesting.JSON) -> String {
    ["accepted", "updated", "unchanged", "rejected"].map { "\(report[$0].whole ?? -1)" }
      .joined(separator: " ")
  }

  @Test func whatIsSafeIsCleaned() async throws {
    let line = try await ProgramCalls()
    let app = line.app
    let blanks = stride(from: 0, to: 64, by: 8).map { Self.hex[1].dropFirst($0).prefix(8) }
      .joined(separator: " ").uppercased()
    let table = """
      Tokens of June; all of them
      Id;USER_ID;device_token;lang;labels;plan;score;tz
      1; ann ;<\(blanks)>;en_US;"a,b";pro;007;Europe/Paris
      2;NULL;\(Self.hex[2]);{fr,de_CH};;;7;\\N
      """
    let map = [
      "token=Device_Token", "user=user_id", "languages=lang", "tags=labels",
      "attributes.plan=plan", "attributes.score=score", "time_zone=tz",
    ]
    let more = ["--default", "platform=macOS", "--default", "attributes.plan=free"]
    let reply = try await send(line, table, map, more: more)
    #expect(counts(reply) == "2 0 0 0", "\(reply.text)")
    #expect(reasons(reply) == ["ignored unknown_field 1: 3", "ignored null_text 1: 4"])
    let ignored = reply["ignored"].elements.map { $0["pointer"].string }
    #expect(ignored == ["/id", "/user_id", "/tz"])
    let items = try await app.admin.items("\(app.path)/installations?sort=installation_id")
    let ann = try #require(items.first { $0["user"]["id"] == "ann" })
    #expect(ann["platform"] == "macos" && ann["environment"] == "production")
    #expect(ann["credentials"]["apns"]["token"] == .string(Self.hex[1]))
    #expect(ann["languages"] == ["en-US"] && ann["tags"] == ["a", "b"])
    #expect(ann["attributes"] == ["plan": "pro", "score": "007"])
    #expect(ann["time_zone"] == "Europe/Paris")
    let other = try #require(items.first { $0["user"] == .null })
    #expect(other["languages"] == ["fr", "de-CH"] && other["time_zone"] == .null)
    #expect(other["attributes"] == ["plan": "free", "score": 7])
    // Twice is once.
    #expect(try await counts(send(line, table, map, more: more)) == "0 0 2 0")
    #expect(
      try await app.admin.items("\(app.path)/installations?sort=installation_id") == items)
  }

  /// Each kind of dirt is counted, and where it is.
  @Test func dirtIsNamed() async throws {
    let line = try await ProgramCalls()
    let app = line.app
    let rows = [
      "ann,\(Self.hex[0]),en", "ann,\(Self.hex[1]),en", "ben,\(Self.hex[0]),de",
      "ann,\(Self.hex[0]),en", "ann,\(Self.hex[0]),fr", "cat,abc123,en", "dan,NULL,en",
      "eve,,en", "fay,\(Self.hex[3])", "gus,\(Self.hex[4]),en,x", "hal,xyz,en",
    ]
    let table = "user_id,device_token,lang\n" + rows.joined(separator: "\n")
    let map = ["token=device_token", "user=user_id", "languages=lang"]
    let dry = try await send(line, table, map, more: ["--dry-run"])
    let expected = [
      "notice user_of_two_tokens 1: 3", "error token_of_two_users 1: 4", "error token_twice 1: 6",
      "error token_too_short 1: 7", "error missing_token 2: 8 9", "error wrong_columns 2: 10 11",
      "error token_not_hex 1: 12",
    ]
    #expect(reasons(dry) == expected)
    #expect(counts(dry) == "2 0 1 8", "\(dry.text)")
    #expect(try await app.stored() == "0 0 0 0")
    let done = try await send(line, table, map)
    #expect(counts(done) == counts(dry) && reasons(done) == expected)
    let stored = try await app.admin.items("\(app.path)/installations")
    #expect(stored.map { $0["user"]["id"] } == ["ann", "ann"])
    let again = try await send(line, table, map)
    #expect(counts(again) == "0 0 3 8")
    #expect(try await app.admin.items("\(app.path)/installations") == stored)
  }

  /// A time says which of two rows is the newer one.
  @Test func theNewerRowCounts() async throws {
    let line = try await ProgramCalls()
    let app = line.app
    let table = """
      u,t,at
      ann,\(Self.hex[6]),2026-01-02T10:00:00
      ben,\(Self.hex[6]),2026-03-01T10:00:00Z
      cat,\(Self.hex[6]),2026-02-01T10:00:00Z
      """
    let map = ["token=t", "user=u", "updated_at=at"]
    let reply = try await send(line, table, map)
    #expect(counts(reply) == "1 1 1 0")
    #expect(reasons(reply) == ["notice token_of_two_users 2: 3 4"])
    let stored = try await app.admin.items("\(app.path)/installations")
    #expect(stored.map { $0["user"]["id"] } == ["ben"])
    #expect(try await counts(send(line, table, map)) == "0 0 3 0")
  }

  /// Rows that are far apart from each other do not take turns.
  @Test func aLargeTableTwiceIsOnce() async throws {
    let line = try await ProgramCalls()
    let app = line.app
    let rows = (0..<900).map { number in
      let token = String(format: "%064x", number % 600 + 4096)
      return "u\(number % 600),\(token),\(number < 600 ? "en" : "de")"
    }
    let table = "u,t,l\n" + rows.joined(separator: "\n")
    let map = ["token=t", "user=u", "languages=l"]
    let first = try await send(line, table, map)
    #expect(counts(first) == "600 0 0 300")
    #expect(reasons(first) == ["error token_twice 300: 602 603 604 605 606"])
    #expect(try await counts(send(line, table, map)) == "0 0 600 300")
    let changes = try await app.service.database.value(
      """
      SELECT (SELECT count(*) FROM token_history WHERE app_id = app.id)
        + (SELECT count(*) FROM app_history WHERE app_id = app.id)
      FROM app WHERE slug = '\(app.slug)'
      """)
    #expect(changes == "600")
  }

  @Test(
    arguments: [
      (["--map", "user=u"], "--map token=COLUMN"),
      (["--map", "token=t", "--map", "tokn=x"], "--map tokn=…: a column of a table can be token,"),
      (["--map", "token=t", "--default", "x=y"], "--default x=…"),
      (["--map", "token=t", "--map", "attributes.=y"], "--map attributes.=…"),
      (["--map", "token=t", "--format", "parse"], "--map and --default are for a table"),
      (["--format", "table"], "--map token=COLUMN"),
      (["--environment", "sandbox"], "native ones have it"),
    ] as [([String], String)])
  func optionsThatDoNotFitAreRefused(options: [String], words: String) async throws {
    let line = try await ProgramCalls()
    try line.make(["table.csv": "t\n"])
    let result = try await line.run(["import", line.directory + "/table.csv"] + options)
    #expect(result.status == 64)
    #expect(result.errors.contains(words), "\(result.errors)")
  }
}
