import Foundation
import JSON
import Testing

@testable import Commands

/// What people get of answers.
@Suite struct OutputTests {
  private func table(_ items: [String], isTerminal: Bool = false) -> [String] {
    var table = TextTable(
      [TableColumn("NAME", "name"), TableColumn("N", "n")], isTerminal: isTerminal)
    let lines = items.flatMap { table.add(JSONValue(parsing: Array($0.utf8)) ?? .null) }
    return lines + table.finish()
  }

  @Test func columnsAreAsWideAsTheirWidestCell() {
    #expect(
      table([#"{"name":"日本","n":1}"#, #"{"name":"Größe!","n":[2,3]}"#, #"{"name":null}"#]) == [
        "NAME    N", "日本    1", "Größe!  2 3", "-       -",
      ])
  }

  @Test func textOfOthersCannotSteerATerminal() {
    #expect(
      table([#"{"name":"a\u001b[31mb\nc\u202Ed","n":1}"#]).last == "a\u{FFFD}[31mb c\u{FFFD}d  1")
  }

  @Test func textFromRightToLeftMovesNoOtherColumn() {
    #expect(table([#"{"name":"שלום","n":1}"#], isTerminal: true).last == "\u{2067}שלום\u{2069}  1")
    #expect(table([#"{"name":"שלום","n":1}"#]).last == "שלום  1")
  }

  @Test func longCellsAreCutOnATerminal() {
    let item = #"{"name":"\#(String(repeating: "語", count: 50))","n":1}"#
    #expect(table([item], isTerminal: true).last?.hasPrefix("語") == true)
    #expect(table([item], isTerminal: true).last?.contains("…  1") == true)
    #expect(table([item]).last?.contains("…") == false)
  }

  /// A table of a million rows is not kept.
  @Test func rowsBeyondTheMeasuredOnesComeAtOnce() {
    var table = TextTable([TableColumn("N", "n")], isTerminal: false)
    var counts: [Int] = []
    for number in 1...CommandLimits.measuredRows + 1 {
      counts.append(table.add(.object(["n": .integer(Int64(number))])).count)
    }
    #expect(counts.dropLast(2).allSatisfy { $0 == 0 })
    #expect(counts.suffix(2) == [CommandLimits.measuredRows + 1, 1])
    #expect(table.finish() == [])
  }

  /// Neither one that was there nor one that was made meanwhile; and no file of another run.
  @Test func anOutputReplacesNoFile() throws {
    let directory = NSTemporaryDirectory() + "output \(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/devices"
    try Data("own".utf8).write(to: URL(filePath: path + ".part"))
    let isThere = Exit(ExitCode.cannotCreate, "\(path) is there already; nothing was written.")
    do {
      let (first, second) = (try OutputFile(path), try OutputFile(path))
      try first.write(Array("first".utf8))
      try second.write(Array("second".utf8))
      try first.finish()
      #expect(throws: isThere) { try second.finish() }
    }
    #expect(throws: isThere) { try OutputFile(path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "first")
    #expect(try String(contentsOfFile: path + ".part", encoding: .utf8) == "own")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    #expect(names.sorted() == ["devices", "devices.part"])
  }

  @Test func anOutlineKeepsTheOrderOfTheAnswer() throws {
    let text =
      #"{"b":"x","languages":["en","fr"],"none":[],"t":{"apns":null},"e":[{"c":1,"d":true}]}"#
    let node = try JSONNode(parsing: Array(text.utf8), maximumCount: 100)
    #expect(
      Outline(node).lines == [
        "b          x", "languages  en, fr", "none       -", "t", "  apns  -", "e", "  - c  1",
        "    d  yes",
      ])
  }

  @Test(arguments: [
    (401, ExitCode.noPermission), (403, ExitCode.noPermission), (404, ExitCode.noInput),
    (409, ExitCode.temporary), (412, ExitCode.cannotCreate), (422, ExitCode.data),
    (429, ExitCode.temporary), (503, ExitCode.temporary), (500, ExitCode.unavailable),
    (302, ExitCode.unavailable),
  ])
  func statusesHaveExitCodes(status: Int, code: Int32) {
    #expect(Problem(status: status, body: []).exit.code == code)
  }

  /// Only what passes with time is worth another try: a dead token stays dead.
  @Test(arguments: [
    (409, "conflict", ExitCode.temporary), (409, "no_usable_credential", ExitCode.data),
    (409, "installation_claimed", ExitCode.data), (409, "last_root_key", ExitCode.data),
    (409, "message_unreadable", ExitCode.data), (409, "channel_not_created", ExitCode.data),
    (409, "channel_fixed", ExitCode.data), (409, "id_taken", ExitCode.data),
    (409, "denied", ExitCode.data),
    (409, "catalog_quota_exceeded", ExitCode.data), (429, "rate_limited", ExitCode.temporary),
    (429, "quota_exceeded", ExitCode.temporary), (423, "", ExitCode.temporary),
    (429, "token_takeovers_exceeded", ExitCode.temporary), (425, "", ExitCode.temporary),
    (503, "overloaded", ExitCode.temporary), (503, "database_unavailable", ExitCode.temporary),
  ])
  func onlyWhatPassesIsTriedAgain(status: Int, code: String, exit: Int32) {
    let body = #"{"status":\#(status),"code":"\#(code)","detail":"No."}"#
    #expect(Problem(status: status, body: Array(body.utf8)).exit.code == exit)
  }

  @Test func aSingleFaultIsOneLine() {
    let text = """
      {"code":"invalid_input","title":"No","detail":"At line 1: A title is needed.","errors":[
      {"pointer":"/alert/title","code":"missing_field","detail":"A title is needed."}]}
      """
    #expect(
      Problem(status: 422, body: Array(text.utf8)).exit.line
        == "postilion: /alert/title: At line 1: A title is needed. [missing_field]")
  }

  @Test(arguments: [
    ("limit", "limit is a number from 1 to 500.", "limit is a number from 1 to 500."),
    ("/to/seen_since", "seen_since is a time.", "/to/seen_since is a time."),
    ("/to", "The device is none.", "/to: The device is none."),
    ("", "Too deep.", "Too deep."), ("/a/", "Too deep.", "/a/: Too deep."),
  ])
  func aPlaceStandsOnceInASentence(place: String, detail: String, sentence: String) {
    let fault = Problem.Fault(place: place, detail: detail, code: "")
    #expect(fault.sentence(detail) == sentence)
  }

  @Test func aProblemIsAFewLines() {
    let text = """
      {"code":"invalid_input","detail":"The input cannot be processed.","errors":[
      {"pointer":"/alert/title","code":"missing_field","detail":"A title is needed."},
      {"pointer":"","code":"too_deep","detail":"Too\\u001b deep."}]}
      """
    #expect(
      Problem(status: 422, body: Array(text.utf8)).exit.line == """
        postilion: The input cannot be processed. [invalid_input]
          /alert/title: A title is needed. [missing_field]
          Too\u{FFFD} deep. [too_deep]
        """)
  }
}
