internal import Registry

/// The product's features, one line each, and the state that the calls of a feature share.
struct Features: Sendable {
  let feedback: Feedback
  let changes: Changes
  let webhooks: Webhooks
  let endpoints: [Endpoint]

  /// - Parameters:
  ///   - reach: The addresses that webhooks may go to.
  ///   - transfers: The number of attempts to deliver to webhooks at a time.
  init(
    _ observation: Observation, reach: WebhookReach = WebhookReach(),
    transfers: Int = 1
  ) {
    feedback = Feedback(observation)
    changes = Changes(observation)
    webhooks = Webhooks(observation, reach: reach, transfers: transfers)
    endpoints =
      Operations.endpoints
      + Apps().endpoints
      + Keys.endpoints
      + RootKeys.endpoints
      + Installations.endpoints
      + Import.endpoints
      + Failures(observation).endpoints
      + Stats.endpoints
      + feedback.endpoints
      + History.endpoints
      + changes.endpoints
      + webhooks.endpoints
      + Audit.endpoints
      + Users.endpoints
      + Catalogs.endpoints
      + [Coverage.endpoint]
      + MatchLanguages.endpoints
      + Messages.endpoints
      + Channels.endpoints
      + Render(observation).endpoints
      + LocalTimes.endpoints
      + PreviewMessage.endpoints
      + CheckPayload.endpoints
      + ConsolePages.endpoints
      + Reference.endpoints
  }

  /// Makes the counts that take long, for every app, so that callers that accept an older answer
  /// get it at once.
  func countAhead(_ context: LoopContext) async throws {
    let now = context.shared.clock().wholeMilliseconds
    for app in context.shared.directory.snapshot.apps.values where app.moving == nil {
      try await Stats.countAhead(app, context, at: now)
      try await Coverage.countAhead(app, context, at: now)
    }
  }
}
