import AppTesting
import Testing

/// Catalogs: uploaded whole, replaced at once or not at all.
@Suite struct CatalogsTests {
  static let files = [
    (path: "en.lproj/Localizable.strings", text: "\"HELLO\" = \"Hello %@\";\n\"BYE\" = \"Bye\";\n"),
    (path: "fr.lproj/Localizable.strings", text: "\"HELLO\" = \"Bonjour %@\";\n"),
    (path: "fr.lproj/Menu.strings", text: "\"TEA\" = \"Th\u{E9}\";\n"),
  ]

  @Test(arguments: Transport.allCases)
  func anUploadIsShownWhole(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let created = try await app.admin.upload("\(app.path)/catalogs/3.2.0", Self.files)
    #expect(created.status == 201)
    #expect(created.json["version"] == "3.2.0")
    #expect(created.json["languages"] == ["en", "fr"])
    #expect(created.json["development_language"] == "en")
    #expect(created.json["key_count"] == 3)
    #expect(created.json["diagnostics"].elements.allSatisfy { $0["severity"] != "error" })
    #expect(try await app.admin.get("\(app.path)/catalogs/3.2.0").json == created.json)
    #expect(try await app.admin.items("\(app.path)/catalogs?") == [created.json])
    #expect(try await strings(app) == Self.entries)
  }

  static let entries = [
    "Localizable en BYE = Bye", "Localizable en HELLO = Hello %@",
    "Localizable fr HELLO = Bonjour %@", "Menu fr TEA = Th\u{E9}",
  ]

  private func strings(_ app: TestApp, _ query: String = "") async throws -> [String] {
    try await app.admin.items("\(app.path)/catalogs/3.2.0/strings?limit=2\(query)").map {
      """
      \($0["table"].string ?? "") \($0["language"].string ?? "") \($0["key"].string ?? "") = \
      \($0["value"].string ?? "")
      """
    }
  }

  @Test(arguments: Transport.allCases)
  func stringsAreFiltered(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    _ = try await app.admin.upload("\(app.path)/catalogs/3.2.0", Self.files)
    #expect(try await strings(app, "&language=fr") == Array(Self.entries[2...]))
    #expect(try await strings(app, "&table=Menu") == Array(Self.entries[3...]))
    #expect(try await strings(app, "&key=HELLO") == Array(Self.entries[1...2]))
    #expect(try await strings(app, "&key=HELLO&language=en") == [Self.entries[1]])
    #expect(try await strings(app, "&key=hello") == [])
    let absent = try await app.admin.get("\(app.path)/catalogs/9/strings")
    #expect(absent.status == 404)
    #expect(absent.problem == "catalog_not_found")
  }

  @Test(arguments: Transport.allCases)
  func aReplacementIsUsedAtOnce(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    _ = try await app.admin.upload("\(app.path)/catalogs/3.2.0", Self.files)
    #expect(try await strings(app).count == 4)
    let replaced = try await app.admin.upload(
      "\(app.path)/catalogs/3.2.0", [("de.lproj/Localizable.strings", "\"BYE\" = \"Auf\";")])
    #expect(replaced.status == 200)
    #expect(replaced.json["languages"] == ["de"])
    #expect(try await strings(app) == ["Localizable de BYE = Auf"])
    #expect(
      try await app.service.database.value(
        """
        SELECT count(*) FROM catalog_file JOIN app ON app.id = app_id WHERE slug = '\(app.slug)'
        """) == "1")
  }

  @Test(arguments: Transport.allCases)
  func anErrorKeepsTheOldOne(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/catalogs/3.2.0"
    let old = try await app.admin.upload(path, Self.files).json
    let refused = try await app.admin.upload(
      path,
      [
        ("en.lproj/Localizable.strings", "\"HELLO\" = \"Hi\";"),
        ("fr.lproj/Localizable.strings", "\"HELLO\" = \"Salut\"\n\"BYE\" = ;"),
      ])
    #expect(refused.status == 422)
    #expect(refused.problem == "invalid_input")
    #expect(refused.faults.first?.hasPrefix("fr.lproj/Localizable.strings:") == true)
    #expect(try await app.admin.get(path).json == old)
    #expect(try await strings(app) == Self.entries)
  }

  @Test(arguments: Transport.allCases)
  func anUploadWithoutFilesIsRefused(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/catalogs/1"
    let empty = try await app.admin.upload(path, [])
    #expect((400...422).contains(empty.status))
    #expect(empty.problem != nil)
    let json = try await app.admin.put(path, [:])
    #expect(json.status == 415)
    let torn = try await app.admin.send(
      "PUT", path, body: Array("--b\r\nContent-Disposition: form-data".utf8),
      fields: [("Content-Type", "multipart/form-data; boundary=b")])
    #expect(torn.status == 400)
    #expect(torn.problem == "malformed_body")
    let unnamed = try await app.admin.send(
      "PUT", path, body: Array("--b\r\n\r\nx\r\n--b--\r\n".utf8),
      fields: [("Content-Type", "multipart/form-data")])
    #expect(unnamed.status == 415)
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test func twoFilesOfOnePathAreRefused() async throws {
    let app = try await TestApp.make(.inProcess)
    let twice = [Self.files[0], Self.files[0]]
    let refused = try await app.admin.upload("\(app.path)/catalogs/1", twice)
    #expect(refused.status == 422)
    #expect(refused.faults == ["en.lproj/Localizable.strings:1:1 duplicate_file"])
  }

  @Test(arguments: Transport.allCases)
  func aVersionHasAnUpperBound(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let long = String(repeating: "1", count: 65)
    #expect(try await app.admin.upload("\(app.path)/catalogs/\(long)", Self.files).status == 422)
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test(arguments: Transport.allCases)
  func aDeletedCatalogIsGone(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for version in ["1", "2", "3"] {
      _ = try await app.admin.upload("\(app.path)/catalogs/\(version)", Self.files)
    }
    _ = try await app.admin.get("\(app.path)/catalogs/2/strings")
    #expect(try await app.admin.delete("\(app.path)/catalogs/2").status == 204)
    for path in ["catalogs/2", "catalogs/2/strings"] {
      #expect(try await app.admin.get("\(app.path)/\(path)").problem == "catalog_not_found")
    }
    #expect(try await app.admin.delete("\(app.path)/catalogs/2").problem == "catalog_not_found")
    let left = try await app.admin.items("\(app.path)/catalogs?limit=1")
    #expect(left.map { $0["version"] } == ["1", "3"])
  }

  /// A number that PostgreSQL holds, and no `Double` does.
  @Test func diagnosticsAreShownAsTheyAreStored() async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/catalogs/1"
    _ = try await app.admin.upload(path, Self.files)
    try await app.service.database.query(
      """
      UPDATE catalog SET diagnostics = '[1e400]' FROM app
      WHERE app.id = app_id AND slug = '\(app.slug)'
      """)
    var admin = app.admin
    admin.isChecked = false
    let shown = try await admin.get(path)
    #expect(shown.status == 200)
    #expect(shown.text.contains("\"diagnostics\":[1\(String(repeating: "0", count: 400))]"))
  }

  @Test func anotherInstanceUsesAReplacement() async throws {
    let first = try await TestService.start()
    let second = try await TestService.start(database: first.database)
    let app = try await first.app()
    let elsewhere = second.client(key: TestService.rootKey)
    let path = "\(app.path)/catalogs/1"
    _ = try await app.admin.upload(path, Self.files)
    try await eventually { try await elsewhere.get("\(path)/strings").status == 200 }
    _ = try await app.admin.upload(path, [("de.lproj/A.strings", "\"K\" = \"V\";")])
    // Nothing but the notice of the change tells the other instance.
    try await eventually {
      try await elsewhere.get("\(path)/strings").json["items"][0]["table"] == "A"
    }
    await first.stop()
    await second.stop()
  }
}
