import AppTesting
import Testing

@testable import App

/// The examples of `openapi.yaml` are there, fit their schemas, and are taken by the service.
@Suite struct ExampleTests {
  private static let contract = ContractDocument.shared
  static let operations = contract.operations.map(\.id)

  private func operation(_ id: String) throws -> ContractDocument.Operation {
    try #require(Self.contract.operations.first { $0.id == id })
  }

  @Test func theDocumentIsReadAsItIs() {
    #expect(Set(Self.operations) == Set(Features.all.map(\.operation)))
    #expect(Self.contract.content["info"]["title"] == "Postilion")
    #expect(Self.contract.content["openapi"] == "3.1.0")
  }

  @Test(arguments: operations)
  func anOperationIsDescribedWithExamples(id: String) throws {
    let operation = try operation(id)
    let description = operation.content["description"].string ?? ""
    #expect(description.contains("."), "no description")
    var bodies = [("request", operation.content["requestBody"])]
    bodies += Self.contract.responses(operation).map { ("\($0)", $1) }
    for (name, body) in bodies {
      for type in body["content"].names {
        let content = body["content"][type]
        let examples = Self.contract.examples(content)
        #expect(!examples.isEmpty, "\(name): no example of \(type)")
        for example in examples where type != "multipart/form-data" {
          let faults = Self.contract.faults(
            example, content["schema"], isAnswer: name != "request")
          #expect(faults == [], "\(name) \(type)")
        }
      }
    }
  }

  /// Only an id that the service gives to a delivery is an example of its own.
  @Test func eachMemberOfARequestIsInAnExample() {
    var all: Set<String> = []
    var shown: Set<String> = []
    for operation in Self.contract.operations {
      let bodies = operation.content["requestBody"]["content"]
      for type in bodies.names {
        Self.addMembers(of: bodies[type]["schema"], at: operation.id, in: nil, to: &all)
        for example in Self.contract.examples(bodies[type]) {
          Self.addMembers(of: bodies[type]["schema"], at: operation.id, in: example, to: &shown)
        }
      }
    }
    #expect(all.count > 300)
    #expect(all.subtracting(shown).sorted() == [])
  }

  /// The members of a schema and of what it is made of: those that the value has, or all.
  private static func addMembers(
    of schema: JSON, at place: String, in value: JSON?, to found: inout Set<String>
  ) {
    guard schema != .absent else { return }
    let place = schema["$ref"].string ?? place
    let schema = contract.resolved(schema)
    let properties = schema["properties"]
    for name in properties.names where properties[name]["examples"] == .absent {
      if let value, value[name] == .absent { continue }
      let member = "\(place)/\(name)"
      // A schema may contain itself, a value does not.
      if found.insert(member).inserted || value != nil {
        addMembers(of: properties[name], at: member, in: value.map { $0[name] }, to: &found)
      }
    }
    let choices = (schema["anyOf"].elements + schema["oneOf"].elements).filter { choice in
      value.map { contract.faults($0, choice).isEmpty } ?? true
    }
    for part in choices + schema["allOf"].elements {
      addMembers(of: part, at: place, in: value, to: &found)
    }
    let elements: [JSON?] = value?.elements ?? [nil]
    for element in elements {
      addMembers(of: schema["items"], at: place, in: element, to: &found)
    }
    let others = value?.names.filter { properties[$0] == .absent }.map { value?[$0] } ?? [nil]
    for other in others {
      addMembers(of: schema["additionalProperties"], at: place, in: other, to: &found)
    }
  }

  /// What an operation can be answered with at least, by what it takes.
  @Test(arguments: operations)
  func theStatusesOfAnOperationAreDescribed(id: String) throws {
    let endpoint = try #require(Features.all.first { $0.operation == id })
    var expected: Set<Int> = []
    if endpoint.access != .open { expected.formUnion([401, 403]) }
    if endpoint.needsApp { expected.insert(404) }
    switch endpoint.body {
    case .none: break
    case .streamed: expected.insert(415)
    case .json, .jsonOrLines, .multipart: expected.formUnion([400, 413, 415, 422])
    }
    let described = Set(Self.contract.responses(try operation(id)).keys)
    #expect(expected.subtracting(described).sorted() == [])
    #expect(described.contains { (200..<300).contains($0) })
  }

  /// Each request is sent as its example says, to an app that has what the examples speak of;
  /// requests without a body are sent as they are.
  @Test(arguments: operations)
  func everyExampleIsTaken(id: String) async throws {
    let operation = try operation(id)
    let (app, prepared) = try await Self.preparedApp()
    var names = prepared
    let client = app.service.client()
    if id.hasSuffix("RootKey"), id != "createRootKey" {
      let key = try await client.post("/v1/keys", ["label": "Ada"])
      names["key_id"] = key.json["id"].string
    }
    let route = try Route(id, slug: app.slug, names)
    let bodies = operation.content["requestBody"]["content"]
    var replies: [Reply] = []
    for type in bodies.names {
      for example in Self.contract.examples(bodies[type]) {
        if type == "multipart/form-data" {
          let text = example["file"][0].string ?? ""
          replies.append(
            try await client.upload(
              route.path, [("en.lproj/Localizable.strings", text)], by: route.method))
          continue
        }
        replies.append(
          try await client.send(
            route.method, route.path, body: Array((example.string ?? example.text).utf8),
            fields: [("Content-Type", type)]))
      }
    }
    if bodies == .absent { replies = [try await client.send(route.method, route.path)] }
    #expect(!replies.isEmpty)
    for (index, reply) in replies.enumerated() {
      #expect((200..<300).contains(reply.status), "\(index): \(reply.status) \(reply.text)")
    }
    if id == "importInstallations" {
      #expect(replies.allSatisfy { $0.json["rejected"] == 0 }, "\(replies.map(\.text))")
    }
  }

  /// An app with a build's strings, a device, a message and a key, and their names in paths.
  private static func preparedApp() async throws -> (TestApp, [String: String]) {
    func body(_ id: String) -> JSON {
      let operation = contract.operations.first { $0.id == id }
      return operation?.content["requestBody"]["content"]["application/json"] ?? .absent
    }
    func example(_ id: String, _ name: String? = nil) -> JSON {
      name.map { body(id)["examples"][$0]["value"] } ?? body(id)["example"]
    }
    let app = try await TestApp.make(.socket)
    for settings in contract.examples(body("putApp")) {
      #expect(try await app.service.client().put(app.path, settings).status == 200)
    }
    let report = example("putInstallation", "phone")
    let token = report["credentials"]["apns"]["token"].string ?? ""
    let id = example("render", "one")["to"]["installation"].string ?? ""
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/412",
      [("en.lproj/Localizable.strings", #""FOOD_READY" = "%@, your order is ready at %@.";"#)])
    let made = try await app.sender.put(app.installation(id), report)
    #expect(made.status == 201, "\(made.text)")
    _ = try await app.admin.put(
      "\(app.path)/messages/food_ready", example("putMessage", "texts_of_the_app"))
    _ = try await app.sender.put("\(app.path)/channels/food_ready", example("putChannel"))
    _ = try await app.sender.post(
      "\(app.path)/channels/food_ready/created", example("reportCreatedChannel"))
    _ = try await app.sender.post("\(app.path)/feedback", example("reportFeedback", "unregistered"))
    let key = try await app.admin.post("\(app.path)/keys", example("createKey", "new"))
    let webhook = try await app.admin.post(
      "\(app.path)/webhooks", ["url": "https://localhost:1/", "enabled": false])
    let names = [
      "webhook_id": webhook.json["id"].string ?? "", "installation_id": id, "token": token,
      "version": "412", "name": "food_ready",
      "key_id": key.json["id"].string ?? "",
    ]
    return (app, names)
  }
}
