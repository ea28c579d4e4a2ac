import AppTesting
import DeviceProfile
import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@testable import App
@testable import Registry

/// Filters that are put together by "all", "any" and "not": the grammar with its faults, and that
/// SQL and memory mean the same.
@Suite struct InstallationConditionTests {
  private func populated(_ count: Int) async throws -> (TestApp, InstallationPopulation) {
    let app = try await TestApp.make(.inProcess)
    let population = InstallationPopulation(count, appID: try app.id, seed: 21)
    try await population.store(in: app.service.service)
    let other = try await TestApp.make(.inProcess)
    try await InstallationPopulation(40, appID: try other.id, seed: 21)
      .store(in: app.service.service)
    return (app, population)
  }

  /// Names are their bytes, in memory as in the database.
  @Test func aPersonOfAnotherSpellingIsAnother() throws {
    let id = try #require(InstallationID(Sample.id()))
    let time = Timestamp(microseconds: 0)
    var installation = Installation(
      appID: 1, id: id, revision: 1, platform: .ios, environment: .production, createdAt: time,
      updatedAt: time, lastSeenAt: time)
    installation.userID = "caf\u{E9}"
    var filter = InstallationFilter(appID: 1)
    for (user, isMet) in [("caf\u{E9}", true), ("cafe\u{301}", false)] {
      filter.userIDs = [user]
      #expect(InstallationCondition.filter(filter).holds(for: installation) == isMet)
    }
  }

  private func encoded(_ json: String) -> String {
    json.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  private func ids(
    _ app: TestApp, _ query: String, limit: Int = 100
  ) async throws -> [String] {
    try await app.sender.items("\(app.path)/installations?limit=\(limit)&\(query)")
      .compactMap(\.["installation_id"].string)
  }

  /// One filter as a member of an object, and what it means.
  private static func member(_ filter: FilterCase) -> String {
    let isAttribute = filter.name.hasPrefix("attributes[") && !filter.name.contains("][")
    let isJSON = filter.name.hasSuffix("]") && !isAttribute
    let isRaw =
      isJSON && JSONValue(parsing: Array(filter.value.utf8)) != nil
      && !filter.name.hasPrefix("app_") && !filter.name.hasPrefix("os_")
    let value = isRaw ? filter.value : JSONValue.string(filter.value).jsonText
    return "\(JSONValue.string(filter.name).jsonText):\(value)"
  }

  /// A random condition as JSON, and its meaning in plain Swift.
  private static func condition(
    _ depth: Int, _ random: inout SplitMix64
  ) -> (json: String, isMet: @Sendable (Installation) -> Bool) {
    var members: [String: String] = [:]
    var meanings: [@Sendable (Installation) -> Bool] = []
    let composed = depth < 3 ? Int.random(in: 0...(depth == 0 ? 2 : 1), using: &random) : 0
    let fields = Int.random(in: composed == 0 ? 1...2 : 0...1, using: &random)
    for filter in FilterCase.all.shuffled(using: &random).prefix(fields)
    where members[filter.name] == nil && (filter.name != "status" || members["credential"] == nil)
      && (filter.name != "credential" || members["status"] == nil)
    {
      members[filter.name] = member(filter)
      meanings.append(filter.isMet)
    }
    for name in ["all", "any", "not"].shuffled(using: &random).prefix(composed) {
      let count = name == "not" ? 1 : Int.random(in: 1...(depth == 0 ? 3 : 2), using: &random)
      let parts = (0..<count).map { _ in condition(depth + 1, &random) }
      let list = parts.map { $0.json }.joined(separator: ",")
      members[name] = name == "not" ? "\"not\":\(list)" : "\"\(name)\":[\(list)]"
      let parted = parts.map { $0.isMet }
      meanings.append { installation in
        switch name {
        case "all": parted.allSatisfy { $0(installation) }
        case "any": parted.contains { $0(installation) }
        default: !parted[0](installation)
        }
      }
    }
    let all = meanings
    return (
      "{\(members.values.sorted().joined(separator: ","))}",
      { one in
        all.allSatisfy { $0(one) }
      }
    )
  }

  /// In three ways: SQL, the condition in memory, and what the test itself takes it for.
  @Test(arguments: 0..<2 as Range<UInt64>)
  func sqlAndMemoryMeanTheSame(seed: UInt64) async throws {
    let (app, population) = try await populated(200)
    var random = SplitMix64(seed: seed)
    var found = 0
    for _ in 0..<40 {
      let (json, isMet) = Self.condition(0, &random)
      let expected = population.installations.filter(isMet)
      let filter = try JSONValue(body: Array(json.utf8)).read { fields in
        InstallationFilter(reading: fields, depth: 1)
      }.body
      let condition = InstallationCondition.filter(filter)
      let held = population.installations.filter { condition.holds(for: $0) }
      #expect(held.map(\.id) == expected.map(\.id), "seed \(seed): \(json)")
      let sort = InstallationFilterTests.sorts.randomElement(using: &random) ?? ""
      // With short pages a walk ends early, and each way of finding a page is gone.
      let limit = [3, 100].randomElement(using: &random) ?? 100
      let ids = try await ids(app, "sort=\(sort)&filter=\(encoded(json))", limit: limit)
      #expect(Set(ids) == Set(expected.map(\.id.text)), "seed \(seed): \(json)")
      #expect(ids.count == expected.count, "seed \(seed): \(json)")
      found += ids.count
    }
    #expect(found > 0)
  }

  /// What only one of the branches of "any" has in its order is merged from both: the first walk
  /// finds none of the few that hold, as most of those are at the other end.
  @Test(arguments: ["updated_at", "-updated_at", "last_seen_at"])
  func branchesAreMergedInTheirOrder(sort: String) async throws {
    let (app, population) = try await populated(400)
    let start = Timestamp(
      microseconds: InstallationPopulation.start + 17 * InstallationPopulation.hour)
    let isRare: @Sendable (Installation) -> Bool = {
      $0.tags.contains("news") && FilterCase.value("when", $0) == .string("2027-02-29")
    }
    let order = try #require(InstallationSort(sort))
    let wanted = population.installations.filter { $0.updatedAt >= start || isRare($0) }
      .sorted { order.isInFront($0, of: $1) }
    #expect(wanted.contains(where: isRare))
    #expect(!wanted.allSatisfy { $0.updatedAt >= start })
    let json = #"""
      {"any": [{"updated_since": "\#(start.rfc3339)"},
        {"tag": "news", "attributes[when]": "2027-02-29"}]}
      """#
    let ids = try await ids(app, "sort=\(sort)&filter=\(encoded(json))", limit: 3)
    #expect(ids == wanted.map(\.id.text))
  }

  @Test func aFilterHoldsBesideTheParameters() async throws {
    let (app, population) = try await populated(150)
    let wanted = population.installations.filter {
      $0.platform == .ios && !$0.tags.contains("beta")
    }
    #expect(!wanted.isEmpty)
    let filter = encoded(#"{"not": {"tag": "beta"}}"#)
    #expect(
      try await Set(ids(app, "platform=ios&filter=\(filter)")) == Set(wanted.map(\.id.text)))
  }

  /// Lists, exports, statistics, coverage, renderings and dry runs of imports.
  @Test func everyPlaceReadsTheSameGrammar() async throws {
    let (app, population) = try await populated(150)
    let json = #"""
      {"any": [{"tag": "beta"}, {"attributes[age][gte]": 8}], "not": {"platform": "ios"}}
      """#
    let wanted = population.installations.filter { one in
      one.platform != .ios
        && (one.tags.contains("beta") || FilterCase.value("age", one) == .integer(8))
    }
    try #require(!wanted.isEmpty)
    let query = "filter=\(encoded(json))"

    let export = try await app.admin.send(
      "GET", "\(app.path)/installations?\(query)", fields: [("Accept", "application/x-ndjson")])
    #expect(export.text.split(separator: "\n").count == wanted.count)

    let stats = try await app.admin.get("\(app.path)/stats?\(query)&max_age=3600").json
    #expect(stats["total"].whole == wanted.count)
    #expect(stats["platform"]["ios"].whole == 0)
    let some = try await app.admin.get("\(app.path)/stats?tag=beta&platform=ios").json
    #expect(
      some["total"].whole
        == population.installations.count { $0.platform == .ios && $0.tags.contains("beta") })

    _ = try await app.admin.upload(
      "\(app.path)/catalogs/server", [("en.lproj/Localizable.strings", "\"A\" = \"a\";")])
    let coverage = try await app.admin.get("\(app.path)/catalogs/server/coverage?\(query)").json
    #expect(coverage["devices"].whole == wanted.count)

    let rendered = try await app.sender.send(
      "POST", "\(app.path)/render",
      json: ["message": ["alert": "Hello"], "to": ["filter": JSON(parsing: Array(json.utf8))]])
    let devices = rendered.text.firstMatch(of: /"devices":(\d+)/).flatMap { Int($0.output.1) }
    #expect(devices == wanted.count)

    let lines = try await app.admin.send(
      "GET", "\(app.path)/installations", fields: [("Accept", "application/x-ndjson")])
    let dry = try await app.admin.send(
      "POST", "\(app.path)/installations/import?dry_run=true&\(query)", body: lines.body,
      fields: [("Content-Type", "application/x-ndjson")])
    #expect(dry.json["unchanged"].whole == 150)
    #expect(dry.json["matching"].whole == wanted.count)
    let plain = try await app.admin.send(
      "POST", "\(app.path)/installations/import?\(query)", body: lines.body,
      fields: [("Content-Type", "application/x-ndjson")])
    #expect(plain.faults == ["filter unknown_field"])
  }

  @Test func aFilterComparesSoManyValues() async throws {
    let app = try await TestApp.make(.inProcess)
    let tags = (0..<1025).map { JSON.string("t\($0)") }
    let reply = try await app.sender.post(
      "\(app.path)/render",
      ["message": ["alert": "Hi"], "to": ["filter": ["tags[any]": .array(tags)]]])
    #expect(reply.faults == ["/to/filter too_many"])
  }

  private static let deep =
    String(repeating: #"{"not": "#, count: 9) + #"{"tag": "a"}"# + String(repeating: "}", count: 9)
  private static let long = #"{"tag": "\#(String(repeating: "x", count: 4096))"}"#

  @Test(
    arguments: [
      ("{", ["filter unknown_value"]), ("[]", ["filter wrong_type"]),
      ("{}", ["filter missing_field"]), (#"{"all": []}"#, ["filter/all too_short"]),
      (#"{"any": []}"#, ["filter/any too_short"]), (#"{"any": {}}"#, ["filter/any wrong_type"]),
      (#"{"any": [{}]}"#, ["filter/any/0 missing_field"]),
      (#"{"not": {}}"#, ["filter/not missing_field"]),
      (#"{"not": null}"#, ["filter/not wrong_type"]),
      (#"{"all": [{"tag": null}]}"#, ["filter/all/0/tag wrong_type"]),
      (
        #"{"all": [{"any": [{"platform": "tv"}, "x"]}, {"colour": "red"}]}"#,
        [
          "filter/all/0/any/0/platform unknown_value", "filter/all/0/any/1 wrong_type",
          "filter/all/1/colour unknown_field",
        ]
      ),
      (#"{"not": {"token": "0123456789"}}"#, ["filter/not/token unknown_field"]),
      (#"{"token": "0123456789"}"#, ["filter/token unknown_field"]),
      (#"{"attributes[a]": []}"#, ["filter/attributes[a] wrong_type"]),
      (#"{"attributes[a][gte]": "7"}"#, ["filter/attributes[a][gte] unknown_value"]),
      (#"{"authorization[alert]": "true"}"#, ["filter/authorization[alert] wrong_type"]),
      (#"{"tags[any]": ["a", 1]}"#, ["filter/tags[any]/1 unknown_value"]),
      (#"{"tag": "a", "tag": "b"}"#, ["filter/tag unknown_value"]),
      (deep, ["filter\(String(repeating: "/not", count: 8)) too_deep"]),
      (long, ["filter too_long"]),
    ])
  func aFaultHasAPlace(json: String, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.admin.get("\(app.path)/installations?filter=\(encoded(json))")
    #expect(reply.status == 422, "\(json)")
    #expect(reply.faults == faults, "\(json)")
  }

  @Test func anAudienceHasTheSameFaults() async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.sender.send(
      "POST", "\(app.path)/render",
      json: [
        "message": ["alert": "Hello"],
        "to": ["filter": ["any": [["tag": .null], ["not": [:]]], "attributes[a][exists]": .null]],
      ])
    #expect(
      reply.faults.sorted() == [
        "/to/filter/any/0/tag wrong_type", "/to/filter/any/1/not missing_field",
        "/to/filter/attributes[a][exists] wrong_type",
      ])
  }

  /// What a client sends is bound and never part of the text.
  @Test func noTextOfAClientIsPartOfTheSQL() throws {
    let hostile = "'; DROP TABLE installation; --$1"
    let json = JSONValue.object([
      "any": .array([
        .object(["tag": .string(hostile), "user": .string(hostile)]),
        .object(["attributes[\(hostile)][gte]": .integer(1), "tags[none]": .array([.string("a")])]),
        .object(["not": .object(["attributes[\(hostile)][exists]": .bool(true)])]),
        .object(["attributes[\(hostile)]": .string(hostile), "time_zone": .string(hostile)]),
      ])
    ])
    let filter = try json.read { InstallationFilter(reading: $0, depth: 1) }.body
    for way in [WordSearch.index, .rows] {
      #expect(!filter.condition(nil, way).text.contains("DROP"))
    }
  }
}
