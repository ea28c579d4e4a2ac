internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// One request on its way through a route, and the key that it came with. It never changes, and
/// leads to no database: a route's first and last step see nothing else.
///
/// A class: every frame of an async function on the way would hold a copy of its many fields, and a
/// connection keeps the memory of the largest frames that it ever had, 16 KiB instead of 7.
final class Request: Sendable {
  let head: RequestHead
  let parameters: PathParameters
  let requestID: String
  /// The other end of the connection; `nil` when the request came through none.
  let peer: IPAddress?
  /// When the request arrived, by the database's clock (``DatabaseClock``).
  let now: Timestamp
  /// The key that the request carries; `nil` on open routes.
  let key: KeyRecord?
  /// The app that the path names, if it is there and the key may see it.
  let appRecord: AppRecord?
  /// The whole body, within the route's limit; empty on streamed routes.
  let body: [UInt8]

  init(
    head: RequestHead, parameters: PathParameters, requestID: String, peer: IPAddress?,
    now: Timestamp, key: KeyRecord? = nil, appRecord: AppRecord? = nil, body: [UInt8] = []
  ) {
    self.head = head
    self.parameters = parameters
    self.requestID = requestID
    self.peer = peer
    self.now = now
    self.key = key
    self.appRecord = appRecord
    self.body = body
  }

  /// The same request with further facts.
  func with(
    key: KeyRecord? = nil, appRecord: AppRecord? = nil, body: [UInt8]? = nil
  ) -> Request {
    Request(
      head: head, parameters: parameters, requestID: requestID, peer: peer, now: now,
      key: key ?? self.key, appRecord: appRecord ?? self.appRecord, body: body ?? self.body)
  }

  /// The app of a route with `{app}` in its path. A request without an app does not reach such a
  /// route.
  var app: AppRecord {
    guard let appRecord else { preconditionFailure("a route without an app asks for it") }
    return appRecord
  }

  /// The app whose quota the request uses: the app in its path, or else the app of its key. A call
  /// with a root key and no app has 0, a number that no app has. `nil` without a key.
  var holder: Int32? { key.map { appRecord?.id ?? $0.appID ?? 0 } }

  /// The share of the threads that the request's work takes after it has begun.
  var workShare: WorkShare { WorkShare(holder: holder) }

  /// Whether the body is lines of JSON.
  var hasLines: Bool {
    head.header("content-type").flatMap { MediaType($0) }?.essence == "application/x-ndjson"
  }

  /// The source of the changes that the request makes.
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
      throw InputFailure(
        .invalidUUID, at: "installation_id",
        "The installation id in the path is a UUID of 36 characters.")
    }
    return id
  }

  /// The body as a type of ours.
  func decodeBody<Body: RequestBody>(_ type: Body.Type = Body.self) throws -> Decoded<Body> {
    try Body.decode(body)
  }
}
