import AppTesting
import HTTP
import Testing

@testable import App

/// Who may call what: every route, with every kind of key.
@Suite struct AccessTests {
  private static let other = Task { try await TestApp.make(.inProcess) }

  /// The routes that need a key, by operation.
  static let guarded = Service.endpoints.filter { $0.access != .open }.map(\.operation)

  @Test(arguments: Transport.allCases, guarded)
  func aRouteIsClosedToWhoHasNoKey(transport: Transport, operation: String) async throws {
    let app = try await TestApp.make(transport)
    let route = try Route(operation, of: app)
    for key in [nil, "", "x", "pst_admin_", "pst_admin_0123456789abcdefghij", "pst_root_é"] {
      let reply = try await route.call(app.service.client(transport, key: key))
      #expect(reply.status == 401)
      #expect(reply.problem == (key == nil ? "missing_key" : "invalid_key"))
      #expect(reply["www-authenticate"] == #"Bearer realm="postilion""#)
    }
    for scheme in ["Basic", "Token"] {
      let reply = try await app.service.client(transport, key: nil).send(
        route.method, route.path,
        fields: [("Authorization", "\(scheme) \(app.keys["admin"] ?? "")")])
      #expect(reply.problem == "invalid_key")
    }
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test(arguments: Transport.allCases, guarded)
  func aRouteIsOpenToItsKindsOfKeysAlone(transport: Transport, operation: String) async throws {
    let app = try await TestApp.make(transport)
    let route = try Route(operation, of: app)
    for kind in ["client", "sender", "admin", "root"] {
      let client = app.service.client(transport, key: app.keys[kind])
      let reply = try await route.call(client)
      let isAllowed = route.kinds.contains(kind)
      #expect((reply.problem == "key_kind_forbidden") == !isAllowed, "\(kind)")
      #expect((reply.status == 403) == !isAllowed, "\(kind): \(reply.text)")
      #expect(reply.status != 401)
      #expect(reply.status < 500)
    }
  }

  @Test(arguments: Transport.allCases, guarded)
  func anotherAppsKeySeesNoApp(transport: Transport, operation: String) async throws {
    let (app, other) = (try await TestApp.make(transport), try await Self.other.value)
    let route = try Route(operation, of: app)
    let absent = try Route(operation, slug: "no-such-app")
    guard route.path.contains(app.slug) else { return }
    for kind in route.kinds where kind != "root" {
      let client = app.service.client(transport, key: other.keys[kind])
      for reply in [try await route.call(client), try await absent.call(client)] {
        #expect(reply.status == 404, "\(kind)")
        #expect(reply.problem == "app_not_found", "\(kind)")
      }
    }
    #expect(try await app.stored() == "0 0 0 0")
    #expect(try await app.admin.get(app.path).status == 200)
  }

  @Test(arguments: Transport.allCases) func theRestNeedsNoKey(transport: Transport) async throws {
    let service = try await TestService.shared()
    for endpoint in Service.endpoints where endpoint.access == .open {
      let reply = try await service.client(transport, key: nil).send(
        endpoint.method.name, endpoint.pattern)
      #expect(reply.status == 200, "\(endpoint.pattern)")
    }
  }

  /// One key is a bearer's word for one app: two headers are not two chances.
  @Test(arguments: Transport.allCases)
  func twoKeysAreNone(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.admin.send(
      "GET", app.path, fields: [("Authorization", "Bearer \(TestService.rootKey)")])
    #expect(reply.status == 401)
  }

  /// A route with its pattern filled in, and a body that is JSON or a form but says nothing.
  private struct Route {
    let method: String
    let path: String
    let kinds: [String]
    private let body: BodyKind

    init(_ operation: String, of app: TestApp) throws { try self.init(operation, slug: app.slug) }

    init(_ operation: String, slug: String) throws {
      let endpoint = try #require(Service.endpoints.first { $0.operation == operation })
      method = endpoint.method.name
      kinds = endpoint.access.text.split(separator: ",").map(String.init)
      body = endpoint.body
      let values = [
        "app": slug, "installation_id": Sample.id(), "key_id": Sample.id(), "version": "1",
        "kind": "apns",
      ]
      path = try endpoint.pattern.split(separator: "/").reduce("") { path, part in
        guard part.hasPrefix("{") else { return "\(path)/\(part)" }
        return "\(path)/\(try #require(values[String(part.dropFirst().dropLast())]))"
      }
    }

    func call(_ client: Client) async throws -> Reply {
      switch body {
      case .none, .streamed: try await client.send(method, path)
      case .json: try await client.send(method, path, json: [:])
      case .multipart: try await client.upload(path, [])
      }
    }
  }
}
