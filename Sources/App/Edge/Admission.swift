internal import EventLoop
internal import HTTP
internal import Postgres
internal import Registry

/// Who calls, as far as floods are concerned, and what the caller may still do.
extension Shared {
  /// The client of a call.
  /// - Parameter key: The key of the call; those of backends are secret, and not limited.
  func client(_ head: RequestHead, from peer: IPAddress?, key: KeyRecord?) -> FloodGuard.Client {
    let address = peer.map { proxies.client(of: $0, head) }
    return FloodGuard.Client(address: address?.isLoopback ?? true ? nil : address, key: key?.id)
  }

  /// Lets a request pass that no route takes, or not.
  func admit(_ head: RequestHead, from peer: IPAddress?, at now: UInt64) throws(FloodFailure) {
    try floods.admit(client(head, from: peer, key: nil), at: now)
  }

  /// Lets a request pass, or not.
  func admit(_ request: Request, at now: UInt64) throws(FloodFailure) {
    guard request.isLimited else { return }
    let client = client(request.head, from: request.peer, key: request.key)
    // By its value, as a UUID may be written in capital letters, too.
    let id = request.parameters["installation_id"].flatMap { InstallationID($0) }
    let installation = request.appRecord.flatMap { app in id.map { (app.id, $0.uuid) } }
    try floods.admit(client, installation: installation, at: now)
  }
}

extension Request {
  /// Whether it comes with a client key, which ships inside the app, or with none.
  var isLimited: Bool { key == nil || key?.kind == .client }
}

extension Call {
  /// Lets a call add something, or not; a row that a quota bounds, too.
  func admit(
    _ growth: FloodGuard.Growth, _ quota: AppUsage.Quota? = nil
  ) throws(FloodFailure) {
    guard request.isLimited else { return }
    let shared = context.shared
    let client = shared.client(request.head, from: request.peer, key: request.key)
    try shared.floods.admit(
      growth, bytes: request.body.count, of: client, at: Monotonic.now())
    if let quota { try shared.usage.addOne(quota, to: request.app.id, on: request.now.day) }
  }

  /// Lets a report be written, or not. One that adds nothing is never turned away here.
  func admit(_ decision: Registration.Decision) throws(FloodFailure) {
    switch decision.outcome {
    case .created: try admit(.row, .installations)
    case .updated: try admit(decision.transition.events.isEmpty ? .profile : .token)
    case .unchanged, .touched, .stale: break
    }
  }
}

extension Timestamp {
  /// Days since 1970, in UTC.
  var day: Int64 { microseconds / 86_400_000_000 }
}
