internal import Content
internal import DeviceProfile
internal import Postgres
internal import Registry

/// The result for one answer of APNs.
struct FeedbackResult: Sendable {
  var item: FeedbackItem
  /// The key under which the token was found; `nil` when it was not found.
  var key: TokenKey?
  var decision: FeedbackDecision

  init(_ item: FeedbackItem, at key: TokenKey? = nil, _ decision: FeedbackDecision) {
    self.item = item
    self.key = key
    self.decision = decision
  }
}

/// Applies the answers of one call: finds the installations that hold the tokens, counts the
/// refusals at the breakers, and then decides on each token and changes its installation.
///
/// A change is written only if three things are as they were when it was decided on, and is decided
/// anew otherwise: the installation has its revision; the app has not brought the `apns` or `voip`
/// token since the time of the answer (``Registry/WriteSightings``; another kind's report writes
/// the row); and, if it may be a sender's mistake, no other call has opened the breaker. A call
/// that opens it later finds the token, and puts it back in use.
struct FeedbackIntake: Sendable {
  let context: LoopContext
  let breakers: FeedbackBreakers
  let metrics: FeedbackMetrics
  let app: AppRecord
  /// When the call arrived.
  let now: Timestamp

  private var appID: Int32 { app.id }

  /// The installations that hold a token, by the keys under which they hold it.
  private typealias Owners = [TokenKey: InstallationID]

  /// - Returns: The results in the items' order.
  func take(_ items: [FeedbackItem]) async throws -> [FeedbackResult] {
    // Results about tokens are `unknown_token` until they are decided below.
    var results = items.map {
      FeedbackResult($0, FeedbackDecision($0, .init(now: now)))
    }
    let concerned = items.indices.filter { items[$0].meaning.credentialStatus != nil }
    let owners = try await owners(of: concerned.compactMap { items[$0].token })
    let open = try await reportRefusals(items, owners)

    // Answers about the same token are decided one after the other, different tokens at once.
    let groups = Dictionary(grouping: concerned) { items[$0].token }
    let settled = try await concurrently(Array(groups.values)) { indices in
      var settled: [(Int, FeedbackResult)] = []
      for index in indices {
        let item = items[index]
        let known = item.token.flatMap { owners[$0] } ?? [:]
        settled.append((index, try await settle(item, known, open)))
      }
      return settled
    }
    for (index, result) in settled.joined() { results[index] = result }
    for (index, item) in items.enumerated() where item.meaning == .channelGone {
      results[index].decision = try await settleChannel(item)
    }
    return results
  }

  /// A channel that APNs does not have gets no broadcasts any more, unless it was made anew since.
  private func settleChannel(_ item: FeedbackItem) async throws -> FeedbackDecision {
    guard let name = item.channel else { return FeedbackDecision(.noAction, .channelGone) }
    let ended = try await context.database.write(
      .endChannel(
        appID: appID, name: name, reason: item.storedReason,
        before: item.establishedAt(arrivingAt: now), now: now))
    return FeedbackDecision(ended.isEmpty ? .noAction : .invalidated, .channelGone)
  }

  private func owners(of tokens: [DeviceToken]) async throws -> [DeviceToken: Owners] {
    guard !tokens.isEmpty else { return [:] }
    let keys = Set(tokens).flatMap { token in
      Environment.allCases.flatMap { environment in
        CredentialKind.allCases.map {
          TokenKey(environment: environment, kind: $0, token: token)
        }
      }
    }
    let owned = keys.map { OwnedToken(appID: appID, key: $0) }
    var owners: [DeviceToken: Owners] = [:]
    for (token, owner) in try await context.database.read(LoadTokenOwners(tokens: owned)) {
      owners[token.key.token, default: [:]][token.key] = owner.id
    }
    return owners
  }

  /// Does a part of the work at once, so that a large call does not wait for each item in turn, but
  /// not all of it, so that other calls get through.
  private func concurrently<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws -> [Output] {
    try await withThrowingTaskGroup(of: Output.self) { group in
      var outputs: [Output] = []
      for (index, input) in inputs.enumerated() {
        if index >= Limits.feedbackTasks, let output = try await group.next() {
          outputs.append(output)
        }
        group.addTask { try await body(input) }
      }
      for try await output in group { outputs.append(output) }
      return outputs
    }
  }

  // MARK: One answer

  /// Decides on an answer wherever the app holds its token.
  private func settle(
    _ item: FeedbackItem, _ known: Owners, _ open: Set<Environment>
  ) async throws -> FeedbackResult {
    var owners = known
    attempts: for _ in 0..<RegistryLimits.registrationAttempts {
      var results: [FeedbackResult] = []
      for (key, id) in owners where item.concerns(key) {
        var state = FeedbackDecision.TokenState(key: key, held: Set(owners.keys), now: now)
        state.isBreakerOpen = open.contains(key.environment)
        guard let decision = try await apply(item, state, key, id) else {
          // The token has moved to another installation meanwhile.
          owners = try await self.owners(of: [key.token])[key.token] ?? [:]
          continue attempts
        }
        results.append(FeedbackResult(item, at: key, decision))
      }
      return results.first { $0.decision.status != nil } ?? results.first
        ?? FeedbackResult(
          item, FeedbackDecision(item, .init(held: Set(owners.keys), now: now)))
    }
    // Each time, an app had brought the token to another installation.
    return FeedbackResult(item, FeedbackDecision(.ignoredNewerRegistration))
  }

  /// - Returns: `nil` when the installation does not hold the token any more.
  private func apply(
    _ item: FeedbackItem, _ known: FeedbackDecision.TokenState, _ key: TokenKey,
    _ id: InstallationID
  ) async throws -> FeedbackDecision? {
    var state = known
    let breaker = BreakerKey(appID: appID, environment: key.environment)
    for _ in 0..<RegistryLimits.registrationAttempts {
      var decision: FeedbackDecision?
      do {
        try await context.registrar.revise(
          appID: appID, id: id, at: now, .init(.feedback), attempts: 1,
          whileClosed: item.meaning.mayBeSenderMistake ? breaker : nil
        ) { stored in
          guard let stored, let credential = stored.credential(key) else { return .keep }
          state.credential = credential
          let made = FeedbackDecision(item, state)
          decision = made
          guard let status = made.status else { return .keep }
          let next = stored.revised(at: now) { next in
            for place in stored.places(of: key) {
              next.credentials[place]?.takeOutOfUse(as: status, reason: item.storedReason, at: now)
            }
          }
          return .takeOut(next, key.kind, deadSince: item.establishedAt(arrivingAt: now))
        }
        return decision
      } catch let error where error.isOfFasterWriter {
        guard item.meaning.mayBeSenderMistake else { continue }
        state.isBreakerOpen = try await reportToBreaker([key.token], 0, key.environment)
      }
    }
    throw RegistryFailure.outrun
  }

  /// Puts a credential back in use that feedback took out of it.
  private func restore(
    _ key: TokenKey, _ id: InstallationID, where isMeant: (Credential) -> Bool
  ) async throws {
    try await context.registrar.revise(appID: appID, id: id, at: now, .init(.feedback)) { stored in
      guard let stored, let credential = stored.credential(key), credential.status != .active,
        isMeant(credential)
      else { return .keep }
      return .write(
        stored.revised(at: now) { next in
          for place in stored.places(of: key) { next.credentials[place]?.restore() }
        })
    }
  }

  // MARK: Breakers

  /// Tells the breakers which tokens would go out of use by refusals, before any does.
  /// - Returns: The environments whose breaker is open.
  private func reportRefusals(
    _ items: [FeedbackItem], _ owners: [DeviceToken: Owners]
  ) async throws -> Set<Environment> {
    let found = try await concurrently(items.filter(\.meaning.mayBeSenderMistake)) { item in
      let held = item.token.flatMap { owners[$0] } ?? [:]
      var refused: [TokenKey] = []
      for (key, id) in held where item.concerns(key) {
        guard
          let credential = try await context.registrar.loadWithSightings(appID: appID, id: id)?
            .credential(key)
        else { continue }
        var state = FeedbackDecision.TokenState(key: key, held: Set(held.keys), now: now)
        state.credential = credential
        let decision = FeedbackDecision(item, state)
        if decision.status != nil { refused.append(key) }
      }
      return refused
    }
    let refused = Dictionary(grouping: found.joined(), by: \.environment)
    var open: Set<Environment> = []
    for environment in Environment.allCases {
      let tokens = Set((refused[environment] ?? []).map(\.token))
      let accepted = items.count { $0.meaning == .success && $0.environment == environment }
      guard !tokens.isEmpty || accepted > 0 else { continue }
      if try await reportToBreaker(tokens, accepted, environment) { open.insert(environment) }
    }
    return open
  }

  /// Counts refused tokens, and pushes that were taken, at the breaker of an environment.
  /// - Returns: Whether it is open.
  private func reportToBreaker(
    _ refused: Set<DeviceToken>, _ accepted: Int, _ environment: Environment
  ) async throws -> Bool {
    let ruling = try await breakers.report(
      BreakerKey(appID: appID, environment: environment), refused: refused, accepted: accepted,
      at: now, in: context.database)
    for event in ruling.events { metrics.breaker(event, app.slug, environment) }
    try await restore(ruling.restored, environment)
    return ruling.isOpen
  }

  /// Undoes what refusals did to tokens within the last minute: a burst takes nothing out of use.
  private func restore(_ tokens: Set<DeviceToken>, _ environment: Environment) async throws {
    let owners = try await owners(of: Array(tokens)).values.joined()
    _ = try await concurrently(owners.filter { $0.key.environment == environment }) { key, id in
      try await restore(key, id) { credential in
        let meaning = APNsReason.reading(status: nil, reason: credential.reason).meaning
        return meaning.mayBeSenderMistake
          && credential.invalidatedAt.map { $0.advanced(by: Limits.breakerWindow) > now } ?? false
      }
    }
  }
}

extension Error {
  /// Whether nothing was written as another writer was faster.
  fileprivate var isOfFasterWriter: Bool {
    if case .outrun? = self as? RegistryFailure { return true }
    return (self as? PostgresError)?.isOfDeadlock ?? false
  }
}
