internal import EventLoop
internal import HTTP

/// The callers that a route allows.
enum Access: Sendable, Hashable {
  /// Anyone: probes, the contract.
  case open
  /// These kinds of keys; `root` may always.
  case keys(Set<APIKeyKind>)

  static let anyKey = Access.keys(Set(APIKeyKind.allCases))
  static let backends = Access.keys([.sender, .admin])
  static let admin = Access.keys([.admin])
  static let sender = Access.keys([.sender])
  static let client = Access.keys([.client])
  static let root = Access.keys([])

  func allows(_ kind: APIKeyKind) -> Bool {
    switch self {
    case .open: true
    case .keys(let kinds): kind == .root || kinds.contains(kind)
    }
  }

  /// The kinds as the route list shows them.
  var text: String {
    switch self {
    case .open: "open"
    case .keys(let kinds): (kinds.union([.root])).map(\.rawValue).sorted().joined(separator: ",")
    }
  }
}

/// The calls with a sender key that go into the audit log. Calls with an admin or root key all do,
/// calls with a client key never.
enum SenderAudit: Sendable, Hashable {
  /// None: the route is called for each device or notification, or changes little.
  case none
  /// All: the route deletes.
  case all
  /// Exports: all calls, except those that ask for one person or token with one of the `unless`
  /// parameters. A call with the `continuedBy` parameter continues an earlier call. It is recorded
  /// when the key made no recorded call of the kind in the last hour: anybody can make up a place
  /// to go on from.
  case exports(continuedBy: String, unless: [String] = [])
}

/// The body that a route takes.
enum BodyKind: Sendable, Hashable {
  /// Nothing is read.
  case none
  /// A JSON text of at most so many bytes.
  case json(limit: Int)
  /// A JSON text of at most so many bytes; or lines of JSON, any number, read by the route itself
  /// piece by piece.
  case jsonOrLines(limit: Int)
  /// Anything of any size, read by the route itself piece by piece.
  case streamed
  /// A form with files, of at most so many bytes.
  case multipart(limit: Int)
}

extension BodyKind {
  /// Whether the body is read as JSON.
  fileprivate var isJSON: Bool {
    switch self {
    case .json, .jsonOrLines: true
    case .none, .streamed, .multipart: false
    }
  }
}

/// A route in three named steps: decode (pure) → perform (it alone awaits) → encode (pure). The
/// first and the last step see the request alone, and no database or clock, so a thread may run
/// them. Each step is timed into `Server-Timing`.
struct Endpoint: Sendable {
  let method: Method
  let pattern: String
  /// The `operationId` in openapi.yaml; also the metrics' label.
  let operation: String
  let access: Access
  let body: BodyKind
  /// Whether `{app}` in the pattern must name an app that is there.
  let needsApp: Bool
  let senderAudit: SenderAudit
  /// Whether a call may take longer than other calls, such as a call that counts everything in an
  /// app. Each wait for the database then has the limit that all waits of another call have
  /// together.
  let isLong: Bool
  let respond: @Sendable (Call) async throws -> Response

  /// A route of three steps that takes no query parameters: with any, it is refused before
  /// anything is done.
  init<Input: Sendable, Output: Sendable>(
    _ method: Method, _ pattern: String, _ operation: String, _ access: Access,
    body: BodyKind = .none, needsApp: Bool = true, encodesApart: Bool = false,
    senderAudit: SenderAudit? = nil, isLong: Bool = false,
    decode: @escaping @Sendable (Request) throws -> Input,
    perform: @escaping @Sendable (Input, Call) async throws -> Output,
    encode: @escaping @Sendable (Output, Request) throws -> Response
  ) {
    self.init(
      method, pattern, operation, access, body: body, needsApp: needsApp,
      encodesApart: encodesApart, senderAudit: senderAudit, isLong: isLong,
      decode: { request, query in
        try query.finish()
        return try decode(request)
      },
      perform: perform, encode: encode)
  }

  /// A route of three steps. A long JSON body is decoded on a thread.
  /// - Parameters:
  ///   - encodesApart: Whether the answer may be so long that a thread encodes it.
  ///   - senderAudit: By default only a `DELETE` is recorded.
  ///   - decode: Takes its parameters from the query. Parameters that it does not ask for are
  ///     refused.
  init<Input: Sendable, Output: Sendable>(
    _ method: Method, _ pattern: String, _ operation: String, _ access: Access,
    body: BodyKind = .none, needsApp: Bool = true, encodesApart: Bool = false,
    senderAudit: SenderAudit? = nil, isLong: Bool = false,
    decode: @escaping @Sendable (Request, inout QueryReader) throws -> Input,
    perform: @escaping @Sendable (Input, Call) async throws -> Output,
    encode: @escaping @Sendable (Output, Request) throws -> Response
  ) {
    @Sendable func decoded(_ request: Request) throws -> Input {
      var query = try QueryReader(request)
      let input = try decode(request, &query)
      try query.finish()
      return input
    }
    self.method = method
    self.pattern = pattern
    self.operation = operation
    self.access = access
    self.body = body
    self.needsApp = needsApp && pattern.contains("{app}")
    self.senderAudit = senderAudit ?? (method == .delete ? .all : .none)
    self.isLong = isLong
    respond = { call in
      let started = Monotonic.now()
      let (request, workers) = (call.request, call.context.shared.workers.requests)
      let input: Input
      if body.isJSON, request.body.count > Limits.loopBodyBytes {
        input = try await call.work(on: workers, bytes: request.body.count) { try decoded(request) }
      } else {
        // The client is charged whatever the answer is.
        defer { call.charge(Monotonic.now() - started) }
        input = try decoded(request)
      }
      let read = Monotonic.now()
      let output = try await perform(input, call)
      let performed = Monotonic.now()
      var response: Response
      if encodesApart {
        response = try await call.work(on: workers) { try encode(output, request) }
      } else {
        response = try encode(output, request)
      }
      let encoded = Monotonic.now()
      response.fields.append(
        "Server-Timing",
        serverTiming(
          decode: read - started, perform: performed - read, encode: encoded - performed))
      return response
    }
  }

  /// A route without input that answers at once: probes and pages. It takes any query: load
  /// balancers and links add to their addresses.
  init(
    _ method: Method, _ pattern: String, _ operation: String, _ access: Access = .open,
    respond: @escaping @Sendable (Call) async throws -> Response
  ) {
    self.method = method
    self.pattern = pattern
    self.operation = operation
    self.access = access
    body = .none
    needsApp = false
    senderAudit = .none
    isLong = false
    self.respond = respond
  }
}

/// The `Server-Timing` field (W3C Server Timing): durations in milliseconds, to the microsecond.
private func serverTiming(decode: UInt64, perform: UInt64, encode: UInt64) -> String {
  func milliseconds(_ nanoseconds: UInt64) -> String {
    let fraction = String(nanoseconds / 1000 % 1000 + 1000).dropFirst()
    return "\(nanoseconds / 1_000_000).\(fraction)"
  }
  return "decode;dur=\(milliseconds(decode)), perform;dur=\(milliseconds(perform)), "
    + "encode;dur=\(milliseconds(encode))"
}
