import AppTesting
import Testing

/// A token is of one of APNs' environments: under the name of the other it would pass for one that
/// works, and every notification to it would be lost.
@Suite struct EnvironmentChangeTests {
  @Test(arguments: Transport.allCases, ["PUT", "PATCH"])
  func anEnvironmentWithoutItsTokensIsRefused(transport: Transport, method: String) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let stored = try await app.sender.put(path, Sample.fullReport())
    let apns: JSON = ["token": .string(Sample.token())]
    let partial: [JSON] = [
      ["environment": "sandbox"], ["environment": "sandbox", "credentials": [:]],
      ["environment": "sandbox", "credentials": ["apns": apns]],
      ["environment": "sandbox", "credentials": ["voip": .null]],
    ]
    for report in partial {
      let refused = try await app.sender.send(method, path, json: report)
      #expect(refused.status == 422)
      #expect(refused.problem == "environment_needs_tokens")
      #expect(refused.faults == ["/environment environment_needs_tokens"])
      #expect(try await app.sender.get(path).json["credentials"] == stored.json["credentials"])
    }
    let moved = try await app.sender.send(
      method, path,
      json: ["environment": "sandbox", "credentials": ["apns": apns, "voip": .null]])
    #expect(moved.status == 200)
    #expect(moved.json["environment"] == "sandbox")
    #expect(moved.json["credentials"].names == ["apns"])
    #expect(moved.json["credentials"]["apns"]["token"] == apns["token"])

    // Back without any, as who has none has nothing to bring.
    let cleared = try await app.sender.send(
      method, path, json: ["environment": "production", "credentials": .null])
    #expect(cleared.json["credentials"] == [:])
    let bare = try await app.sender.send(method, path, json: ["environment": "sandbox"])
    #expect(bare.json["environment"] == "sandbox")
  }

  @Test func anImportRelabelsNoTokenEither() async throws {
    let app = try await TestApp.make(.inProcess)
    let id = Sample.id()
    _ = try await app.sender.put(app.installation(id), Sample.fullReport())
    let record: JSON = ["installation_id": .string(id), "environment": "sandbox"]
    let reply = try await app.admin.send(
      "POST", "\(app.path)/installations/import", body: Array(record.text.utf8))
    #expect(reply.json["rejected"] == 1)
    #expect(reply.json["errors"][0]["pointer"] == "/environment")
    #expect(reply.json["errors"][0]["code"] == "environment_needs_tokens")
    #expect(
      try await app.sender.get(app.installation(id)).json["environment"] == "production")
  }
}
