import AppTesting
import HTTP
import Testing

@testable import App

/// Who may call what: every route, with every kind of key.
@Suite struct AccessTests {
  /// The routes that need a key, by operation.
  static let guarded = Features.all.filter { $0.access != .open }.map(\.operation)

  @Test(arguments: guarded)
  func aRouteIsClosedToWhoHasNoKey(operation: String) async throws {
    let app = try await TestApp.make(.socket)
    let route = try Route(operation, slug: app.slug)
    for key in [nil, "", "x", "pst_admin_", "pst_admin_0123456789abcdefghij", "pst_root_é"] {
      let reply = try await route.call(app.service.client(.socket, key: key))
      #expect(reply.status == 401)
      #expect(reply.problem == (key == nil ? "missing_key" : "invalid_key"))
      #expect(reply["www-authenticate"] == #"Bearer realm="postilion""#)
    }
    for scheme in ["Basic", "Token"] {
      let reply = try await app.service.client(.socket, key: nil).send(
        route.method, route.path,
        fields: [("Authorization", "\(scheme) \(app.keys["admin"] ?? "")")])
      #expect(reply.problem == "invalid_key")
    }
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test(arguments: guarded)
  func aRouteIsOpenToItsKindsOfKeysAlone(operation: String) async throws {
    let app = try await TestApp.make(.socket)
    let route = try Route(operation, slug: app.slug)
    for kind in ["client", "sender", "admin", "root"] {
      let client = app.service.client(.socket, key: app.keys[kind])
      let reply = try await route.call(client)
      let isAllowed = route.kinds.contains(kind)
      #expect((reply.problem == "key_kind_forbidden") == !isAllowed, "\(kind)")
      #expect((reply.status == 403) == !isAllowed, "\(kind): \(reply.text)")
      #expect(reply.status != 401)
      #expect(reply.status < 500)
      let detail = reply.json["detail"].string ?? ""
      #expect(isAllowed || route.kinds.allSatisfy(detail.contains), "\(detail)")
    }
  }

  @Test(arguments: Transport.allCases) func theRestNeedsNoKey(transport: Transport) async throws {
    let service = try await TestService.shared()
    for endpoint in Features.all where endpoint.access == .open {
      // A database that is busy is not ready within its second.
      try await eventually {
        let route = try Route(endpoint.operation, slug: "")
        return try await route.call(service.client(transport, key: nil)).status == 200
      }
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
}
