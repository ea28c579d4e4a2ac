import AppTesting
import Testing

/// A refusal is answered at once, whatever of the request's body has not come.
@Suite struct RefusalTests {
  struct Row: Sendable {
    let method: String
    let path: String
    var key: String?
    var fields = "Content-Length: 1000"
    let status: Int
    let problem: String
  }

  private static let rows = [
    Row(method: "PUT", path: "/v1/apps/{app}", status: 401, problem: "missing_key"),
    Row(
      method: "POST", path: "/v1/apps/{app}/installations/import",
      fields: "Transfer-Encoding: chunked", status: 401, problem: "missing_key"),
    Row(
      method: "PUT", path: "/v1/apps/{app}", key: "none", status: 401, problem: "invalid_key"),
    Row(
      method: "POST", path: "/v1/apps/{app}/installations/import", key: "client", status: 403,
      problem: "key_kind_forbidden"),
    Row(method: "POST", path: "/nothing", status: 404, problem: "not_found"),
    Row(
      method: "PUT", path: "/v1/apps/none/catalogs/1", key: "admin", status: 404,
      problem: "app_not_found"),
    Row(method: "POST", path: "/healthz", status: 405, problem: "method_not_allowed"),
    Row(
      method: "PUT", path: "/v1/apps/{app}/catalogs/1", key: "admin",
      fields: "Content-Length: 100000000", status: 413, problem: "body_too_large"),
    Row(
      method: "POST", path: "/v1/apps/{app}/failures", key: "client",
      fields: "Content-Length: 1000\r\nContent-Type: text/plain", status: 415,
      problem: "unsupported_media_type"),
    Row(
      method: "POST", path: "/v1/apps/{app}/failures", key: "client",
      fields: "Content-Length: 1000\r\nContent-Encoding: gzip", status: 415,
      problem: "unsupported_content_encoding"),
  ]

  @Test func aRefusalDoesNotWaitForTheBody() async throws {
    let app = try await TestApp.make(.socket)
    let port = app.service.port
    for row in Self.rows {
      let key = row.key.map { "Authorization: Bearer \(app.keys[$0] ?? "pst_none")\r\n" } ?? ""
      let path = row.path.replacing("{app}", with: app.slug)
      let head = "\(row.method) \(path) HTTP/1.1\r\nHost: a\r\n\(key)\(row.fields)\r\n\r\n"
      let (reply, rest) = try await blocking {
        let wire = try Wire(port: port)
        try wire.send(Array(head.utf8))
        return (try wire.receive(), wire.receiveRest())
      }
      #expect(reply.status == row.status, "\(row)")
      #expect(reply.problem == row.problem, "\(row)")
      #expect(reply["connection"] == "close", "\(row)")
      #expect(reply["x-content-type-options"] == "nosniff", "\(row)")
      #expect(rest.isEmpty, "\(row)")
    }
  }

  @Test(
    arguments: [
      ("GET /healthz", "", 200), ("CONNECT example.com:443", "", 405),
      ("CONNECT /healthz", "", 405), ("GET /healthz", "Transfer-Encoding: chunked,\r\n", 400),
      ("GET /", "", 200), ("GET nowhere", "", 400), ("GET /openapi.yaml", "", 200),
    ])
  func noAnswerIsToBeGuessedAt(line: String, fields: String, status: Int) async throws {
    let port = try await TestService.shared().port
    let reply = try await blocking {
      let wire = try Wire(port: port)
      try wire.send(Array("\(line) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8))
      return try wire.receive()
    }
    #expect(reply.status == status)
    #expect(reply["x-content-type-options"] == "nosniff")
    #expect(reply["content-type"] != nil)
    #expect((reply["allow"] != nil) == (status == 405))
  }
}
