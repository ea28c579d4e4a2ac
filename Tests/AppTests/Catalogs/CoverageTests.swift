import AppTesting
import JSON
import Localization
import Postgres
import Testing

@testable import App
@testable import Content
@testable import Registry

/// What a catalog lacks, and how many devices miss it.
@Suite struct CoverageTests {
  private static func file(_ language: String, _ table: String, _ keys: String...) -> (
    path: String, text: String
  ) {
    (
      "\(language).lproj/\(table).strings",
      keys.map { "\"\($0)\" = \"\($0) in \(language)\";\n" }.joined()
    )
  }

  static let files = [
    file("en", "Localizable", "A", "B", "C", "D"), file("en", "Other", "X"),
    file("fr", "Localizable", "A", "C"), file("de", "Localizable", "A", "B", "C", "E"),
    file("de", "Other", "X"), file("zh-Hant", "Localizable", "A"),
  ]

  /// Registers as many devices as each row tells, with what it tells.
  private func register(_ app: TestApp, _ devices: [(Int, [String: JSON])]) async throws {
    for (count, more) in devices {
      for _ in 0..<count {
        var report = Sample.report()
        report["app_build"] = "412"
        for (name, value) in more { report[name] = value }
        let reply = try await app.admin.put(app.installation(Sample.id()), report)
        #expect(reply.status == 201)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func missingKeysAreWeightedByTheDevicesThatMissThem(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    #expect(try await app.admin.upload("\(app.path)/catalogs/412", Self.files).status == 201)
    try await register(
      app,
      [
        (3, ["languages": ["fr-CA", "en"]]), (1, ["languages": ["fr"]]),
        (2, ["languages": ["de-AT"]]), (2, ["languages": ["ja-JP", "zh-Hant-HK"]]),
        (4, ["languages": ["en-GB"]]), (1, ["languages": []]),
        // Nothing matches: they get English.
        (1, ["languages": ["ka-GE", "ru"]]), (1, ["languages": ["ka-US"]]),
        (1, ["languages": ["uz-Cyrl-UZ"]]), (3, ["languages": ["ja-JP"]]),
        // Of another build.
        (5, ["languages": ["fr"], "app_build": "413"]),
      ])
    let reply = try await app.admin.get("\(app.path)/catalogs/412/coverage")
    #expect(reply.status == 200)
    #expect(reply["server-timing"]?.contains("perform;dur=") == true)
    func keys(_ names: String...) -> JSON {
      .array(names.map { ["table": $0 == "X" ? "Other" : "Localizable", "key": .string($0)] })
    }
    #expect(
      reply.json == [
        "version": "412", "keys": 6, "devices": 19,
        "builds_without_catalog": [["app_build": "413", "app_version": .null, "devices": 5]],
        "languages": [
          [
            "language": "fr", "devices": 4, "keys": 2, "missing": 4,
            "missing_keys": keys("B", "D", "E", "X"),
          ],
          [
            "language": "en", "devices": 11, "keys": 5, "missing": 1, "missing_keys": keys("E"),
          ],
          [
            "language": "zh-Hant", "devices": 2, "keys": 1, "missing": 5,
            "missing_keys": keys("B", "C", "D", "E", "X"),
          ],
          ["language": "de", "devices": 2, "keys": 5, "missing": 1, "missing_keys": keys("D")],
        ],
        "messages": [],
        "unserved_devices": 6,
        "unserved": [
          ["language": "ja", "devices": 3], ["language": "ka", "devices": 2],
          ["language": "uz-Cyrl", "devices": 1],
        ],
        "counted_at": reply.json["counted_at"],
      ])
    // Texts and languages are an admin's.
    #expect(try await app.sender.get("\(app.path)/catalogs/412/coverage").status == 403)
    #expect(
      try await app.admin.get("\(app.path)/catalogs/413/coverage").problem == "catalog_not_found")
  }

  /// Each device counts where a rendering would look for its texts.
  @Test func devicesCountForTheCatalogThatTheyUse() async throws {
    let app = try await TestApp.make(.inProcess)
    for version in ["412", "3.2", "server"] {
      _ = try await app.admin.upload("\(app.path)/catalogs/\(version)", Self.files)
    }
    try await register(
      app,
      [
        (1, ["app_build": "412", "app_version": "3.2"]), (2, ["app_build": "412"]),
        (4, ["app_build": "410", "app_version": "3.2"]),
        (8, ["app_build": .null, "app_version": "3.2"]), (16, ["app_build": "3.2"]),
        (32, ["app_build": .null]),
      ])
    // Devices of another app do not count.
    try await register(try await TestApp.make(.inProcess), [(1, [:])])
    for (version, devices) in [("412", 3), ("3.2", 28), ("server", 63)] {
      let json = try await app.admin.get("\(app.path)/catalogs/\(version)/coverage").json
      #expect(json["devices"].whole == devices, "\(version)")
    }
  }

  @Test func theLanguageThatTheBackendChoseIsTheFirst() async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload("\(app.path)/catalogs/412", Self.files)
    try await register(app, [(2, ["languages": ["en"], "user": ["id": "u1"]])])
    _ = try await app.sender.put("\(app.path)/users/u1/language", ["language": "de"])
    let coverage = try await app.admin.get("\(app.path)/catalogs/412/coverage").json
    #expect(coverage["languages"][0]["language"] == "de")
    #expect(coverage["languages"][0]["devices"] == 2)
  }

  /// Whatever a population looks like, each device is counted once, where its bundle looks.
  @Test func everyDeviceOfAPopulationIsCountedOnce() async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload("\(app.path)/catalogs/server", Self.files)
    let population = InstallationPopulation(300, appID: try app.id, seed: 5)
    try await population.store(in: app.service.service)
    let coverage = try await app.admin.get("\(app.path)/catalogs/server/coverage").json
    func counts(_ rows: JSON) -> [String: Int] {
      Dictionary(
        uniqueKeysWithValues: rows.elements.map {
          ($0["language"].string ?? "", $0["devices"].whole ?? 0)
        }
      ).filter { $0.value > 0 }
    }
    // Of the population's languages, these are what each comes to.
    let localizations = [
      "en": "en", "en-GB": "en", "zh-Hant-HK": "zh-Hant", "fr-CA": "fr", "de": "de",
    ]
    let picked = population.installations.map { installation in
      installation.languages.compactMap { localizations[$0] }.first
    }
    #expect(
      counts(coverage["languages"])
        == Dictionary(grouping: picked) { $0 ?? "en" }.mapValues(\.count))
    let unserved = zip(population.installations, picked)
      .compactMap { $1 == nil ? $0.languages.first : nil }
      .map { $0.replacing("_", with: "-") }
    #expect(
      counts(coverage["unserved"]) == Dictionary(grouping: unserved) { $0 }.mapValues(\.count))
    #expect(coverage["unserved_devices"].whole == unserved.count)
    #expect(coverage["devices"] == 300)
  }

  @Test func whatIsNamedIsBounded() async throws {
    let app = try await TestApp.make(.inProcess)
    let keys = (100..<250).map { "\"K\($0)\" = \"v\";\n" }.joined()
    let files = [
      (path: "en.lproj/Localizable.strings", text: keys),
      (path: "fr.lproj/Localizable.strings", text: "\"K100\" = \"v\";\n"),
    ]
    _ = try await app.admin.upload("\(app.path)/catalogs/412", files)
    let all = try await app.admin.get("\(app.path)/catalogs/412/coverage").json
    let french = try #require(all["languages"].elements.first { $0["language"] == "fr" })
    #expect(french["missing"] == 149)
    #expect(french["missing_keys"].elements.count == 100)
    #expect(french["missing_keys"][0] == ["table": "Localizable", "key": "K101"])

    var report = CoverageReport(
      of: Catalog(developmentLanguage: "en", tables: []), version: "1",
      countedAt: Timestamp(microseconds: 0))
    for devices in 100..<250 {
      let name =
        "q" + String(UnicodeScalar(UInt8(97 + devices % 26)))
        + String(UnicodeScalar(UInt8(97 + devices / 26)))
      report.add([LanguageTag(name)].compactMap { $0 }, chain: ["en"], devices: devices)
    }
    let json = JSON(parsing: report.json)
    #expect(json["unserved"].elements.count == 100)
    #expect(json["unserved"][0] == ["language": "qpj", "devices": 249])
    #expect(json["unserved_devices"].whole == (100..<250).reduce(0, +))
  }

  @Test func anOlderCountMayDo() async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload("\(app.path)/catalogs/412", Self.files)
    let path = "\(app.path)/catalogs/412/coverage"
    #expect(try await app.admin.get("\(path)?max_age=3600").json["devices"] == 0)
    try await register(app, [(1, [:])])
    #expect(try await app.admin.get("\(path)?max_age=3600").json["devices"] == 0)
    #expect(try await app.admin.get(path).json["devices"] == 1)
    #expect(try await app.admin.get("\(path)?max_age=3600").json["devices"] == 1)
    let refused = try await app.admin.get("\(path)?max_age=x&more=1")
    #expect(refused.status == 422)
    #expect(refused.json["errors"].elements.map { $0["pointer"] } == ["max_age", "more"])
  }

  /// Names that devices invent neither stay in memory nor hide what many want.
  @Test func inventedLanguagesGiveWay() throws {
    var report = CoverageReport(
      of: Catalog(developmentLanguage: "en", tables: []), version: "1",
      countedAt: Timestamp(microseconds: 0))
    let wanted = try #require(LanguageTag("ja-JP"))
    let letters = (97...122).map { String(UnicodeScalar(UInt8($0))) }
    var devices = 0
    for first in letters {
      report.add([wanted], chain: ["en"], devices: 2)
      for second in letters {
        for third in letters {
          let invented = try #require(LanguageTag("q\(first)\(second)\(third)q"))
          report.add([invented], chain: ["en"], devices: 1)
          devices += 1
        }
      }
    }
    #expect(report.unserved.count <= Limits.coverageCounted)
    let json = JSON(parsing: report.json)
    #expect(json["unserved_devices"].whole == devices + 52)
    #expect(json["unserved"][0] == ["language": "ja", "devices": 52])
  }

  /// The rows of other apps are not touched.
  @Test func theDevicesAreFoundByTheirApp() async throws {
    let database = try await ScratchCluster.database()
    for version in ["412", CatalogKey.serverVersion] {
      let query = Query.countLanguageLists(
        key: CatalogKey(appID: 1, version: version), InstallationFilter(appID: 1), nil)
      let values = query.sql.contains("$2") ? "(1, '\(version)', '\(version)', 1)" : "(1)"
      let plan = try await database.query(
        """
        SET plan_cache_mode = force_custom_plan; SET enable_seqscan = off;
        PREPARE statement AS \(query.sql);
        EXPLAIN EXECUTE statement\(values)
        """
      ).compactMap { $0[0] }.joined(separator: "\n")
      #expect(!plan.contains("Seq Scan"), "\(plan)")
      #expect(plan.contains("Index Cond: (app_id = 1)"), "\(plan)")
    }
  }
}
