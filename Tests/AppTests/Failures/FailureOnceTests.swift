import AppTesting
import Postgres
import Synchronization
import Testing

@testable import App
@testable import Registry

/// An app that lost the answer sends its failure again, under the id that it made.
@Suite struct FailureOnceTests {
  private static func report(_ id: String, code: Int = 3000) -> JSON {
    [
      "id": .string(id), "kind": "apns",
      "error": ["domain": "NSCocoaErrorDomain", "code": .number(Double(code))],
    ]
  }

  @Test(arguments: Transport.allCases)
  func aFailureIsStoredOnce(transport: Transport) async throws {
    let (app, other) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let id = Sample.id()
    let first = try await app.client.post("\(app.path)/failures", Self.report(id.uppercased()))
    #expect(first.status == 201)
    #expect(first.json == ["id": .string(id), "ignored": []])
    for code in [3000, 3010] {
      let again = try await app.client.post("\(app.path)/failures", Self.report(id, code: code))
      #expect(again.status == 200)
      #expect(again.json == first.json)
    }
    let listed = try await app.admin.items("\(app.path)/failures?")
    #expect(listed.map { $0["id"] } == [.string(id)])
    #expect(listed.first?["error"]["code"] == 3000)
    // An id is of its app.
    #expect(try await other.client.post("\(other.path)/failures", Self.report(id)).status == 201)
    let wrong = try await app.client.post("\(app.path)/failures", Self.report("1"))
    #expect(wrong.faults == ["/id invalid_uuid"])
  }

  @Test func sentAtTheSameTimeItIsStoredOnce() async throws {
    let app = try await TestApp.make(.socket)
    for _ in 0..<5 {
      let report = Self.report(Sample.id())
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 {
          group.addTask { try await app.client.post("\(app.path)/failures", report).status }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == Array(repeating: 200, count: 7) + [201])
    }
    #expect(try await app.stored() == "0 0 5 0")
  }

  /// Months have partitions of their own, and an app may be offline over the end of one.
  @Test func sentAgainInTheNextMonthItIsStoredOnce() async throws {
    let time = Mutex(try #require(Timestamp(rfc3339: "2026-05-31T23:59:59Z")))
    let service = try await TestService.start(clock: { time.withLock { $0 } })
    try await service.database.query(
      """
      CREATE TABLE registration_failure_june PARTITION OF registration_failure
        FOR VALUES FROM ('2026-06-01') TO ('2026-07-01')
      """)
    let app = try await service.app(.inProcess)
    let report = Self.report(Sample.id())
    #expect(try await app.client.post("\(app.path)/failures", report).status == 201)
    let june = try #require(Timestamp(rfc3339: "2026-06-01T00:00:01Z"))
    time.withLock { $0 = june }
    #expect(try await app.client.post("\(app.path)/failures", report).status == 200)
    let next = try await app.client.post("\(app.path)/failures", Self.report(Sample.id()))
    #expect(next.status == 201)
    let partitions = try await service.database.query(
      "SELECT tableoid::regclass FROM registration_failure ORDER BY received_at")
    #expect(Set(partitions.compactMap { $0[0] }).count == 2)
    await service.stop()
  }
}
