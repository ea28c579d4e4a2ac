import AppTesting
import Foundation
import Testing

/// Apps and keys by the program, against a service: outputs, errors, exit codes.
@Suite struct AppCommandTests {
  @Test func anAppIsMadeChangedAndDeleted() async throws {
    let line = try await ProgramCalls()
    let root = ["POSTILION_KEY": TestService.rootKey, "POSTILION_APP": ""]
    let name = "cli-\(UUID().uuidString.lowercased().prefix(8))"
    let made = try await line.run(["app", "create", name, "--bundle-id", "com.example.cli"], root)
    #expect(made.status == 0)
    #expect(made.output == "Made the app \(name) (com.example.cli).\n")
    #expect(made.errors.isEmpty)

    let again = try await line.run(["app", "create", name, "--bundle-id", "com.other"], root)
    #expect(again.status == 73)
    #expect(again.output.isEmpty)
    #expect(again.errors.hasPrefix("postilion: There is an app \(name) already: "))

    let changed = try await line.run(
      [
        "app", "change", name, "--stale-after-days=400", "--identity-lifetime-days=7",
        "--identity-verification", "off", "--json",
      ], root)
    #expect(changed.json["stale_after_days"] == 400)
    #expect(changed.json["identity_lifetime_days"] == 7)
    #expect(changed.json["bundle_id"] == "com.example.cli")
    #expect(changed.errors.hasPrefix("warning: "))

    let shown = try await line.run(["app", "show", name], root)
    #expect(shown.output.contains("\nstale_after_days        400\n"))
    let listed = try await line.run(["app", "list", "--json"], root)
    #expect(listed.json["items"].elements.contains { $0["app"] == .string(name) })
    #expect(listed.json["next_cursor"] == .null)

    let kept = try await line.run(["app", "delete", name, "--confirm", "another"], root)
    #expect(kept.status == 64)
    #expect(try await line.run(["app", "delete", name, "--confirm", name], root).status == 0)
    #expect(try await line.run(["app", "show", name], root).status == 66)
    let gone = try await line.run(["app", "change", name, "--bundle-id", "a.b"], root)
    #expect(gone.status == 66)
    #expect(gone.errors == "postilion: There is no app \(name): postilion app list shows all.\n")
  }

  /// Each stores its own among those of the others, however they come.
  @Test func descriptionsThatComeTogetherAreAllKept() async throws {
    let line = try await ProgramCalls()
    let root = ["POSTILION_KEY": TestService.rootKey]
    let text = #"{"content_state": {"step": "string"}, "attributes": {"order": "string"}}"#
    try line.make(["Ride.json": text])
    let types = ["Delivery", "Match", "Ride", "Trip"]
    try await withThrowingTaskGroup(of: Int32.self) { group in
      for type in types {
        group.addTask {
          try await line.run(
            ["activity", "describe", type, line.directory + "/Ride.json"], root
          ).status
        }
      }
      for try await status in group { #expect(status == 0) }
    }
    let shown = try await line.run(["app", "show", line.app.slug, "--json"], root)
    #expect(shown.json["activity_types"].names == types, "\(shown.output)")
  }

  @Test func aKeyIsPrintedAloneAndRevoked() async throws {
    let line = try await ProgramCalls()
    let made = try await line.run(["key", "create", "sender", "--label", "shop"])
    #expect(made.status == 0)
    #expect(made.output.wholeMatch(of: /pst_sender_\S{32}\n/) != nil)
    let id = try #require(made.errors.firstMatch(of: /has the id (\S+) and/)?.output.1)
    let listed = try await line.run(["key", "list"])
    let row = try #require(listed.output.split(separator: "\n").first { $0.hasPrefix(id) })
    #expect(row.contains(#/  sender  shop  .*Z  -$/#))
    #expect(listed.output.hasPrefix("ID  "))
    #expect(try await line.run(["key", "revoke", String(id)]).status == 0)
    let after = try await line.run(["key", "list", "--json"])
    let key = after.json["items"].elements.first { $0["id"] == .string(String(id)) }
    #expect(key?["revoked_at"] != .null)
  }

  @Test func faultsOfTheInputAreLinesWithTheirPlaces() async throws {
    let line = try await ProgramCalls()
    let result = try await line.run(
      ["app", "create", "new-one", "--bundle-id", "no id", "--development-language", "?"],
      ["POSTILION_KEY": TestService.rootKey])
    #expect(result.status == 65)
    #expect(result.output.isEmpty)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.first?.hasPrefix("postilion: ") == true)
    #expect(lines.contains { $0.contains("/development_language: ") })
  }

  @Test(
    arguments: [
      (["app", "list"], ["POSTILION_KEY": ""], 77, "[missing_key] Give one by POSTILION_KEY"),
      (["app", "list"], ["POSTILION_KEY": "pst_admin_none"], 77, "[invalid_key]"),
      (["key", "list", "--root"], [:], 77, "[key_kind_forbidden]"),
      (["app", "show", "no-such-app"], [:], 66, "[app_not_found]"),
      (["app", "list"], ["POSTILION_URL": "http://127.0.0.1:1"], 69, "cannot be reached"),
      (["app", "list", "--url", "ftp://a"], [:], 64, "no address of a service"),
      (["app", "list", "--url", "http://a", "--profile", "p"], [:], 64, "give one."),
      (["app", "list", "--profile", "p"], [:], 78, "has no profile p"),
      (["app", "list", "--key-file", "/nowhere/key"], [:], 66, "cannot be opened"),
      (["app", "list", "--key-file", "/dev/null"], [:], 65, "/dev/null holds no key."),
      (["catalog", "list"], ["POSTILION_APP": ""], 64, "needs an app: --app NAME"),
      (["key", "revoke", "x"], ["POSTILION_APP": ""], 64, "a profile; of a root key --root."),
      (["catalog", "lsit"], [:], 64, "the nearest is list"),
      (["key", "create", "sendr"], [:], 64, "the nearest is sender"),
    ] as [([String], [String: String], Int32, String)])
  func whatGoesWrongIsOneLineAndACode(
    arguments: [String], environment: [String: String], status: Int32, words: String
  ) async throws {
    let line = try await ProgramCalls()
    let result = try await line.run(arguments, environment)
    #expect(result.status == status)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("postilion: "))
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func aProfileSaysWhereAndWho() async throws {
    let line = try await ProgramCalls()
    let nothing = ["POSTILION_URL": "", "POSTILION_KEY": "", "POSTILION_APP": ""]
    let file = ".config/postilion/profiles.json"
    try line.make([
      file: """
      {"default": {"url": "\(line.url)", "key": "\(line.app.keys["admin"] ?? "")",
       "app": "\(line.app.slug)"},
       "sender": {"url": "\(line.url)/", "key": "\(line.app.keys["sender"] ?? "")"}}
      """
    ])
    let path = "\(line.directory)/\(file)"
    chmod(path, 0o640)
    let open = try await line.run(["catalog", "list"], nothing)
    #expect(open.status == 78)
    #expect(open.errors.contains("chmod 600"))
    chmod(path, 0o600)
    #expect(try await line.run(["catalog", "list", "--json"], nothing).json["items"] == [])
    let sender = try await line.run(["app", "list", "--profile", "sender"], nothing)
    #expect(sender.errors.contains("[key_kind_forbidden]"))
    // The key of a profile goes to no other address.
    let elsewhere = try await line.run(
      ["app", "list", "--url", line.url + "/v1/.."], nothing)
    #expect(elsewhere.errors.contains("[missing_key]"), "\(elsewhere.errors)")
    try line.make(["key": "\(line.app.keys["admin"] ?? "")\n"])
    let keyed = try await line.run(
      ["app", "list", "--url", line.url, "--key-file", "\(line.directory)/key"], nothing)
    #expect(keyed.output.contains(line.app.slug))
  }
}
