import AppTesting
import TestSupport
import Testing
import Zip

/// What an upload takes away from a catalog, what it keeps, and how it comes back.
@Suite struct CatalogChangeTests {
  private static let files = [
    (path: "App/en.lproj/Localizable.strings", text: "READY = \"Ready\"; LATE = \"Late\";"),
    (path: "App/fr.lproj/Localizable.strings", text: "READY = \"Prêt\"; LATE = \"Tard\";"),
    (path: "App/fr.lproj/Menu.strings", text: "TEA = \"Thé\";"),
  ]

  private func key(_ table: String, _ key: String) -> JSON {
    ["table": .string(table), "key": .string(key)]
  }

  private func texts(_ app: TestApp) async throws -> [String] {
    try await app.admin.items("\(app.path)/catalogs/7/strings?").map {
      "\($0["language"].string ?? "") \($0["key"].string ?? "") \($0["value"].string ?? "")"
    }
  }

  private func codes(_ reply: Reply) -> [String?] {
    reply.json["diagnostics"].elements.map { $0["code"].string }
  }

  @Test(arguments: Transport.allCases)
  func aReplacementSaysWhatIsGone(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/catalogs/7"
    let created = try await app.admin.upload(path, Self.files)
    #expect(created.status == 201)
    #expect(created.json["removed_languages"] == .absent)
    let only = [(path: "fr.lproj/Localizable.strings", text: "READY = \"Prêt\";")]

    // A trial says the same, and keeps everything.
    let trial = try await app.admin.upload("\(path)?dry_run=true", only)
    #expect(trial.status == 200)
    #expect(trial["etag"] == nil)
    #expect(try await app.admin.get(path).json == created.json)

    let replaced = try await app.admin.upload(path, only)
    #expect(replaced.status == 200)
    for answer in [trial, replaced] {
      #expect(answer.json["removed_languages"] == ["en"])
      #expect(answer.json["removed_keys"] == [key("Localizable", "LATE"), key("Menu", "TEA")])
      #expect(answer.json["removed_key_count"] == 2)
      #expect(codes(answer) == ["development_language_missing"])
    }
    // It stays a finding of the catalog; what is gone was told once.
    let stored = try await app.admin.get(path)
    #expect(codes(stored) == ["development_language_missing"])
    #expect(stored.json["removed_keys"] == .absent)
    let same = try await app.admin.upload(path, only)
    #expect(same.json["removed_languages"] == [])
    #expect(same.json["removed_keys"] == [])
  }

  /// English may be called otherwise, and what `Base` has is of the development language.
  @Test(arguments: [("English", [String]()), ("Base", []), ("en_US", ["en"]), ("de", ["en"])])
  func aLanguageOfAnotherSpellingIsNotGone(folder: String, gone: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/catalogs/7"
    _ = try await app.admin.upload(path, [("en.lproj/A.strings", "K = v;")])
    let reply = try await app.admin.upload(path, [("\(folder).lproj/A.strings", "K = w;")])
    #expect(reply.json["removed_languages"].elements.compactMap(\.string) == gone)
    #expect(codes(reply) == (gone.isEmpty ? [] : ["development_language_missing"]))
  }

  @Test(arguments: Transport.allCases)
  func onlyTheFilesThatComeAreReplaced(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/catalogs/7"
    func patch(_ files: [(path: String, text: String)]) async throws -> Reply {
      try await app.admin.upload(path, files, by: "PATCH")
    }
    #expect(try await patch(Array(Self.files[..<1])).status == 201)
    let french = try await patch(Array(Self.files[1...]))
    #expect(french.status == 200)
    #expect(french.json["languages"] == ["en", "fr"])
    #expect(french.json["removed_keys"] == [])
    #expect(try await texts(app).count == 5)

    // By its path, and by the end of it.
    for place in ["App/fr.lproj", "fr.lproj", "Food/App/fr.lproj"] {
      let reply = try await patch([("\(place)/Localizable.strings", "READY = \"\(place)\";")])
      #expect(reply.json["removed_keys"] == [])
      #expect(codes(reply) == [])
      #expect(
        try await texts(app) == [
          "en LATE Late", "en READY Ready", "fr READY \(place)", "fr TEA Thé",
        ])
    }
    // What no file has any more is gone; the rest of the answer is that of the whole.
    let tea = try await patch([("App/fr.lproj/Menu.strings", "COFFEE = \"Café\";")])
    #expect(tea.json["removed_keys"] == [key("Menu", "TEA")])
    #expect(tea.json["key_count"] == 3)

    // Nothing changes by an error, nor for another state than the present one.
    let before = try await app.admin.get(path)
    let faulty = try await patch([("App/fr.lproj/Menu.strings", "A = b")])
    #expect(faulty.status == 422)
    let late = try await app.admin.upload(
      path, Self.files, by: "PATCH", fields: [("If-Match", french["etag"] ?? "")])
    #expect(late.status == 412)
    #expect(try await app.admin.get(path)["etag"] == before["etag"])
    #expect(try await app.sender.upload(path, Self.files, by: "PATCH").status == 403)
  }

  @Test func aFileThatMayBeMeantForTwoIsRefused() async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/catalogs/7"
    _ = try await app.admin.upload(
      path, [("App/en.lproj/A.strings", "K = v;"), ("Clock/en.lproj/A.strings", "K = w;")])
    let reply = try await app.admin.upload(path, [("en.lproj/A.strings", "K = x;")], by: "PATCH")
    #expect(reply.faults == ["en.lproj/A.strings:1:1 duplicate_file"])
    #expect(reply.text.contains("'App/en.lproj/A.strings' or 'Clock/en.lproj/A.strings'"))
  }

  /// Jobs that send one language each, all at the same time.
  @Test func languagesThatComeAtOnceAreAllThere() async throws {
    let app = try await TestApp.make(.socket)
    let languages = ["de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "sv", "tr"]
    try await withThrowingTaskGroup(of: Int.self) { group in
      for language in languages {
        group.addTask {
          try await app.admin.upload(
            "\(app.path)/catalogs/7", [("\(language).lproj/A.strings", "K = \(language);")],
            by: "PATCH"
          ).status
        }
      }
      let statuses = try await group.reduce(into: []) { $0.append($1) }
      #expect(statuses.sorted() == Array(repeating: 200, count: 11) + [201])
    }
    #expect(try await texts(app) == languages.map { "\($0) K \($0)" })
  }

  @Test(arguments: Transport.allCases)
  func theFilesComeBackAsTheyWere(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/catalogs/3.2.0"
    var zip = ZipBuilder([
      ("App/fr.lproj/Menu.strings", "TEA = \"Thé\"; // \u{1F375}"), ("App/read.me", "no strings"),
    ])
    zip.add("App/en.lproj/Menu.strings", [0xFF, 0xFE] + Array("K=v;".utf8).flatMap { [$0, 0] })
    #expect(
      try await app.admin.upload(path, bytes: [("strings.zip", zip.bytes)]).status == 201)
    let reply = try await app.admin.get("\(path)/files")
    #expect(reply.status == 200)
    #expect(reply["content-type"] == "application/zip")
    #expect(reply["content-disposition"] == "attachment; filename=\"strings-3.2.0.zip\"")
    let archive = try ZipArchive(reply.body, maximumCount: 10)
    #expect(
      archive.entries.map(\.path) == ["App/en.lproj/Menu.strings", "App/fr.lproj/Menu.strings"])
    #expect(try archive.bytes(of: archive.entries[0]).starts(with: [0xFF, 0xFE]))
    // What came back is what was there.
    let again = try await app.admin.upload(
      "\(app.path)/catalogs/2", bytes: [("back.zip", reply.body)])
    #expect(again.status == 201)
    #expect(again.json["localizations"] == (try await app.admin.get(path).json["localizations"]))
    #expect(try await app.admin.get("\(app.path)/catalogs/3/files").problem == "catalog_not_found")
    #expect(try await app.sender.get("\(path)/files").status == 403)
  }
}
