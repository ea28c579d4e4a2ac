/// The product's features, one line each, with what the calls of one share.
struct Features: Sendable {
  let feedback: Feedback
  /// All routes.
  let endpoints: [Endpoint]

  init(_ observation: Observation) {
    feedback = Feedback(observation)
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
      + Audit.endpoints
      + Users.endpoints
      + Catalogs().endpoints
      + MatchLanguages.endpoints
      + Messages.endpoints
      + Render(observation).endpoints
      + PreviewMessage.endpoints
      + CheckPayload.endpoints
  }
}
