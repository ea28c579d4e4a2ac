internal import EventLoop
internal import HTTPClient
internal import Postgres
internal import Synchronization

/// Makes attempts, all of an instance on one thread apart, so many at a time. The thread begins
/// with the first.
final class WebhookSender: Sendable {
  private struct State {
    /// Attempts under way, and those of them that may take long.
    var places = 0
    var doubtfulPlaces = 0
    var transfers: HTTPTransfers?
    var isClosed = false
  }
  private let state = Mutex(State())
  private let reach: WebhookReach
  private let limit: Int

  /// - Parameter limit: Attempts at a time.
  init(_ reach: WebhookReach, limit: Int) {
    self.reach = reach
    self.limit = limit
  }

  /// Takes a place for an attempt, which the end of the attempt gives back.
  /// - Parameter isDoubtful: The endpoint is not known to answer. Half of the places are for
  ///   others.
  func takePlace(isDoubtful: Bool) -> Bool {
    state.withLock { state in
      let bound = min(Limits.webhookDoubtfulTransfers, limit / 2)
      guard state.places < limit, !isDoubtful || state.doubtfulPlaces < bound else { return false }
      state.places += 1
      if isDoubtful { state.doubtfulPlaces += 1 }
      return true
    }
  }

  private func givePlace(isDoubtful: Bool) {
    state.withLock { state in
      state.places -= 1
      if isDoubtful { state.doubtfulPlaces -= 1 }
    }
  }

  /// Sends a delivery, signed for now, over a place that was taken.
  /// - Parameter completion: Gets the end and the milliseconds until then, on the thread apart.
  func attempt(
    _ id: String, _ body: String, to webhook: WebhookRecord, at now: Timestamp, isDoubtful: Bool,
    completion: @escaping @Sendable (AttemptOutcome, Int32) -> Void
  ) {
    // The setting may have been another one when the address was given.
    guard reach.fault(of: webhook.url) == nil else {
      givePlace(isDoubtful: isDoubtful)
      return completion(.failed(.address), 0)
    }
    let seconds = now.microseconds / 1_000_000
    let signatures = webhook.secrets(at: now).map {
      $0.signature(id: id, seconds: seconds, body: body)
    }
    var post = HTTPPost(
      webhook.url,
      fields: [
        ("Content-Type", "application/json"), ("User-Agent", "Postilion"), ("webhook-id", id),
        ("webhook-timestamp", String(seconds)),
        ("webhook-signature", signatures.joined(separator: " ")),
      ],
      body: Array(body.utf8), totalSeconds: Limits.webhookAttemptSeconds)
    post.connectSeconds = Limits.webhookConnectSeconds
    let began = Monotonic.now()
    transfers().start(post) { [self] result in
      let milliseconds = Int32(clamping: (Monotonic.now() - began) / 1_000_000)
      givePlace(isDoubtful: isDoubtful)
      completion(AttemptOutcome(result, at: now), milliseconds)
    }
  }

  private func transfers() -> HTTPTransfers {
    let (transfers, isNew) = state.withLock { state in
      if let transfers = state.transfers { return (transfers, false) }
      let transfers = HTTPTransfers(keptConnections: limit) { [reach] in reach.allows($0) }
      state.transfers = transfers
      return (transfers, !state.isClosed)
    }
    if isNew {
      let threads = WorkerThreads(.init(threads: 1, waiting: 1, waitingBytes: 0))
      Task { try? await threads.run { transfers.run() } }
    } else if state.withLock({ $0.isClosed }) {
      transfers.close()
    }
    return transfers
  }

  /// Stops what is under way, and all that comes.
  func close() {
    let transfers = state.withLock { state in
      state.isClosed = true
      return state.transfers
    }
    transfers?.close()
  }
}

extension AttemptOutcome {
  /// What the client says of a post.
  fileprivate init(_ result: HTTPPostResult, at now: Timestamp) {
    switch result {
    case .answered(let head):
      self = .answered(head.status, retryAfter: App.retryAfter(head["Retry-After"], at: now))
    case .refused: self = .failed(.address)
    case .failed(let kind):
      switch kind {
      case .address: self = .failed(.address)
      case .connection: self = .failed(.connection)
      case .trust: self = .failed(.trust)
      case .timeout: self = .failed(.timeout)
      case .stopped, .transfer: self = .failed(.transfer)
      }
    }
  }
}
