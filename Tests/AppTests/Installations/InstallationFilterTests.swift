import AppTesting
import DeviceProfile
import Foundation
import JSON
import Postgres
import Rendering
import TestSupport
import Testing

@testable import App
@testable import Registry

/// A filter of the list, and whom it lets through, in plain Swift.
struct FilterCase: Sendable, CustomStringConvertible {
  let name: String
  let value: String
  let isMet: @Sendable (Installation) -> Bool

  init(_ name: String, _ value: String, _ isMet: @escaping @Sendable (Installation) -> Bool) {
    self.name = name
    self.value = value
    self.isMet = isMet
  }

  var description: String { "\(name)=\(value)" }

  var query: String {
    let parts = [name, value].map {
      $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
    return parts.joined(separator: "=")
  }

  private static let middle = Timestamp(
    microseconds: InstallationPopulation.start + 10 * InstallationPopulation.hour)

  static let all: [FilterCase] =
    ["ada", "bob", "eve"].map { user in Self("user", user) { $0.userID == user } }
    + (InstallationPopulation.tags + ["alpha", ""]).map { tag in
      Self("tag", tag) { $0.tags.contains(tag) }
    }
    + [
      ("plan", JSONValue.string("pro"), "pro"), ("plan", .string("free"), "free"),
      ("age", .integer(7), "7"), ("age", .string("7.0"), "7.0"), ("a.b=c", .bool(true), "true"),
      ("a", .string("b=c"), "b=c"), ("gone", .string("null"), "null"),
      ("pla", .string("pro"), "pro"),
    ].map { name, value, text in
      Self("attributes[\(name)]", text) { installation in
        guard
          case .object(let members)? = installation.attributes.flatMap({
            JSONValue(parsing: Array($0.json.utf8))
          })
        else { return false }
        return members[name] == value
      }
    }
    + ["en", "EN-gb", "zh", "zh-Hant", "zh-Hans", "fr_CA", "ja"].map { range in
      Self("language", range) { installation in
        installation.languages.contains { language in
          let range = range.lowercased().replacing("_", with: "-")
          let language = language.lowercased().replacing("_", with: "-")
          return language == range || language.hasPrefix(range + "-")
        }
      }
    }
    + words + lists + attributes + comparisons + switches
    + CredentialKind.allCases.map { kind in
      Self("credential", kind.rawValue) { $0.credentials.contains { $0.place.kind == kind } }
    }
    + CredentialStatus.allCases.map { status in
      Self("status", status.rawValue) { installation in
        installation.credentials.contains { $0.value.status == status }
      }
    }
    + ["app_version", "os_version", "app_build"].flatMap { name in
      ["2.9", "3", "3.2.0", "3.2.0.0", "3.9", "5"].flatMap { text -> [FilterCase] in
        let wanted = numbers(text)
        @Sendable func of(_ installation: Installation) -> [Int]? {
          switch name {
          case "app_version": installation.appVersion.map(numbers)
          case "app_build": installation.appBuild.map(numbers)
          default: installation.osVersion.map(numbers)
          }
        }
        return [
          Self(name, text) { of($0) == wanted },
          Self("\(name)[gte]", text) {
            of($0).map { !$0.lexicographicallyPrecedes(wanted) } ?? false
          },
          Self("\(name)[lt]", text) {
            of($0).map { $0.lexicographicallyPrecedes(wanted) } ?? false
          },
        ]
      }
    }
    + [
      Self("seen_since", middle.rfc3339) { $0.lastSeenAt >= middle },
      Self("seen_until", middle.rfc3339) { $0.lastSeenAt < middle },
      Self("updated_since", middle.rfc3339) { $0.updatedAt >= middle },
      Self("updated_until", middle.rfc3339) { $0.updatedAt < middle },
      Self("registered_since", middle.rfc3339) { latest($0).map { $0 >= middle } ?? false },
      Self("registered_until", middle.rfc3339) { latest($0).map { $0 < middle } ?? false },
      Self("registered_since", "0001-01-01T00:00:00Z") { latest($0) != nil },
      Self("registered_until", "0001-01-01T00:00:00Z") { _ in false },
    ]

  private static let words: [FilterCase] =
    words("platform") { $0.platform } + words("environment") { $0.environment }
    + words("localization") { $0.localization }
    + words("background_refresh") { $0.backgroundRefresh }
    + words("authorization") { $0.authorization?.status }

  private static let zones: [FilterCase] = InstallationPopulation.timeZones.map { zone in
    Self("time_zone", zone) { $0.timeZone == zone }
  }

  private static let abilities: [FilterCase] = ["loc-key", "mutable-content", "loc"].map { name in
    Self("capability", name) { $0.capabilities.contains(name) }
  }

  private static let lists: [FilterCase] =
    zones + abilities + tagLists

  private static let tagLists: [FilterCase] = [
    Self("tags[all]", #"["beta", "news"]"#) { Set(["beta", "news"]).isSubset(of: $0.tags) },
    Self("tags[any]", #"["beta", "alpha"]"#) { $0.tags.contains("beta") },
    Self("tags[any]", #"["beta", "a \"quoted\", {odd} \\ tag"]"#) {
      !Set(["beta", InstallationPopulation.tags[2]]).isDisjoint(with: $0.tags)
    },
    Self("tags[none]", #"["beta", "news"]"#) { Set(["beta", "news"]).isDisjoint(with: $0.tags) },
  ]

  /// The value of an attribute.
  static func value(_ name: String, _ installation: Installation) -> JSONValue {
    guard
      case .object(let members)? = installation.attributes.flatMap({
        JSONValue(parsing: Array($0.json.utf8))
      })
    else { return .null }
    return members[name] ?? .null
  }

  private static func number(_ installation: Installation) -> Double? {
    switch value("when", installation) {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .string("2026-05-02"): 1_777_680_000
    case .string("2026-05-02T00:00:01Z"): 1_777_680_001
    case .string("2026-05-02T09:00:00.25+02:00"): 1_777_705_200.25
    default: nil
    }
  }

  private static let attributes: [FilterCase] = [
    Self("attributes[when][exists]", "true") { value("when", $0) != .null },
    Self("attributes[when][exists]", "false") { value("when", $0) == .null },
    Self("attributes[long][exists]", "true") { value("long", $0) != .null },
    Self("attributes[never][exists]", "true") { _ in false },
    Self("attributes[plan][in]", #"["pro", "plus"]"#) { value("plan", $0) == .string("pro") },
    Self("attributes[age][in]", #"[7, "8"]"#) { value("age", $0) != .null },
    Self("attributes[when][in]", #"[9, true, "2026-05-02"]"#) { installation in
      let values: [JSONValue] = [.integer(9), .string("9"), .bool(true), .string("2026-05-02")]
      return values.contains(value("when", installation))
    },
  ]

  private static let bounds: [(text: String, value: Double)] = [
    ("-3", -3), ("0", 0), ("9", 9), ("9.5", 9.5), ("1e9", 1e9), ("2026-05-02", 1_777_680_000),
    ("2026-05-02T02:00:01+02:00", 1_777_680_001),
  ]

  private static let comparisons: [FilterCase] = bounds.flatMap { bound -> [FilterCase] in
    let (text, value) = bound
    return [
      Self("attributes[when][gte]", text) { number($0).map { $0 >= value } ?? false },
      Self("attributes[when][gt]", text) { number($0).map { $0 > value } ?? false },
      Self("attributes[when][lte]", text) { number($0).map { $0 <= value } ?? false },
      Self("attributes[when][lt]", text) { number($0).map { $0 < value } ?? false },
    ]
  }

  private static let switches: [FilterCase] = AuthorizationSwitch.allCases.flatMap {
    name -> [FilterCase] in
    [true, false].map { value -> FilterCase in
      Self("authorization[\(name.rawValue)]", "\(value)") {
        $0.authorization?.json.contains(#""\#(name.rawValue)":\#(value)"#) ?? false
      }
    }
  }

  /// Every word of a list.
  private static func words<Word: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
    _ name: String, _ word: @escaping @Sendable (Installation) -> Word?
  ) -> [FilterCase] {
    Word.allCases.map { wanted in Self(name, wanted.rawValue) { word($0) == wanted } }
  }

  /// `3.2` → `[3, 2, 0, 0]`
  private static func numbers(_ version: String) -> [Int] {
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    return numbers + Array(repeating: 0, count: 4 - numbers.count)
  }

  static func latest(_ installation: Installation) -> Timestamp? {
    [installation.credentials[.apns], installation.credentials[.voip]]
      .compactMap(\.?.registeredAt).max()
  }
}

/// The list of installations: what its filters find, in which order, page by page.
@Suite struct InstallationFilterTests {
  /// What a list gives, page by page.
  private func ids(_ app: TestApp, _ query: String, limit: Int = 7) async throws -> [String] {
    try await app.sender.items("\(app.path)/installations?limit=\(limit)&\(query)")
      .compactMap(\.["installation_id"].string)
  }

  /// What it should give.
  private func expected(
    _ population: InstallationPopulation, _ filters: [FilterCase], _ sort: String
  ) -> [String] {
    let found = population.installations.filter { one in filters.allSatisfy { $0.isMet(one) } }
    let keyed = found.map { installation -> (Int64, String) in
      let time: Timestamp? =
        switch sort.drop(while: { $0 == "-" }) {
        case "last_seen_at": installation.lastSeenAt
        case "registered_at": FilterCase.latest(installation)
        case "installation_id": nil
        case "updated_at": installation.updatedAt
        default: installation.createdAt
        }
      return (time?.microseconds ?? 0, installation.id.text)
    }
    let ids = keyed.sorted { $0 < $1 }.map(\.1)
    return sort.hasPrefix("-") ? ids.reversed() : ids
  }

  private func populated(
    _ transport: Transport, _ count: Int
  ) async throws -> (TestApp, InstallationPopulation) {
    let app = try await TestApp.make(transport)
    let population = InstallationPopulation(count, appID: try app.id, seed: 7)
    try await population.store(in: app.service.service)
    // Someone else's, who are never found.
    let other = try await TestApp.make(transport)
    try await InstallationPopulation(40, appID: try other.id, seed: 7)
      .store(in: app.service.service)
    return (app, population)
  }

  @Test(arguments: Transport.allCases)
  func eachFilterFindsWhomItMeans(transport: Transport) async throws {
    let (app, population) = try await populated(transport, 150)
    for filter in FilterCase.all {
      #expect(
        try await ids(app, filter.query, limit: 100) == expected(population, [filter], ""),
        "\(filter)")
    }
  }

  private static let sortKeys = [
    "created_at", "last_seen_at", "updated_at", "registered_at", "installation_id",
  ]
  static let sorts = sortKeys.flatMap { [$0, "-\($0)"] }

  @Test func anUnknownOrderIsAnsweredWithThoseThatThereAre() async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.admin.get("\(app.path)/installations?sort=name")
    let detail = try #require(reply.json["errors"][0]["detail"].string)
    for key in Self.sortKeys { #expect(detail.contains(key)) }
  }

  @Test(arguments: sorts)
  func eachOrderGivesEachRowOnce(sort: String) async throws {
    let (app, population) = try await populated(.inProcess, 200)
    let filters = FilterCase.all.filter { ["ios", "ada", "active", "6"].contains($0.value) }
    for filters in [[]] + filters.map({ [$0] }) {
      let query = (filters.map(\.query) + ["sort=\(sort)"]).joined(separator: "&")
      #expect(
        try await ids(app, query) == expected(population, filters, sort), "\(query)")
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func combinationsFindWhomAllOfThemMean(seed: UInt64) async throws {
    let (app, population) = try await populated(.inProcess, 250)
    var random = SplitMix64(seed: seed)
    var found = 0
    for _ in 0..<25 {
      var filters: [FilterCase] = []
      for filter in FilterCase.all.shuffled(using: &random).prefix(
        Int.random(in: 2...4, using: &random))
      where !filters.contains(where: { $0.name == filter.name }) {
        filters.append(filter)
      }
      // With a kind of token the status is that one's.
      if filters.contains(where: { $0.name == "status" }) {
        filters.removeAll { $0.name == "credential" }
      }
      let sort = Self.sorts.randomElement(using: &random) ?? ""
      let query = (filters.map(\.query) + ["sort=\(sort)"]).joined(separator: "&")
      let ids = try await ids(app, query)
      #expect(ids == expected(population, filters, sort), "seed \(seed): \(query)")
      found += ids.count
    }
    #expect(found > 0)
  }

  @Test(arguments: CredentialKind.allCases, CredentialStatus.allCases)
  func aStatusWithAKindIsThatKinds(kind: CredentialKind, status: CredentialStatus) async throws {
    let (app, population) = try await populated(.inProcess, 100)
    let both = FilterCase("", "") { one in
      one.credentials.contains { $0.place.kind == kind && $0.value.status == status }
    }
    #expect(
      try await ids(app, "credential=\(kind.rawValue)&status=\(status.rawValue)")
        == expected(population, [both], ""))
  }

  @Test(arguments: Transport.allCases)
  func theBeginningOfATokenLeadsToItsOwner(transport: Transport) async throws {
    let (app, population) = try await populated(transport, 60)
    for installation in population.installations.prefix(20) {
      for token in installation.credentials.map(\.value.token.hex) {
        let query = "token=\(token.prefix(16).uppercased())"
        #expect(try await ids(app, query) == [installation.id.text])
        let platform = installation.platform == .ios ? "macos" : "ios"
        #expect(try await ids(app, "\(query)&platform=\(platform)") == [])
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func attributesAreFoundWhereverAFilterIs(transport: Transport) async throws {
    let (app, population) = try await populated(transport, 60)
    let paying = FilterCase("", "") {
      $0.attributes?.json.contains(#""plan":"pro""#) == true
        && $0.attributes?.json.contains(#""age":7"#) == true
    }
    let wanted = expected(population, [paying], "")
    #expect(!wanted.isEmpty)
    #expect(try await ids(app, "attributes[plan]=pro&attributes[age]=7") == wanted)
    let rendered = try await app.sender.send(
      "POST", "\(app.path)/render",
      json: [
        "message": ["alert": "Hello"],
        "to": ["filter": ["attributes[plan]": "pro", "attributes[age]": "7"]],
      ])
    let devices = rendered.text.firstMatch(of: /"devices":(\d+)/).flatMap { Int($0.output.1) }
    #expect(devices == wanted.count)
    // One with a long value is kept and found by the others.
    let long = String(repeating: "é", count: 127)
    for query in ["attributes[long]=\(long)", "attributes[]=1", "attributes[a]=1&attributes[a]=2"] {
      let path = query.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
      #expect(try await app.sender.get("\(app.path)/installations?\(path)").status == 422)
    }
  }

  /// The migrations give installations of before the same words as a report does now.
  @Test(.onOnePostgres) func theMigrationsIndexAsReportsDo() async throws {
    // Migrations change the rows of all apps: it has a database of its own.
    let service = try await TestService.start()
    let app = try await service.app()
    let population = InstallationPopulation(300, appID: try app.id, seed: 7)
    try await population.store(in: service.service)
    let migrations = Migration.all.filter {
      ["m0008_attribute_facets", "m0011_audience_facets"].contains($0.name)
    }
    #expect(migrations.count == 2)
    let database = service.database
    let orders = """
      SELECT string_agg(app_build_order::text, ' ' ORDER BY installation_id) FROM installation
      """
    let before = try await database.value(orders)
    #expect(before?.contains("{3,10}") == true)
    try await database.query(
      """
      UPDATE installation SET app_build_order = NULL, facets = ARRAY(
        SELECT facet FROM unnest(facets) AS facet WHERE facet !~
          '^[0-9]+:(attribute|has|number|time_zone|capability|authorization|switches):');
      \(migrations.map(\.sql).joined(separator: ";\n"))
      """)
    #expect(try await database.value(orders) == before)
    for installation in population.installations {
      let stored = try await database.value(
        """
        SELECT array_to_json(ARRAY(SELECT facet FROM unnest(facets) AS facet ORDER BY 1))
        FROM installation WHERE installation_id = '\(installation.id.text)'
        """)
      let facets = JSON(parsing: Array((stored ?? "").utf8)).elements.compactMap(\.string)
      // m0008 spells a number as the database does, 1e-30 with thirty digits.
      func known(_ facets: [String]) -> Set<String> {
        Set(facets.filter { !$0.contains(":attribute:4:when=") })
      }
      #expect(known(facets) == known(installation.facets.map(\.text)))
    }
    // A walk looks for a number's place behind the word of its name.
    for filter in FilterCase.all where filter.name.hasPrefix("attributes[when][") {
      #expect(try await ids(app, filter.query) == expected(population, [filter], ""), "\(filter)")
    }
    await service.stop()
  }

  /// Brackets may stand in a query as they are, though they should not.
  @Test(arguments: Transport.allCases)
  func bracketsNeedNoEncoding(transport: Transport) async throws {
    let (app, _) = try await populated(transport, 50)
    let plain = try await ids(app, "app_version[gte]=3&app_version[lt]=3.10")
    #expect(!plain.isEmpty)
    #expect(try await ids(app, "app_version%5Bgte%5D=3&app_version%5Blt%5D=3.10") == plain)
  }

  @Test(arguments: Transport.allCases)
  func aCursorIsGoodForItsOrderOnly(transport: Transport) async throws {
    let (app, _) = try await populated(transport, 10)
    let list = "\(app.path)/installations?limit=3"
    let cursor = try #require(
      try await app.admin.get("\(list)&sort=-last_seen_at").json["next_cursor"].string)
    for sort in ["", "&sort=last_seen_at", "&sort=installation_id"] {
      let reply = try await app.admin.get("\(list)\(sort)&cursor=\(cursor)")
      #expect(reply.status == 422)
      #expect(reply.faults == ["cursor unknown_value"])
    }
    #expect(
      try await app.admin.get("\(list)&sort=-last_seen_at&cursor=\(cursor)").status == 200)
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("platform=android", "platform unknown_value"),
      ("environment=test", "environment unknown_value"),
      ("localization=", "localization unknown_value"), ("status=gone", "status unknown_value"),
      ("credential=fcm", "credential unknown_value"), ("sort=name", "sort unknown_value"),
      ("sort=--created_at", "sort unknown_value"),
      ("app_version=beta", "app_version unreadable_version"),
      ("os_version[gte]=1.2.3.4.5", "os_version[gte] unreadable_version"),
      ("app_version[gt]=1", "app_version[gt] unknown_field"),
      ("registered_since=yesterday", "registered_since invalid_timestamp"),
      ("seen_until=2026-05-02", "seen_until invalid_timestamp"),
      ("platform=ios&platform=macos", "platform too_many"),
      ("updated_since=now", "updated_since invalid_timestamp"),
      ("app_build=x", "app_build unreadable_version"),
      ("authorization=maybe", "authorization unknown_value"),
      ("authorization[alert]=1", "authorization[alert] wrong_type"),
      ("authorization[vibration]=true", "authorization[vibration] unknown_field"),
      ("tags[any]=beta", "tags[any] wrong_type"), ("tags[all]=[]", "tags[all] wrong_type"),
      ("tags[none]=[1]", "tags[none]/0 unknown_value"),
      ("attributes[a][exists]=1", "attributes[a][exists] wrong_type"),
      ("attributes[a][in]=b", "attributes[a][in] wrong_type"),
      ("attributes[a][in]=[1,{}]", "attributes[a][in]/1 wrong_type"),
      ("attributes[a][gte]=many", "attributes[a][gte] unknown_value"),
      ("attributes[a][lt]=true", "attributes[a][lt] unknown_value"),
      ("attributes[][lt]=1", "attributes[][lt] too_long"),
      ("attributes[a=1", "attributes[a unknown_field"),
      ("attributes.a=1", "attributes.a unknown_field"),
    ])
  func whatIsNoFilterIsRefused(
    transport: Transport, row: (query: String, fault: String)
  ) async throws {
    let app = try await TestApp.make(transport)
    let query = row.query.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
    let reply = try await app.admin.get("\(app.path)/installations?\(query)")
    #expect(reply.status == 422)
    #expect(reply.faults == [row.fault])
  }
}
