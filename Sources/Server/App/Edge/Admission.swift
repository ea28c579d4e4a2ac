internal import EventLoop
internal import HTTP
internal import Postgres
internal import Registry

/// The client of a call, as the flood guard counts it, and the calls and rows that the client may
/// still make.
extension Shared {
  /// The client of a call.
  /// - Parameter key: The key of the call. Keys of backends are secret, and not limited.
  func client(_ head: RequestHead, from peer: IPAddress?, key: KeyRecord?) -> FloodGuard.Client {
    let address = peer.map { proxies.client(of: $0, head) }
    return FloodGuard.Client(address: address?.isLoopback ?? true ? nil : address, key: key?.id)
  }

  /// Throws if the client calls too often, for a request that no route takes.
  func admit(
    _ head: RequestHead, from peer: IPAddress?, at now: UInt64
  ) throws(FloodFailure) -> FloodGuard.Standing? {
    try floods.admit(client(head, from: peer, key: nil), at: now)
  }

  /// Throws if the client of a request calls too often.
  func admit(_ request: Request, at now: UInt64) throws(FloodFailure) -> FloodGuard.Standing? {
    guard request.isLimited else { return nil }
    let client = client(request.head, from: request.peer, key: request.key)
    // The id counts by its value, because a UUID may also be written in capital letters.
    let id = request.parameters["installation_id"].flatMap { InstallationID($0) }
    let installation = request.appRecord.flatMap { app in id.map { (app.id, $0.uuid) } }
    return try floods.admit(client, installation: installation, at: now)
  }
}

extension Request {
  /// Whether the request comes with a client key, which ships inside the app, or with none.
  var isLimited: Bool { key == nil || key?.kind == .client }
}

extension Call {
  /// Throws if the call may not add so many rows, or if the app's quota is used up.
  func admit(rows: Int, _ quota: AppUsage.Quota) throws {
    try request.app.checkMove(isChange: true)
    guard request.isLimited else { return }
    try admit(FloodGuard.Growth(rows: rows + request.body.count / FloodLimits.growthBytes))
    try context.shared.usage.addOne(quota, to: request.app.id, on: request.now.day)
  }

  /// The check of the rows that the call writes: it throws if they are too many. When another
  /// writer was faster, the changes are decided again; rows that were counted are not counted
  /// again.
  func admission() -> (ChangeSet) throws -> Void {
    guard request.isLimited else { return { _ in try request.app.checkMove(isChange: true) } }
    var admitted = 0
    var hasPlace = false
    return { changes in
      // This refuses at once a change that `lock_apps` would refuse, so that no round of other
      // calls fails because of it.
      try request.app.checkMove(isChange: true)
      guard !changes.transitions.isEmpty else { return }
      let isNew = changes.isOfNewInstallation
      let bytes = request.body.count + FloodLimits.wordWeight * changes.newWordBytes
      let rows = changes.addedRows + bytes / FloodLimits.growthBytes
      try admit(FloodGuard.Growth(rows: rows - admitted, isOfKnownInstallation: !isNew))
      admitted = max(admitted, rows)
      guard isNew, !hasPlace else { return }
      try context.shared.usage.addOne(.installations, to: request.app.id, on: request.now.day)
      hasPlace = true
    }
  }

  /// Runs work on a thread, in the share of the call's client, who is charged for it.
  func work<Value: Sendable>(
    on threads: WorkerThreads, bytes: Int = 0, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard request.isLimited else {
      return try await threads.run(bytes: bytes, for: WorkShare(holder: request.holder), work)
    }
    let (floods, client) = (context.shared.floods, client)
    let share = WorkShare(
      isPublic: true, holder: request.holder, customer: client.address?.customer)
    return try await threads.run(
      bytes: bytes, for: share,
      spent: { floods.charge($0, to: client, at: Monotonic.now()) }, work)
  }

  /// Charges the client of the call for time of a loop.
  func charge(_ nanoseconds: UInt64) {
    guard request.isLimited, nanoseconds >= FloodLimits.callNanoseconds else { return }
    context.shared.floods.charge(nanoseconds, to: client, at: Monotonic.now())
  }

  private var client: FloodGuard.Client {
    context.shared.client(request.head, from: request.peer, key: request.key)
  }

  private func admit(_ growth: FloodGuard.Growth) throws(FloodFailure) {
    let shared = context.shared
    try shared.floods.admit(growth, of: client, at: Monotonic.now())
  }
}

extension Timestamp {
  /// Days since 1970, in UTC.
  var day: Int64 { microseconds / 86_400_000_000 }
}
