import AppTesting
import Testing

/// A key that a stored message needs and a build lacks is told where the build is looked at.
@Suite struct MessageCoverageTests {
  /// An app with build 415 in English and French, and devices of it.
  private func made(
    _ strings: [String: String], server: String? = nil, devices: [(Int, String)] = []
  ) async throws -> TestApp {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/415",
      strings.map { ("\($0.key).lproj/Localizable.strings", $0.value) })
    if let server {
      _ = try await app.admin.upload(
        "\(app.path)/catalogs/server", [("en.lproj/Localizable.strings", server)])
    }
    for (count, language) in devices {
      for _ in 0..<count {
        var report = Sample.report()
        report["app_build"] = "415"
        report["languages"] = [.string(language)]
        _ = try await app.admin.put(app.installation(Sample.id()), report)
      }
    }
    return app
  }

  private func coverage(_ app: TestApp, _ version: String = "415") async throws -> JSON {
    try await app.admin.get("\(app.path)/catalogs/\(version)/coverage").json
  }

  private func put(_ app: TestApp, _ name: String, _ alert: JSON) async throws {
    let reply = try await app.admin.put("\(app.path)/messages/\(name)", ["alert": alert])
    #expect(reply.status == 201)
  }

  @Test func aKeyThatNoLanguageHasCounts() async throws {
    let app = try await made(
      ["en": "A = a;", "fr": "A = a;"], devices: [(2, "fr"), (1, "en"), (1, "ja")])
    try await put(app, "courier", ["body": ["key": "COURIER"]])
    try await put(app, "fine", ["body": ["key": "A"]])
    try await put(app, "own", ["title": ["text": ["en": "T"]], "body": ["key": "NONE"]])
    let coverage = try await coverage(app)
    let keys: JSON = [
      ["table": "Localizable", "key": "COURIER"], ["table": "Localizable", "key": "NONE"],
    ]
    #expect(
      coverage["messages"] == [
        [
          "message": "courier", "shows_nothing": true, "keys": [keys[0]], "languages": [],
          "devices": 4,
          "detail": "Message courier shows nothing in build 415, in all languages, 4 devices.",
        ],
        [
          "message": "own", "shows_nothing": false, "keys": [keys[1]], "languages": [],
          "devices": 4,
          "detail": "Message own lacks a text in build 415, in all languages, 4 devices.",
        ],
      ])
    #expect(coverage["keys"] == 3)
    for language in coverage["languages"].elements {
      #expect(language["missing"] == 2)
      #expect(language["missing_keys"] == keys)
    }
  }

  /// A build that was uploaded a minute ago is on no phone yet.
  @Test func itIsToldBeforeAnyDeviceHasTheBuild() async throws {
    let app = try await made(["en": "A = a;"])
    try await put(app, "courier", ["body": ["key": "COURIER"]])
    #expect(try await coverage(app)["messages"][0]["devices"] == 0)
    #expect(try await coverage(app)["messages"][0]["languages"] == [])
  }

  struct Lookup: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let alert: JSON
    var strings = ["en": "A = a;", "fr": "A = a;"]
    var server: String?
    /// The languages in which something is missing; nil when nothing is.
    let languages: [JSON]?
    var devices = 0
  }

  static let lookups = [
    Lookup(
      testDescription: "the server's catalog stands in", alert: ["body": ["key": "S"]],
      server: "S = s;", languages: nil),
    Lookup(
      testDescription: "the development language stands in", alert: ["body": ["key": "B"]],
      strings: ["en": "A = a; B = b;", "fr": "A = a;"], languages: nil),
    Lookup(
      testDescription: "another language does not", alert: ["body": ["key": "B"]],
      strings: ["en": "A = a;", "fr": "A = a; B = b;"], languages: ["en"], devices: 2),
    Lookup(
      testDescription: "another table is another", alert: ["body": ["key": "A", "table": "T"]],
      languages: [], devices: 3),
    Lookup(
      testDescription: "a title alone shows something",
      alert: ["title": ["key": "A"], "body": ["key": "B"]], languages: [], devices: 3),
    Lookup(
      testDescription: "a text of its own has no key", alert: ["body": "Hello"], languages: nil),
  ]

  @Test(arguments: lookups) func aKeyIsLookedForAsInARendering(lookup: Lookup) async throws {
    let app = try await made(
      lookup.strings, server: lookup.server, devices: [(1, "fr"), (1, "en"), (1, "ja")])
    try await put(app, "m", lookup.alert)
    let messages = try await coverage(app)["messages"]
    #expect(messages.elements.count == (lookup.languages == nil ? 0 : 1))
    guard let languages = lookup.languages else { return }
    #expect(messages[0]["languages"] == .array(languages))
    #expect(messages[0]["devices"].whole == lookup.devices)
  }

  /// Each branch may be the one that is picked.
  @Test func aWordWithoutItsTextIsTold() async throws {
    let app = try await made(["en": "F = f;"])
    let reply = try await app.admin.put(
      "\(app.path)/messages/m",
      [
        "alert": ["body": ["key": ["female": "F", "other": "O"]]],
        "parameters": ["who": ["type": "choice", "of": ["female", "male"]]],
      ])
    #expect(reply.status == 201, "\(reply.text)")
    #expect(
      try await coverage(app)["messages"][0]["keys"] == [["table": "Localizable", "key": "O"]])
  }

  /// Counts that are kept are not kept over a change of the messages.
  @Test func aMessageThatChangesCountsAtOnce() async throws {
    let app = try await made(["en": "A = a;"])
    let path = "\(app.path)/catalogs/415/coverage?max_age=3600"
    #expect(try await app.admin.get(path).json["messages"] == [])
    try await put(app, "courier", ["body": ["key": "COURIER"]])
    try await eventually {
      try await app.admin.get(path).json["messages"][0]["message"] == "courier"
    }
    _ = try await app.admin.delete("\(app.path)/messages/courier")
    try await eventually { try await app.admin.get(path).json["messages"] == [] }
  }

  /// As long as there is no build, the server's catalog is what messages have.
  @Test func theServersCatalogCountsAlone() async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/server", [("en.lproj/Localizable.strings", "A = a;")])
    try await put(app, "courier", ["body": ["key": "COURIER"]])
    #expect(try await coverage(app, "server")["messages"][0]["message"] == "courier")
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/1", [("en.lproj/Localizable.strings", "A = a;")])
    #expect(try await coverage(app, "server")["messages"] == [])
  }
}
