import Foundation
import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server in the memory of a test, which answers what the client calls as `openapi.yaml` says.
///
/// ```swift
/// let server = InMemoryServer()
/// let memory = DeviceMemory()
/// let client = Postilion(identityStore: memory, stateStore: memory, transport: server)
/// client.start(server.configuration)
/// ```
///
/// It knows secrets, the order of reports, tokens of all kinds and their moves, what is ignored and
/// what is refused. It does not know what only backends call, `If-Match`, claim codes, and limits
/// of calls. A JSON Web Token it takes for good or bad as the test says.
public actor InMemoryServer: PostilionTransport {
  /// What an app is started with to speak to this server; it sends at once.
  public nonisolated let configuration: PostilionConfiguration

  /// Why a person is not taken, as `identity_unproven`; `nil` if they are. It gets the name of the
  /// person and the proof, and is asked for each who is not the stored one.
  public typealias Verification = @Sendable (_ user: String, _ proof: String?) -> String?

  private let now: @Sendable () -> Date
  private let verify: Verification
  private let bundleIDs: Set<String>
  private var registry = ServerRegistry()

  /// A server without any installation.
  ///
  /// - Parameters:
  ///   - app: the name of the app.
  ///   - clientKey: the key of the kind `client`.
  ///   - now: the clock of the server.
  ///   - bundleIDs: the bundle ids of the app that a report may name; any other is refused.
  ///   - verify: says who is taken; everybody unless given.
  public init(
    app: String = "food", clientKey: String = "pst_client_test",
    now: @escaping @Sendable () -> Date = { Date() }, bundleIDs: Set<String> = [],
    verify: @escaping Verification = { _, _ in nil }
  ) {
    var configuration = PostilionConfiguration(
      server: "https://postilion.invalid", app: app, clientKey: clientKey)
    configuration.coalescing = 0
    self.configuration = configuration
    self.now = now
    self.verify = verify
    self.bundleIDs = bundleIDs
  }

  /// The installations as the service shows them, each with its `installation_id`.
  public var installations: [[String: PayloadValue]] {
    registry.installations.values.map(\.object)
  }

  /// An installation as the service shows it; `nil` if there is none.
  public func installation(_ id: UUID?) -> [String: PayloadValue]? {
    id.flatMap { registry.installations[$0]?.object }
  }

  /// The reported failures, oldest first.
  public var failures: [[String: PayloadValue]] { registry.failures }

  /// Stores an installation as a backend or an import makes it: without a secret, until the app
  /// claims it.
  ///
  /// - Parameter report: the members of a `RegistrationReport`.
  /// - Returns: the code of the problem if it is refused.
  @discardableResult
  public func addInstallation(_ id: UUID, _ report: [String: PayloadValue]) -> String? {
    let call = ServerCall(method: "PUT", id: id, secret: nil, body: .object(report), isApp: false)
    let answer = registry.report(call, at: now(), bundleIDs: bundleIDs, verify: { _, _ in nil })
    return answer.body["code"]?.string
  }

  /// Forgets an installation, as a backend does.
  public func removeInstallation(_ id: UUID) { registry.installations[id] = nil }

  /// Answers a request.
  public func send(_ request: URLRequest) async throws -> TransportResponse {
    answer(request).response
  }

  private func answer(_ request: URLRequest) -> ServerAnswer {
    guard let key = request.value(forHTTPHeaderField: "Authorization") else {
      return .problem(401, "missing_key", "An API key is needed")
    }
    guard key == "Bearer \(configuration.clientKey)" else {
      return .problem(401, "invalid_key", "The API key is not valid")
    }
    let path = Array((request.url?.pathComponents ?? []).drop { $0 != "v1" })
    guard path.count >= 4, path[1] == "apps" else { return .notFound }
    guard path[2] == configuration.app else {
      return .problem(404, "app_not_found", "There is no such app")
    }
    switch (path[3], path.count) {
    case ("installations", 5): return installation(path[4], request)
    case ("failures", 4):
      guard request.httpMethod == "POST" else { return .methodNotAllowed }
      return ServerAnswer.reading(request, maximumBytes: 16_384) {
        registry.fail($0)
      }
    default: return .notFound
    }
  }

  private func installation(_ name: String, _ request: URLRequest) -> ServerAnswer {
    guard let id = UUID(uuidString: name) else {
      return .invalid([ServerFault("installation_id", "invalid_uuid")])
    }
    let secret = request.value(forHTTPHeaderField: "Postilion-Installation-Secret")
    var call = ServerCall(
      method: request.httpMethod ?? "GET", id: id, secret: secret, body: nil, isApp: true)
    switch call.method {
    case "PUT", "PATCH":
      return ServerAnswer.reading(request, maximumBytes: 65_536) { body in
        call.body = body
        return registry.report(call, at: now(), bundleIDs: bundleIDs, verify: verify)
      }
    case "DELETE": return registry.delete(call)
    case "GET": return registry.show(call)
    default: return .methodNotAllowed
    }
  }
}
