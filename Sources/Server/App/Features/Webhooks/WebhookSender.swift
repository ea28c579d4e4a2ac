internal import EventLoop
internal import HTTPClient
internal import Postgres
internal import Synchronization

/// Makes the attempts of an instance on one separate thread, a limited number at a time. The thread
/// begins with the first attempt.
final class WebhookSender: Sendable {
  private struct State {
    /// The places of attempts under way, and of the attempts that may take long. An app has its
    /// share of both.
    var places: StreamPlaces
    var doubtfulPlaces: StreamPlaces
    var transfers: HTTPTransfers?
    var isClosed = false
  }
  private let state: Mutex<State>
  private let reach: WebhookReach
  private let limit: Int

  /// - Parameter limit: The number of attempts at a time.
  init(_ reach: WebhookReach, limit: Int) {
    self.reach = reach
    self.limit = limit
    state = Mutex(
      State(
        places: StreamPlaces(limit: limit),
        doubtfulPlaces: StreamPlaces(limit: min(Limits.webhookDoubtfulTransfers, limit / 2))))
  }

  /// Takes a place for an attempt, which the end of the attempt gives back.
  /// - Parameters:
  ///   - appID: The app of the endpoint.
  ///   - isDoubtful: The endpoint is not known to answer. At least half of the places are for
  ///     others.
  func takePlace(for appID: Int32, isDoubtful: Bool) -> Bool {
    state.withLock { state in
      guard !isDoubtful || state.doubtfulPlaces.take(for: appID) else { return false }
      guard state.places.take(for: appID) else {
        if isDoubtful { state.doubtfulPlaces.give(for: appID) }
        return false
      }
      return true
    }
  }

  private func givePlace(for appID: Int32, isDoubtful: Bool) {
    state.withLock { state in
      state.places.give(for: appID)
      if isDoubtful { state.doubtfulPlaces.give(for: appID) }
    }
  }

  /// Sends a delivery, signed for now, over a place that was taken.
  /// - Parameter completion: Gets the outcome and the milliseconds until then, on the separate
  ///   thread; at once if the address is not allowed.
  func attempt(
    _ id: String, _ body: String, to webhook: WebhookRecord, at now: Timestamp, isDoubtful: Bool,
    completion: @escaping @Sendable (AttemptOutcome, Int32) -> Void
  ) {
    // The setting may have changed since the address was given.
    guard reach.fault(of: webhook.url) == nil else {
      givePlace(for: webhook.appID, isDoubtful: isDoubtful)
      return completion(.failed(.address), 0)
    }
    let seconds = now.microseconds / 1_000_000
    let signatures = webhook.secrets(at: now).map {
      $0.signature(id: id, seconds: seconds, body: body)
    }
    var request = HTTPRequest(
      "POST", webhook.url,
      fields: [
        ("Content-Type", "application/json"), ("User-Agent", "Postilion"), ("webhook-id", id),
        ("webhook-timestamp", String(seconds)),
        ("webhook-signature", signatures.joined(separator: " ")),
      ],
      body: .bytes(Array(body.utf8)))
    request.totalSeconds = Limits.webhookAttemptSeconds
    request.connectSeconds = Limits.webhookConnectSeconds
    let began = Monotonic.now()
    transfers().start(request) { [self] result in
      let milliseconds = Int32(clamping: (Monotonic.now() - began) / 1_000_000)
      givePlace(for: webhook.appID, isDoubtful: isDoubtful)
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

  /// Stops all attempts, also later ones.
  func close() {
    let transfers = state.withLock { state in
      state.isClosed = true
      return state.transfers
    }
    transfers?.close()
  }
}

extension AttemptOutcome {
  /// The outcome of an attempt, from the result of the client.
  fileprivate init(_ result: Result<HTTPResponseHead, HTTPClientError>, at now: Timestamp) {
    switch result {
    case .success(let head):
      self = .answered(head.status, retryAfter: App.retryAfter(head["Retry-After"], at: now))
    case .failure(let error):
      switch error.cause {
      case .address, .refused: self = .failed(.address)
      case .connection: self = .failed(.connection)
      case .trust: self = .failed(.trust)
      case .timeout: self = .failed(.timeout)
      case .stopped, .transfer: self = .failed(.transfer)
      }
    }
  }
}
