internal import ASCII
internal import Crypto
internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// From a request to its answer: route, authenticate, find the app, read the body, run the route's
/// steps; every error becomes a problem document here and nowhere else.
final class Dispatcher: Sendable {
  private struct Route: Sendable {
    let endpoint: Endpoint
    let series: RequestMetrics.Series
  }

  private let router: Router<Route>
  private let unrouted: RequestMetrics.Series
  private let metrics: RequestMetrics
  private let shared: Shared

  init(_ endpoints: [Endpoint], shared: Shared) {
    self.shared = shared
    metrics = RequestMetrics(
      shared.observation, operations: endpoints.map(\.operation) + ["unrouted"])
    unrouted = metrics.series("unrouted")
    var router = Router<Route>()
    for endpoint in endpoints {
      router.add(
        endpoint.method, endpoint.pattern,
        Route(endpoint: endpoint, series: metrics.series(endpoint.operation)))
    }
    self.router = router
  }

  /// Answers one request; never throws.
  func respond(
    to head: RequestHead, _ body: any BodyReader, from peer: IPAddress?,
    on context: LoopContext
  ) async -> Response {
    let started = Monotonic.now()
    if let peer, shared.proxies.misses(peer, head) { shared.observation.proxyNotTrusted() }
    let requestID = Self.acceptedID(head) ?? context.makeRequestID()
    var began: UInt64? = started
    var series = unrouted
    var routed: (endpoint: Endpoint, request: Request)?
    var standing: FloodGuard.Standing?
    var problem: Problem?
    var response: Response
    do {
      switch router.match(method: head.method, path: head.path) {
      case .found(let route, let parameters):
        series = route.series
        var request = Request(
          head: head, parameters: parameters, requestID: requestID, peer: peer,
          now: shared.clock().wholeMilliseconds)
        // The audit log also has calls that a key may not make.
        defer { routed = (route.endpoint, request) }
        let known = Result { try authenticate(route.endpoint, &request) }
        standing = try shared.admit(request, at: started)
        // This comes before the check of the key: a program that is too old for the schema may know
        // no key.
        if route.endpoint.access != .open, let refusal = shared.observation.refusal {
          throw refusal
        }
        try known.get()
        response = try await run(route.endpoint, request, body, on: context, &began)
      case .methodNotAllowed(let allow):
        standing = try shared.admit(head, from: peer, at: started)
        let methods = allow.joined(separator: ", ")
        throw Problem(
          .methodNotAllowed, "This path takes \(methods).", fields: [("Allow", methods)])
      case .notFound:
        standing = try shared.admit(head, from: peer, at: started)
        throw Problem(.routeNotFound, "There is nothing at this path; /openapi.yaml lists what is.")
      }
    } catch {
      let found = Problem(error)
      problem = found
      response = found.response(requestID: requestID)
    }
    func client() -> IPAddress? { peer.map { shared.proxies.client(of: $0, head) } }
    if let (endpoint, request) = routed,
      let entry = request.auditEntry(
        endpoint, response.status, from: client(), shared.exports, shared.directory.snapshot.apps)
    {
      let isRecorded = await CallStart.$nanoseconds.withValue(began) {
        await context.audit.write(entry)
      }
      // An acknowledged change is on record. A caller that gets 503 makes the change again. It
      // is then the same as before; what gets its id from the service, such as a key, is made
      // twice.
      if !isRecorded, endpoint.method != .get, (200..<300).contains(response.status.code) {
        let lost = Problem(.databaseUnavailable, "The change could not be recorded: make it again.")
        (problem, response) = (lost, lost.response(requestID: requestID))
      }
    }
    response.fields.append("X-Request-Id", requestID)
    if let standing, problem?.kind != .rateLimited {
      for field in standing.fields { response.fields.append(field.name, field.value) }
    }
    metrics.answered(
      series, head, from: client(), status: response.status, nanoseconds: Monotonic.now() - started,
      requestID: requestID, problem: problem)
    return response
  }

  /// The answer to bytes that are no request.
  func rejection(_ error: ParseError, on context: LoopContext) -> Response {
    Problem(error).response(requestID: context.makeRequestID())
  }

  /// - Parameter began: The time at which the whole request was there, for ``CallStart``: the time
  ///   that the client takes to send its body is not counted.
  private func run(
    _ endpoint: Endpoint, _ request: Request, _ body: any BodyReader, on context: LoopContext,
    _ began: inout UInt64?
  ) async throws -> Response {
    try checkMediaType(endpoint.body, request.head)
    var request = request
    switch endpoint.body {
    case .none, .streamed: break
    case .jsonOrLines where request.hasLines: break
    case .json(let limit), .jsonOrLines(let limit), .multipart(let limit):
      if case .length(let length) = request.head.framing, length > limit {
        throw BodyTooLarge(limit: limit, length: length)
      }
      request = request.with(body: try await body.collect(upTo: limit))
    }
    began = endpoint.isLong ? nil : context.loop.nanoseconds
    let call = Call(request: request, context: context, bodyReader: body)
    return try await CallStart.$nanoseconds.withValue(began) { try await endpoint.respond(call) }
  }

  /// Finds the key and, where the path names one, the app; least privilege by kind of key.
  private func authenticate(_ endpoint: Endpoint, _ request: inout Request) throws {
    guard endpoint.access != .open else { return }
    let challenge = [("WWW-Authenticate", "Bearer realm=\"postilion\"")]
    guard request.head.header("authorization") != nil else {
      throw Problem(
        .missingKey, "Send an API key: Authorization: Bearer pst_….", fields: challenge)
    }
    let snapshot = shared.directory.snapshot
    guard let text = request.head.bearerCredentials, let key = APIKey(text),
      let record = snapshot.keys[SHA256.hash(key.text)]
    else {
      throw Problem(
        .invalidKey, "The API key is malformed, unknown or revoked.", fields: challenge)
    }
    shared.keyUses.note(record.id, at: request.now)
    request = request.with(key: record)
    guard endpoint.access.allows(record.kind) else {
      throw Problem(
        .keyKind,
        "This takes a key of one of the kinds \(endpoint.access.text.replacing(",", with: ", ")), "
          + "not of \(record.kind.rawValue).")
    }
    guard let name = request.parameters["app"] else { return }
    let app = AppSlug(name).flatMap { snapshot.apps[$0] }
    if let app, record.sees(app) {
      // The route of the app itself stays open: an operator sees a moving app, and deletes its
      // remains.
      if endpoint.pattern != "/v1/apps/{app}" { try app.checkMove(isChange: false) }
      request = request.with(appRecord: app)
    } else if endpoint.needsApp {
      // An app that this key may not see looks like an app that does not exist.
      throw Problem(.appNotFound, "There is no app of that name for this key.")
    }
  }

  private func checkMediaType(_ kind: BodyKind, _ head: RequestHead) throws {
    let wanted: [String]
    switch kind {
    case .none: return
    case .streamed: wanted = []
    case .json where head.method == .patch:
      wanted = ["application/merge-patch+json", "application/json"]
    case .json: wanted = ["application/json"]
    case .jsonOrLines: wanted = ["application/json", "application/x-ndjson"]
    case .multipart: wanted = ["multipart/form-data"]
    }
    if let coding = head.header("content-encoding"), !coding.isWord("identity") {
      let shown = coding.shortened(to: InputLimits.quotedNameBytes)
      throw Problem(
        .contentEncoding, "Send the body as it is, without Content-Encoding: \(shown).")
    }
    guard !wanted.isEmpty, let value = head.header("content-type") else { return }
    guard let type = MediaType(value), wanted.contains(type.essence) else {
      // RFC 5789, section 2.2.
      let accepted = head.method == .patch ? [("Accept-Patch", wanted.joined(separator: ", "))] : []
      let names = wanted.joined(separator: " or ")
      throw Problem(.mediaType, "Send the body as Content-Type: \(names).", fields: accepted)
    }
  }

  /// The request id that a proxy or client gave, so that one name follows a request everywhere.
  private static func acceptedID(_ head: RequestHead) -> String? {
    guard let id = head.header("x-request-id"), (1...64).contains(id.utf8.count),
      id.utf8.allSatisfy({
        $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
      })
    else { return nil }
    return id
  }
}
