import HTTP
import Testing

@Suite struct RouterTests {
  static let router: Router<String> = {
    var router = Router<String>()
    let routes: [(Method, String)] = [
      (.get, "/"), (.get, "/healthz"), (.get, "/v1/apps"), (.post, "/v1/apps"),
      (.get, "/v1/apps/{app}"), (.put, "/v1/apps/{app}"), (.get, "/v1/apps/import"),
      (.delete, "/v1/apps/{app}/keys/{id}"), (.get, "/v1/apps/{bundle}/keys"),
      (.post, "/v1/apps/import/log"), (.get, "/café"), (.post, "/v1/apps/import/{job}/log"),
    ]
    for (method, pattern) in routes { router.add(method, pattern, "\(method.name) \(pattern)") }
    return router
  }()

  /// `GET /path`, and the route with what its parameters took, `405` with `Allow`, or `404`.
  static let rows: [(String, String)] = [
    ("GET /", "GET /"),
    ("GET /healthz", "GET /healthz"),
    ("HEAD /healthz", "GET /healthz"),
    ("GET /v1/apps", "GET /v1/apps"),
    ("POST /v1/apps", "POST /v1/apps"),
    ("PUT /v1/apps", "405 GET, HEAD, POST"),
    ("OPTIONS /v1/apps", "405 GET, HEAD, POST"),
    ("HEAD /v1/apps/a/keys/1", "405 DELETE"),
    ("M-SEARCH /healthz", "405 GET, HEAD"),
    ("GET /v1/apps/com.example.mail", "GET /v1/apps/{app} app=com.example.mail"),
    ("DELETE /v1/apps/a/keys/1", "DELETE /v1/apps/{app}/keys/{id} app=a id=1"),
    ("GET /v1/apps/a/keys", "GET /v1/apps/{bundle}/keys bundle=a"),
    // A literal beats a parameter, whatever the method; where it leads nowhere, it does not.
    ("GET /v1/apps/import", "GET /v1/apps/import"),
    ("PUT /v1/apps/import", "405 GET, HEAD"),
    ("GET /v1/apps/import/keys", "GET /v1/apps/{bundle}/keys bundle=import"),
    ("DELETE /v1/apps/import/keys/1", "DELETE /v1/apps/{app}/keys/{id} app=import id=1"),
    ("POST /v1/apps/import/7/log", "POST /v1/apps/import/{job}/log"),
    // Escapes.
    ("GET /v1/%61pps", "GET /v1/apps"),
    ("GET /v1/apps/a%20b%25", "GET /v1/apps/{app} app=a b%"),
    ("GET /v1/apps/a+b", "GET /v1/apps/{app} app=a+b"),
    ("GET /caf%C3%A9", "GET /café"),
    ("GET /v1/apps/a%2Fb", "GET /v1/apps/{app} app=a/b"),
    ("GET /v1/apps/a%2fkeys", "GET /v1/apps/{app} app=a/keys"),
    ("GET /v1/apps/%2F%2f/keys", "GET /v1/apps/{bundle}/keys bundle=//"),
    ("GET /v1%2Fapps", "404"),
    ("GET /v1/apps/%2F%FF", "404"),
    ("GET /v1/apps/%00", "404"),
    ("GET /v1/apps/%", "404"),
    ("GET /v1/apps/%4", "404"),
    ("GET /v1/apps/%zz", "404"),
    ("GET /v1/apps/%FF", "404"),
    // Nothing is merged, trimmed or resolved.
    ("GET /v1/apps/", "404"),
    ("GET //v1/apps", "404"),
    ("GET /v1//apps", "404"),
    ("GET /v1/apps//keys", "404"),
    ("GET /healthz/", "404"),
    ("GET /Healthz", "404"),
    ("GET /v1/../healthz", "404"),
    ("GET /v1", "404"),
    ("GET /v1/apps/a/keys/1/2", "404"),
    ("OPTIONS *", "404"),
  ]

  @Test(arguments: rows)
  func finds(request: String, expected: String) throws {
    let parts = request.split(separator: " ", maxSplits: 1).map(String.init)
    let found: String
    switch Self.router.match(method: Method(parts[0]), path: parts[1]) {
    case .found(let route, let parameters):
      let values = ["app", "bundle", "id"].compactMap { name in
        parameters[name].map { "\(name)=\($0)" }
      }
      found = ([route] + values).joined(separator: " ")
    case .methodNotAllowed(let allow):
      found = "405 \(allow.joined(separator: ", "))"
    case .notFound:
      found = "404"
    }
    #expect(found == expected)
  }
}
