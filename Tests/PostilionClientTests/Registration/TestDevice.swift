import Foundation

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A device whose stores outlive its launches, with a server that confirms everything. What is
/// stored and sent is written down in order.
final class TestDevice: Sendable {
  static let identity = InstallationIdentity()

  /// A store in memory.
  final class Memory: StateStore, Sendable {
    private struct Contents {
      var bytes: Data?
      var isBroken = false
    }

    struct Broken: Error {}

    private let contents = Guarded(Contents())
    private let saved: @Sendable () -> Void

    init(saved: @escaping @Sendable () -> Void) { self.saved = saved }

    var bytes: Data? {
      get { contents.withLock { $0.bytes } }
      set { contents.withLock { $0.bytes = newValue } }
    }
    /// Whether nothing can be stored.
    var isBroken: Bool {
      get { contents.withLock { $0.isBroken } }
      set { contents.withLock { $0.isBroken = newValue } }
    }

    func load() throws -> Data? { bytes }
    func save(_ state: Data) throws {
      guard !isBroken else { throw Broken() }
      bytes = state
      saved()
    }
  }

  private struct Keychain: IdentityStore {
    let contents: Guarded<InstallationIdentity?>
    func load() throws -> InstallationIdentity? { contents.withLock { $0 } }
    func save(_ identity: InstallationIdentity) throws {
      contents.withLock { $0 = identity }
    }
  }

  private struct Network: PostilionTransport {
    let answer: @Sendable (URLRequest) async throws -> TransportResponse
    func send(_ request: URLRequest) async throws -> TransportResponse {
      try await answer(request)
    }
  }

  private let keychain = Guarded<InstallationIdentity?>(identity)
  private let lines: Guarded<[String]>
  private let bodies = Guarded<[String]>([])
  private let removed = Guarded<[String]>([])
  private let failure = Guarded<URLError.Code?>(nil)
  private let silence = Guarded<(stream: AsyncStream<Void>, end: AsyncStream<Void>.Continuation)?>(
    nil)
  let state: Memory
  let choice: Memory
  var configuration: PostilionConfiguration {
    var configuration = PostilionConfiguration(
      server: "https://push.example.com", app: "food", clientKey: "pst_client_key")
    configuration.coalescing = 0
    return configuration
  }

  init() {
    let lines = Guarded<[String]>([])
    self.lines = lines
    state = Memory { lines.withLock { $0.append("state") } }
    choice = Memory { lines.withLock { $0.append("choice") } }
  }

  /// `choice`, `state` for what was stored, `PUT` for what was sent.
  var log: [String] { lines.withLock { $0 } }
  /// What was sent.
  var requests: [String] { log.filter { $0 == $0.uppercased() } }
  /// Empties the log.
  func forget() { lines.withLock { $0 = [] } }
  /// The bodies of what was sent.
  var sentBodies: [String] { bodies.withLock { $0 } }
  /// The installations whose removal was asked for.
  var removals: [String] { removed.withLock { $0 } }
  /// The error of the network; `nil` when it is there.
  var networkError: URLError.Code? {
    get { failure.withLock { $0 } }
    set { failure.withLock { $0 = newValue } }
  }

  /// Whether the server never answers.
  var isSilent: Bool {
    get { silence.withLock { $0 != nil } }
    set {
      silence.withLock { silence in
        silence?.end.finish()
        let (stream, end) = AsyncStream<Void>.makeStream()
        silence = newValue ? (stream, end) : nil
      }
    }
  }

  /// What a process has.
  var tools: ClientTools {
    ClientTools(
      identity: Keychain(contents: keychain), state: state, choice: choice,
      transport: Network { [self] in try await answer($0) }, random: { 0.5 })
  }

  /// A new process. What `tell` tells is there before anything can be sent.
  func launch(
    _ tools: ClientTools? = nil, change: (inout PostilionConfiguration) -> Void = { _ in },
    tell: (Postilion) -> Void = { _ in }
  ) -> Postilion {
    var configuration = configuration
    change(&configuration)
    let client = Postilion(tools: tools ?? self.tools)
    tell(client)
    client.start(configuration, profile: Self.profile)
    return client
  }

  static let profile = DeviceProfile(
    platform: .ios, environment: .production, languages: ["fr-CA"], locale: "fr_CA",
    timeZone: "America/Toronto", appVersion: "3.2.0", appBuild: "412", osVersion: "17.4.1",
    deviceModel: "iPhone15,2")

  private func answer(_ request: URLRequest) async throws -> TransportResponse {
    if let stream = silence.withLock({ $0?.stream }) { for await _ in stream {} }
    if let networkError { throw URLError(networkError) }
    let method = request.httpMethod ?? ""
    lines.withLock { $0.append(method) }
    bodies.withLock { $0.append(String(decoding: request.httpBody ?? Data(), as: UTF8.self)) }
    if method == "DELETE" {
      removed.withLock { $0.append(request.url?.lastPathComponent ?? "") }
      return TransportResponse(status: 204)
    }
    let sent = request.httpBody.flatMap(PayloadValue.init(json:))
    let answer: [String: PayloadValue] = [
      "installation_id": .string(request.url?.lastPathComponent ?? ""), "applied": true,
      "id": sent?["id"] ?? .null,
    ]
    return TransportResponse(status: 200, body: PayloadValue.object(answer).encoded())
  }
}
