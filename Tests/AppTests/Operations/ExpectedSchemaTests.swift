import AppTesting
import EventLoop
import Postgres
import TestSupport
import Testing

@testable import App

/// What the program needs of the schema, and what it says of another one.
@Suite struct ExpectedSchemaTests {
  private static let expected = ExpectedSchema(
    """
    app a table
    app.id integer not null default
    app.name text not null
    app.note text
    app(id) unique
    row a type
    row.id integer
    tidy() function
    """)
  private static let whole = [
    "app a table", "app.id integer not null default", "app.name text not null", "app.note text",
    "app(id) unique", "row a type", "row.id integer", "tidy() function",
  ]

  /// Lines that the database lacks, lines that it has besides, and what is said.
  @Test(
    arguments: [
      ([], [], []),
      ([], ["app.more text", "app.extra text not null default", "app(note) unique"], []),
      (["app.note text"], [], ["app.note is missing"]),
      (
        ["app.note text"], ["app.note integer"],
        ["app.note is integer, and this release expects text"]
      ),
      (
        ["app.note text"], ["app.note text not null"],
        ["app.note is text not null, and this release expects text"]
      ),
      (
        ["app.name text not null"], ["app.name text"],
        ["app.name is text, and this release expects text not null"]
      ),
      (["app.name text not null"], ["app.name text not null default"], []),
      (
        ["app.id integer not null default"], ["app.id integer not null"],
        ["app.id is integer not null, and this release expects integer not null default"]
      ),
      (["app(id) unique"], [], ["app(id) is missing"]),
      (["tidy() function"], [], ["tidy() is missing"]),
      (["row.id integer"], [], ["row.id is missing"]),
      (
        [], ["app.extra text not null"],
        ["app.extra wants a value, and this release does not know the column"]
      ),
      // Of a table that is gone nothing else is told.
      (Array(whole[..<5]), [], ["app is missing"]),
      (
        ["app a table"], ["app a table that the account may not read"],
        ["app is a table that the account may not read, and this release expects a table"]
      ),
      (
        ["app.note text", "tidy() function"], ["row.more text"],
        ["app.note is missing", "tidy() is missing"]
      ),
    ] as [([String], [String], [String])])
  func aSchemaHasFaults(without: [String], with: [String], faults: [String]) {
    let found = Self.whole.filter { !without.contains($0) } + with
    #expect(Self.expected.faults(in: found.map(Self.part)) == faults)
  }

  private static func part(_ line: String) -> SchemaPart {
    let words = line.split(separator: " ", maxSplits: 1)
    return SchemaPart(name: String(words[0]), definition: String(words[1]))
  }

  @Test(
    arguments: [
      (["m1", "m2", "m3"], nil), (["m1", "m2", "m3", "m4"], nil), (["m3", "m2", "m1"], nil),
      (["m1", "m2"], "m3"), (["m1", "m3"], "m2"), (["m2", "m4"], "m1"), ([], "m1"),
    ] as [([String], String?)])
  func aStepIsMissing(applied: [String], missing: String?) {
    let fault = DatabaseFitness.fault(ofSteps: applied, known: ["m1", "m2", "m3"])
    #expect(
      fault
        == missing.map {
          "The schema is not current: it lacks the step \($0), which postilion migrate adds."
        })
  }

  @Test(arguments: [("m1", true), ("m3", true), ("m4", false), ("", true)])
  func aProgramIsTooOld(least: String, serves: Bool) {
    let fault = Migration.fault(ofLeast: least, known: ["m1", "m2", "m3"])
    #expect(
      fault
        == (serves
          ? nil
          : "The schema is for programs that know the step m4, and this one ends with m3: install "
            + "a newer release."))
  }

  @Test func manyFaultsAreCounted() {
    #expect(
      DatabaseFitness.fault(of: [Self.part("app a table")], Self.expected)
        == "The schema is not as this release expects: app.id is missing; app.name is missing; "
        + "app.note is missing; and 3 more.")
  }

  /// Servers that are down, of how many, and whether calls are served.
  @Test(
    arguments: [
      (0, 0, nil, nil), (0, 2, nil, nil),
      (
        1, 2, nil,
        "1 of 2 servers of the cluster cannot be reached (w0:5432): calls that need their rows "
          + "get 503."
      ),
      (2, 2, "No server of the cluster that has rows can be reached: w0:5432, w1:5432.", nil),
    ] as [(Int, Int, String?, String?)])
  func serversAreDown(down: Int, of count: Int, fault: String?, degradation: String?) {
    let servers = (0..<count).map { ClusterServer(name: "w\($0)", port: 5432) }
    let fitness = DatabaseFitness(down: Array(servers[..<down]), of: servers)
    #expect(fitness.fault == fault)
    #expect(fitness.degradation == degradation)
    #expect(fitness.serversDown == down)
  }

  /// What the program was built with is what the migrations make.
  @Test(.onOnePostgres) func theColumnsAreThoseOfTheMigrations() async throws {
    let service = try await TestService.start()
    let names = try await service.database.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND (
        relkind IN ('r', 'p', 'c')
        OR relkind = 'S' AND NOT EXISTS (
          SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'i'))
      UNION SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      """
    ).compactMap { $0.first ?? nil }
    let context = service.service.contexts[0]
    let reading = Task(executorPreference: context.loop) {
      try await context.database.read(ReadSchema(names: names))
    }
    let found = try await reading.value
    let lines = Set(found.map { "\($0.name) \($0.definition)\n" }).sorted()
    try Golden.check(lines.joined(), named: "../../sql/columns.txt")
    await service.stop()
  }
}
