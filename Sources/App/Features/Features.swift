internal import Registry

/// The product's features, one line each, with what the calls of one share.
struct Features: Sendable {
  let feedback: Feedback
  let changes: Changes
  /// All routes.
  let endpoints: [Endpoint]

  init(_ observation: Observation) {
    feedback = Feedback(observation)
    changes = Changes(observation)
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
      + Audit.endpoints
      + Users.endpoints
      + Catalogs.endpoints
      + MatchLanguages.endpoints
      + Messages.endpoints
      + Render(observation).endpoints
      + LocalTimes.endpoints
      + PreviewMessage.endpoints
      + CheckPayload.endpoints
      + ConsolePages.endpoints
      + Reference.endpoints
  }

  /// Counts what takes long for every app, so that callers that accept an older answer get it at
  /// once.
  func countAhead(_ context: LoopContext) async throws {
    let now = context.shared.clock().wholeMilliseconds
    for app in context.shared.directory.snapshot.apps.values {
      try await Stats.countAhead(app, context, at: now)
      try await Coverage.countAhead(app, context, at: now)
    }
  }
}
