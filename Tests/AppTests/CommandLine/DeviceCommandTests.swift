import AppTesting
import Foundation
import Testing

@testable import Commands
@testable import Rendering

/// Devices, people and messages by the program, against a service.
@Suite struct DeviceCommandTests {
  private static let arabic = "طلبك جاهز"

  /// An app with strings in two languages, a message, and a device that prefers Arabic.
  private func scene() async throws -> (line: ProgramCalls, id: String) {
    let line = try await ProgramCalls()
    try line.make([
      "App/en.lproj/Localizable.strings": "\"READY\" = \"Your order is ready\";\n\"X\" = \"x\";",
      "App/ar.lproj/Localizable.strings": "\"READY\" = \"\(Self.arabic)\";",
      "ready.json": #"{"alert": {"body": {"key": "READY"}}}"#,
    ])
    let pushed = try await line.run(["catalog", "push", line.directory + "/App", "--build", "412"])
    #expect(pushed.status == 0, "\(pushed.errors)")
    let stored = try await line.run(["message", "put", "ready", line.directory + "/ready.json"])
    #expect(stored.output == "Stored the message ready, version 1.\n", "\(stored.errors)")
    let id = Sample.id()
    var report = Sample.report()
    report["languages"] = ["ar"]
    report["app_build"] = "412"
    report["user"] = ["id": "u/1"]
    #expect(try await line.app.client.put(line.app.installation(id), report).status == 201)
    return (line, id)
  }

  @Test func aDeviceIsFoundShownTaggedAndDeleted() async throws {
    let (line, id) = try await scene()
    let listed = try await line.run([
      "device", "list", "--filter", "user=u/1", "--sort", "-updated_at",
    ])
    let rows = listed.output.split(separator: "\n")
    #expect(rows.count == 2, "\(listed.errors)")
    #expect(rows.first?.contains(/^ID +PLATFORM +USER +LANGUAGES/) == true)
    #expect(rows.last?.hasPrefix(id) == true)
    #expect(rows.last?.contains("  apns active  ") == true)
    let none = try await line.run(["device", "list", "--filter", "language=fr", "--json"])
    #expect(none.json["items"] == [])
    let wrong = try await line.run(["device", "list", "--filter", "langage=fr"])
    #expect(wrong.status == 65)
    #expect(try await line.run(["device", "list", "--filter", "language"]).status == 64)

    let tagged = try await line.run(["device", "tag", id, "--add", "vip", "--json"])
    #expect(tagged.status == 0, "\(tagged.errors)")
    let shown = try await line.run(["device", "show", id])
    #expect(shown.output.contains(/\ntags +vip\n/))
    #expect(shown.output.contains(/\ncredentials\n  apns\n    token +[0-9a-f]{64}\n/))
    let history = try await line.run(["device", "history", id])
    #expect(history.output.contains("  registered  apns  "))
    let tried = try await line.run(["device", "delete", id, "--dry-run"])
    #expect(tried.output.contains(/installations +1\n/), "\(tried.output)\(tried.errors)")
    #expect(try await line.run(["device", "delete", id]).status == 0)
    #expect(try await line.run(["device", "show", id]).status == 66)
  }

  @Test func whyIsTextForPeople() async throws {
    let (line, id) = try await scene()
    let why = try await line.run(["device", "why", id, "ready"])
    #expect(why.status == 0, "\(why.errors)")
    #expect(why.output.contains(Self.arabic))
    #expect(why.output.contains(#/\nlanguage +ar, as it is the first language of the device\n/#))
    // What does not stand against it is not said.
    #expect(
      why.output.contains(
        #/\n\nThe service writes the text, because (.*):\n  \1.*\n$/#), "\(why.output)")
    let json = try await line.run(["device", "why", id, "ready", "--json"])
    #expect(json.json["explain"]["language"]["chosen"] == "ar")
    #expect(try await line.run(["device", "why", id, "raedy"]).status == 66)
    let argument = try await line.run(["device", "why", id, "ready", "--argument", "a=b"])
    #expect(argument.status == 65)
    #expect(argument.errors.contains("/arguments/a"))
  }

  @Test(
    arguments: [
      ("fr", ["fr"], ["en", "fr"], "it is the first language of the device"),
      ("fr", ["fr-CA"], ["en", "fr"], "it fits fr-CA, the first language of the device"),
      ("en", ["ja", "en-GB"], ["en", "fr"], "nothing fits ja, and it fits en-GB"),
      (
        "en", ["zh-TW"], ["en", "zh-Hans"],
        "none of zh-TW fits: scripts do not mix; English is the development language"
      ),
      ("en", ["ja"], ["en", "fr"], "none of ja fits; English is the development language"),
      ("en", ["fr"], ["en", "fr"], "fr has no such text"),
      ("en", [], ["en"], "the device told no language; English is the development language"),
      ("de", ["no way"], ["de"], "none of no way fits; German is the development language"),
    ] as [(String, [String], [String], String)])
  func aLanguageHasAReason(
    row: (chosen: String, preferred: [String], available: [String], sentence: String)
  ) {
    let sentence = LanguageReasonText.sentence(
      row.chosen, preferred: row.preferred, available: row.available, isFallback: false)
    #expect(sentence == row.sentence)
  }

  @Test func everyTestOfTheModeHasWords() {
    #expect(Set(ModeReasonText.all.keys) == Set(ModeReason.allCases.map(\.rawValue)))
  }

  @Test func aPreviewSetsTextFromRightToLeftApart() async throws {
    let (line, _) = try await scene()
    let preview = try await line.run(["preview", "ready"])
    let rows = preview.output.split(separator: "\n")
    #expect(rows.count == 3, "\(preview.errors)")
    #expect(rows.first?.hasPrefix("LANGUAGE  TEXTS OF  TITLE  BODY") == true)
    #expect(rows.contains { $0.contains("  \u{2067}\(Self.arabic)\u{2069}  ") })
    #expect(rows.contains { $0.contains("  Your order is ready  ") })
    let file = try await line.run(
      ["preview", line.directory + "/ready.json", "--language", "en", "--json"])
    #expect(file.json["languages"].elements.count == 1)
  }

  @Test func aPersonIsShownAndErased() async throws {
    let (line, id) = try await scene()
    let chosen = try await line.run(["user", "language", "u/1", "en", "--json"])
    #expect(chosen.status == 0, "\(chosen.errors)")
    let shown = try await line.run(["user", "show", "u/1"])
    #expect(shown.output.contains(id))
    #expect(shown.output.contains(/language_override +en/))
    #expect(try await line.run(["user", "tag", "u/1", "--remove", "x"]).status == 0)
    #expect(try await line.run(["user", "erase", "u/1", "--confirm", "u1"]).status == 64)
    let erased = try await line.run(["user", "erase", "u/1", "--confirm", "u/1", "--json"])
    #expect(erased.status == 0, "\(erased.errors)")
    #expect(try await line.run(["device", "show", id]).status == 66)
  }

  @Test func messagesAreStoredListedAndDeleted() async throws {
    let (line, _) = try await scene()
    try line.make(["bad.json": #"{"alert": {"body": {"kye": "A"}}}"#, "no.json": "{"])
    let bad = try await line.run(["message", "put", "bad", line.directory + "/bad.json"])
    #expect(bad.status == 65)
    #expect(bad.errors.contains("/alert/body"))
    let dry = try await line.run(
      ["message", "put", "other", line.directory + "/ready.json", "--dry-run"])
    #expect(dry.output == "The message other can be stored.\n")
    let listed = try await line.run(["message", "list", "--json"])
    #expect(listed.json["items"].elements.map { $0["name"] } == ["ready"])
    #expect(try await line.run(["preview", line.directory + "/no.json"]).status == 65)
    #expect(try await line.run(["message", "show", "ready"]).output.contains("READY"))
    #expect(try await line.run(["message", "delete", "ready"]).status == 0)
    #expect(try await line.run(["message", "show", "ready"]).status == 66)
  }

  @Test func numbersAreTables() async throws {
    let (line, _) = try await scene()
    let stats = try await line.run(["stats", "--days", "2"])
    #expect(stats.output.contains(/^devices +1\n/), "\(stats.errors)")
    #expect(stats.output.contains(/\napns tokens +active 1\n/))
    #expect(stats.output.contains(/\nlanguage +ar 1\n/))
    #expect(stats.output.contains(/\nDAY +REGISTRATIONS +ROTATIONS +INVALIDATIONS +FAILURES\n/))
    #expect(stats.output.split(separator: "\n").suffix(3).count == 3)
    let coverage = try await line.run(["coverage", "412"])
    #expect(coverage.output.contains(/LANGUAGE +DEVICES +KEYS +MISSING +SUCH AS\n/))
    #expect(coverage.output.contains(/\nar +1 +1 +1 +X\n/), "\(coverage.output)")
  }

  @Test func failuresAndFeedbackAreShown() async throws {
    let (line, id) = try await scene()
    let failure: AppTesting.JSON = [
      "installation_id": .string(id), "kind": "apns",
      "error": ["domain": "NSCocoaErrorDomain", "code": 3000, "message": "none\u{1B}[2J"],
      "occurred_at": "2026-05-02T19:32:41Z",
    ]
    let reported = try await line.app.client.post("\(line.app.path)/failures", failure)
    #expect(reported.status == 201, "\(reported.text)")
    let listed = try await line.run(["failures", "list", "--filter", "kind=apns"])
    #expect(listed.output.contains("  NSCocoaErrorDomain  3000  "))
    #expect(!listed.output.contains("\u{1B}"))
    let summary = try await line.run(["failures", "summary", "--group-by", "code,app_version"])
    #expect(summary.output.contains(/^COUNT +DEVICES +DOMAIN +CODE +APP VERSION +LAST\n1 +1 +NSC/))

    let token =
      try await line.app.admin.get(line.app.installation(id))
      .json["credentials"]["apns"]["token"].string ?? ""
    try line.make([
      "results.json": """
      {"results": [{"token": "\(token)", "environment": "production", "status": 410,
       "reason": "Unregistered"}]}
      """
    ])
    let sender = ["POSTILION_KEY": line.app.keys["sender"] ?? ""]
    let sent = try await line.run(["feedback", "send", line.directory + "/results.json"], sender)
    #expect(sent.status == 0, "\(sent.errors)")
    let places = try await line.run(["device", "token", token])
    #expect(places.output.contains("  invalidated  apns  "), "\(sent.output)")
    #expect(try await line.run(["feedback", "breakers", "--json"], sender).status == 0)
  }

  /// What gorush's hook sends has a path of its own, where a parameter names the environment.
  @Test func feedbackOfGorushIsSentWithItsEnvironment() async throws {
    let (line, id) = try await scene()
    let token =
      try await line.app.admin.get(line.app.installation(id))
      .json["credentials"]["apns"]["token"].string ?? ""
    try line.make([
      "gorush.json": """
      {"type": "failed-push", "platform": "ios", "token": "\(token)", "error": "Unregistered"}
      """, "results.json": #"{"results": []}"#,
    ])
    let sender = ["POSTILION_KEY": line.app.keys["sender"] ?? ""]
    let send = ["feedback", "send", line.directory + "/gorush.json"]
    let places = ["device", "token", token]
    let elsewhere = try await line.run(send + ["--environment", "sandbox"], sender)
    #expect(elsewhere.status == 0, "\(elsewhere.errors)")
    #expect(try await !line.run(places).output.contains("  invalidated  apns  "))
    #expect(try await line.run(send + ["--environment", "production"], sender).status == 0)
    #expect(try await line.run(places).output.contains("  invalidated  apns  "))
    let results = ["feedback", "send", line.directory + "/results.json"]
    let refused = try await line.run(results + ["--environment", "production"], sender)
    #expect(refused.status == 64)
    #expect(refused.errors.contains("each result names its own"), "\(refused.errors)")
  }
}
