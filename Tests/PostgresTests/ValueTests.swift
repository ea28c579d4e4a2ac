import EventLoop
import Foundation
import Testing

@testable import Postgres

/// Values there and back, and as the server reads them.
@Suite(.timeLimit(.minutes(10))) struct ValueTests {
  private static func check<Value: PostgresValue & Equatable>(
    _ rows: [(Value, String)], _ client: PostgresClient
  ) async throws {
    for (value, text) in rows {
      try await #expect(client.read(Echo(value: value)) == [value])
      try await #expect(client.read(Text(value: value)) == [text])
    }
    let none: Value? = nil
    try await #expect(client.read(Echo(value: none)) == [nil])
  }

  @Test func scalarsAreTheSameOnBothSides() async throws {
    try await withClient { client, _ in
      let uuid = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
      try await Self.check([(true, "true"), (false, "false")], client)
      try await Self.check([(Int16.min, "-32768"), (Int16.max, "32767")], client)
      try await Self.check([(Int32.min, "-2147483648"), (0, "0")], client)
      try await Self.check(
        [(Int64.min, "-9223372036854775808"), (Int64.max, "9223372036854775807")], client)
      try await Self.check([("", ""), ("naïve 日本 🙂", "naïve 日本 🙂")], client)
      try await Self.check([(uuid, "01234567-89ab-cdef-0123-456789abcdef")], client)
      try await Self.check(
        [(Bytea([]), "\\x"), (Bytea([0, 255, 39, 92]), "\\x00ff275c")], client)
      try await Self.check(
        [(JSONB(Array(#"{"a": [1, null]}"#.utf8)), #"{"a": [1, null]}"#)], client)
      try await Self.check(
        [
          (Timestamp(microseconds: 0), "1970-01-01 00:00:00+00"),
          (Timestamp(microseconds: -1), "1969-12-31 23:59:59.999999+00"),
          (Timestamp(microseconds: 4_102_444_800_123_456), "2100-01-01 00:00:00.123456+00"),
        ], client)
    }
  }

  @Test func arraysAreTheSameOnBothSides() async throws {
    try await withClient { client, _ in
      try await Self.check([([String](), "{}"), (["a", "", "\""], #"{a,"","\""}"#)], client)
      try await Self.check([([Int32](), "{}"), ([1, -1], "{1,-1}")], client)
      try await Self.check([([Int64.max], "{9223372036854775807}")], client)
      try await Self.check([([true, false], "{t,f}")], client)
      try await Self.check([([Bytea([1]), Bytea([])], #"{"\\x01","\\x"}"#)], client)
    }
  }

  private struct ListWithNulls: Statement {
    static let sql = "SELECT ARRAY['fr', NULL, 'en']"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> [String] {
      try row.next()
    }
  }

  /// Nothing of ours writes one.
  @Test func aNullInAnArrayCostsThatElement() async throws {
    try await withClient { client, _ in
      try await #expect(client.read(ListWithNulls()) == [["fr", "en"]])
    }
  }

  private struct Column: Statement {
    static let sql = "SELECT coalesce(value, 'null') FROM unnest($1::text[]) AS value"
    let values: [String?]
    func bind(to parameters: inout Parameters) { parameters.append(column: values) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  @Test func columnsOfABatchMayHaveNulls() async throws {
    try await withClient { client, _ in
      let rows = try await client.read(Column(values: ["a", nil, ""]))
      #expect(rows == ["a", "null", ""])
      try await #expect(client.read(Column(values: [])) == [])
    }
  }

  /// Rows of a composite type, which a server reads in the order of its columns.
  private struct Rows: Statement {
    typealias Given = (id: Int32?, names: [String]?, at: Timestamp?)
    static let sql = """
      SELECT id, names, coalesce(at::text, 'null') FROM unnest($1::value_row[])
      """
    let rows: [Given]
    func bind(to parameters: inout Parameters) {
      parameters.append(rows: rows) { given, row in
        row.append(given.id)
        row.append(given.names)
        row.append(given.at)
      }
    }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String {
      let (id, names) = (try row.next(Int32?.self), try row.next([String]?.self))
      return "\(id.map(String.init) ?? "null") \(names ?? ["null"]) \(try row.next() as String)"
    }
  }

  @Test func rowsOfABatchMayHaveNullsAndArrays() async throws {
    try ScratchServer.execute(
      """
      DROP TYPE IF EXISTS value_row;
      CREATE TYPE value_row AS (id integer, names text[], at timestamptz)
      """)
    try await withClient { client, _ in
      let time = Timestamp(microseconds: 0)
      let rows = Rows(rows: [(1, ["a", ""], time), (nil, nil, nil), (-1, [], nil)])
      try await #expect(
        client.read(rows) == [
          #"1 ["a", ""] 1970-01-01 00:00:00+00"#, #"null ["null"] null"#, "-1 [] null",
        ])
      try await #expect(client.read(Rows(rows: [])) == [])
    }
  }

  private struct EndOfTime: Statement {
    static let sql = "SELECT 'infinity'::timestamptz"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Timestamp {
      try row.next()
    }
  }
  private struct WrongType: Statement {
    static let sql = "SELECT 1::bigint"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
  }
  private struct Null: Statement {
    static let sql = "SELECT null::integer"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
  }
  private struct TooFewColumns: Statement {
    static let sql = "SELECT 1"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> [Int32] {
      [try row.next(), try row.next()]
    }
  }

  @Test func rowsThatAreNotAsDescribedAreErrors() async throws {
    try await withClient { client, _ in
      func code<S: Statement>(_ statement: S) async -> PostgresError.Code? {
        do throws(PostgresError) {
          _ = try await client.read(statement)
          return nil
        } catch {
          return error.code
        }
      }
      #expect(await code(EndOfTime()) == .decoding)
      #expect(await code(WrongType()) == .decoding)
      #expect(await code(Null()) == .decoding)
      #expect(await code(TooFewColumns()) == .decoding)
    }
  }

  @Test(
    arguments: [
      [0, 0, 0, 2], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1],
      [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1], [],
    ] as [[UInt8]])
  func malformedArraysAreNone(bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes { [Int32](binary: $0) } == nil)
  }

  @Test func timesOutsidePostgreSQLsAreClamped() {
    var bytes: [UInt8] = []
    Timestamp(microseconds: .min).encode(into: &bytes)
    #expect(bytes == [0x80, 0, 0, 0, 0, 0, 0, 0])
  }
}
