import AppTesting
import Testing

/// Those who put one thing at the same time go one after the other: each is answered as if it were
/// alone, and the last one stays.
@Suite struct ConcurrentPutTests {
  private static let created = [201] + Array(repeating: 200, count: 11)

  /// A dozen calls at once.
  private func together(
    _ call: @escaping @Sendable (Int) async throws -> Reply
  ) async throws -> [Reply] {
    try await withThrowingTaskGroup(of: Reply.self) { group in
      for number in 0..<12 { group.addTask { try await call(number) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func statuses(_ replies: [Reply]) -> [Int] { replies.map(\.status).sorted(by: >) }

  @Test func catalogsOfOneVersion() async throws {
    let app = try await TestApp.make(.socket)
    let path = "\(app.path)/catalogs/1"
    for round in 0..<3 {
      let replies = try await together { number in
        try await app.admin.upload(
          path,
          ["en", "fr"].map { ("\($0).lproj/T\(number).strings", "\"K\" = \"\(number)\";") })
      }
      #expect(statuses(replies) == (round == 0 ? Self.created : Array(repeating: 200, count: 12)))
      let tags = Set(replies.compactMap { $0["etag"] })
      #expect(tags.count == 12)
      // What is stored is one of them, whole.
      let stored = try await app.admin.get(path)
      let last = replies.filter { $0["etag"] == stored["etag"] }
      #expect(last.map(\.json["localizations"]) == [stored.json["localizations"]])
      let items = try await app.admin.items("\(path)/strings?")
      #expect(items.count == 2)
      #expect(items.allSatisfy { $0["table"].string == "T\($0["value"].string ?? "")" })
    }
  }

  @Test func catalogsThatMustBeNew() async throws {
    let app = try await TestApp.make(.socket)
    let replies = try await together { number in
      try await app.admin.upload(
        "\(app.path)/catalogs/1", [("en.lproj/T.strings", "\"K\" = \"\(number)\";")],
        fields: [("If-None-Match", "*")])
    }
    #expect(statuses(replies) == Array(repeating: 412, count: 11) + [201])
  }

  @Test func messagesOfOneName() async throws {
    let app = try await TestApp.make(.socket)
    let path = "\(app.path)/messages/hello"
    async let trials = together { number in
      try await app.admin.put("\(path)?dry_run=true", Self.message("trial \(number)"))
    }
    let replies = try await together { number in
      try await app.admin.put(path, Self.message("text \(number)"))
    }
    #expect(statuses(replies) == Self.created)
    #expect(try await statuses(trials) == Array(repeating: 200, count: 12))
    // Each of them counted once, and no trial.
    #expect(replies.compactMap { $0.json["version"].whole }.sorted() == Array(1...12))
    let stored = try await app.admin.get(path)
    #expect(stored.json["version"] == 12)
    let last = replies.filter { $0.json["version"] == 12 }
    #expect(last.map { $0["etag"] } == [stored["etag"]])
    #expect(last.map { $0.json["message"] } == [stored.json["message"]])
  }

  private static func message(_ text: String) -> JSON {
    ["alert": ["body": ["text": ["en": .string(text)]]]]
  }

  @Test func appsOfOneName() async throws {
    let app = try await TestApp.make(.socket)
    let root = app.service.client(.socket)
    let replies = try await together { number in
      try await root.put(
        "\(app.path)-2", ["bundle_id": "com.example.twice", "name": .string("\(number)")])
    }
    #expect(statuses(replies) == Self.created)
    let stored = try await root.get("\(app.path)-2")
    let last = replies.filter { $0["etag"] == stored["etag"] }
    #expect(last.map(\.json) == [stored.json])
  }

  @Test func keysOfOneApp() async throws {
    let app = try await TestApp.make(.socket)
    let replies = try await together { _ in
      try await app.admin.post("\(app.path)/keys", ["kind": "sender"])
    }
    #expect(statuses(replies) == Array(repeating: 201, count: 12))
    #expect(Set(replies.compactMap { $0.json["key"].string }).count == 12)
    #expect(try await app.admin.items("\(app.path)/keys?limit=100").count == 15)
  }
}
