internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// One request on its way through a route: what came in, who asks, and the loop's means.
final class Call {
  let head: RequestHead
  let parameters: PathParameters
  let context: LoopContext
  let requestID: String
  /// The server's time when the request arrived.
  let now: Timestamp
  /// The whole body, within the route's limit.
  var body: [UInt8] = []
  /// The body of a streamed route, read piece by piece.
  var bodyReader: (any BodyReader)?
  /// The key that the request carries; `nil` on open routes.
  var key: KeyRecord?
  /// The app that the path names, if it is there and the key may see it.
  var appRecord: AppRecord?

  init(
    head: RequestHead, parameters: PathParameters, context: LoopContext, requestID: String,
    now: Timestamp
  ) {
    self.head = head
    self.parameters = parameters
    self.context = context
    self.requestID = requestID
    self.now = now
  }

  /// The app that the path names.
  var app: AppRecord {
    get throws {
      guard let appRecord else { throw Problem(.appNotFound, "The path names no app of this key.") }
      return appRecord
    }
  }

  /// Who causes what the call changes.
  var source: TokenEvent.Source { key?.kind == .client ? .app : .backend }

  /// A path parameter by name; the router has matched it.
  func parameter(_ name: String) throws -> String {
    guard let value = parameters[name] else {
      throw Problem(.invalidPath, "The path has no \(name).")
    }
    return value
  }

  /// The installation that the path names.
  func installationID() throws -> InstallationID {
    let text = try parameter("installation_id")
    guard let id = InstallationID(text) else {
      throw InputFailure([
        InputFault.invalidUUID.problem(
          at: "installation_id", "The installation id in the path is a UUID of 36 characters.")
      ])
    }
    return id
  }

  /// The body as a type of ours.
  func decodeBody<Body: RequestBody>(_ type: Body.Type = Body.self) throws -> Decoded<Body> {
    try Body.decode(body)
  }
}
