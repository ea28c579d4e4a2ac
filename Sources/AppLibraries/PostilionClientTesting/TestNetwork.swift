import Foundation
import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The network between an app and a server: it notes the requests, and does to the next of them
/// what a test says.
///
/// ```swift
/// let network = TestNetwork(to: server)
/// await network.add(.lostAnswer)
/// // The next request arrives, but the app gets no answer; those after it go through.
/// ```
public actor TestNetwork: PostilionTransport {
  /// What happens to a request.
  public enum Fault: Sendable {
    /// It does not arrive: there is no network.
    case offline
    /// It arrives, and the connection is lost before the answer.
    case lostAnswer
    /// It does not arrive: something on the way answers.
    case answer(TransportResponse)
  }

  private let server: any PostilionTransport
  private var faults: [Fault] = []

  /// The requests that the app has sent, such as `PUT installations`, whatever became of them.
  public private(set) var requests: [String] = []

  /// A network without faults.
  public init(to server: any PostilionTransport) {
    self.server = server
  }

  /// Adds what happens to the next requests, one each.
  public func add(_ faults: Fault...) { self.faults += faults }

  /// Sends a request to the server, unless something happens to it.
  public func send(_ request: URLRequest) async throws -> TransportResponse {
    let parts = request.url?.pathComponents.drop { $0 != "apps" }.dropFirst(2)
    requests.append("\(request.httpMethod ?? "GET") \(parts?.first ?? "")")
    switch faults.isEmpty ? nil : faults.removeFirst() {
    case nil: return try await server.send(request)
    case .offline?: throw URLError(.notConnectedToInternet)
    case .lostAnswer?:
      _ = try await server.send(request)
      throw URLError(.networkConnectionLost)
    case .answer(let response)?: return response
    }
  }
}
