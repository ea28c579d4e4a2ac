import AppTesting
import Testing

/// A catalog is replaced under the eyes of its readers.
@Suite struct CatalogReplacementTests {
  private func files(_ version: Int) -> [(path: String, text: String)] {
    [
      ("en.lproj/Localizable.strings", "TITLE = \"title \(version)\"; BODY = x;"),
      (
        "en.lproj/Localizable.stringsdict",
        "<plist><dict><key>BODY</key><string>body \(version)</string></dict></plist>"
      ),
    ]
  }

  @Test func rendersGoOnAndNeverMixTwoVersions() async throws {
    let app = try await TestApp.make(.socket)
    let path = "\(app.path)/catalogs/server"
    #expect(try await app.admin.upload(path, files(0)).status == 201)
    let id = Sample.id()
    _ = try await app.client.put(app.installation(id), Sample.report())
    let question: JSON = [
      "message": [
        "alert": [
          "title": ["key": "TITLE", "catalog": "server"],
          "body": ["key": "BODY", "catalog": "server"],
        ]
      ],
      "to": ["installation": .string(id)],
    ]
    @Sendable func version() async throws -> Int? {
      let reply = try await app.sender.post("\(app.path)/render", question)
      #expect(reply.status == 200)
      #expect(reply.json["problems"] == [])
      let alert = reply.json["payload"]["aps"]["alert"]
      let versions = [alert["title"], alert["body"]].map { text in
        text.string?.split(separator: " ").last.flatMap { Int($0) }
      }
      #expect(versions[0] == versions[1])
      return versions[0]
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask { for _ in 0..<50 { _ = try await version() } }
      }
      for number in 1...10 {
        #expect(try await app.admin.upload(path, files(number)).status == 200)
        #expect(try await version() == number)
      }
      try await group.waitForAll()
    }
  }
}
