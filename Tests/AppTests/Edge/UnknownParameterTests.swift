import AppTesting
import HTTP
import Testing

@testable import App

/// A parameter of the query that an operation does not know is refused before anything is done: a
/// `dry_run` that it does not have must not become the real thing.
@Suite struct UnknownParameterTests {
  /// The operations with a key. Probes and pages take any query.
  static let operations = Features.all.filter { $0.access != .open }.map(\.operation)

  /// Bodies that are read, so that nothing else is refused.
  private static let bodies: [String: JSON] = [
    "purgeInstallations": ["stale_after_days": 1], "reportFeedback": ["results": []],
    "putMessage": ["alert": ["title": "Hello"]], "reportGorushFeedback": ["platform": "android"],
    "putUserLanguage": ["language": "fr"],
    "putChannel": ["environment": "production", "type": "Match"],
  ]

  private static func route(_ operation: String, _ app: TestApp) throws -> Route {
    try Route(
      operation, slug: app.slug, ["webhook_id": Sample.id(), "delivery_id": Sample.id()])
  }

  private static func faults(
    _ query: String, of operation: String, _ app: TestApp
  ) async throws -> [String] {
    let route = try route(operation, app)
    let client = app.service.client(.inProcess, key: app.keys["root"])
    let path = "\(route.path)?\(query)"
    let reply =
      ["putCatalog", "patchCatalog"].contains(operation)
      ? try await client.upload(
        path, [("fr.lproj/Localizable.strings", "\"a\" = \"b\";")], by: route.method)
      : try await route.call(client, bodies[operation] ?? [:], query: query)
    #expect(reply.status == 422, "\(operation) \(query): \(reply.text)")
    return reply.faults
  }

  @Test(arguments: operations) func anUnknownParameterIsRefused(operation: String) async throws {
    let app = try await TestApp.make(.inProcess)
    let faults = try await Self.faults("dryrun=true", of: operation, app)
    #expect(faults == ["dryrun unknown_field"])
    #expect(try await app.stored() == "0 0 0 0")
  }

  /// What openapi.yaml describes is known, and may be there once.
  @Test(arguments: operations) func aDescribedParameterIsTakenOnce(operation: String) async throws {
    let app = try await TestApp.make(.inProcess)
    let paths = ContractDocument.shared.content["paths"]
    let endpoint = try #require(Features.all.first { $0.operation == operation })
    let path = paths[endpoint.pattern]
    let described =
      path["parameters"].elements + path[endpoint.method.name.lowercased()]["parameters"].elements
    for parameter in described.map({ ContractDocument.shared.resolved($0) })
    where parameter["in"] == "query" {
      let name =
        (try #require(parameter["name"].string)
        + (parameter["style"] == "deepObject" ? "[plan]" : ""))
        .replacing("[", with: "%5B").replacing("]", with: "%5D")
      let faults = try await Self.faults("\(name)=&\(name)=", of: operation, app)
      #expect(!faults.contains { $0.hasSuffix("unknown_field") }, "\(name): \(faults)")
      #expect(faults.contains { $0.hasSuffix("too_many") }, "\(name): \(faults)")
    }
  }

  @Test func probesAndPagesTakeAnyQuery() async throws {
    let service = try await TestService.shared()
    for path in ["/healthz", "/openapi.yaml", "/docs", "/", "/console/main.js"] {
      let reply = try await service.client(.inProcess, key: nil).get("\(path)?check=1")
      #expect(reply.status == 200, "\(path)")
    }
  }
}
