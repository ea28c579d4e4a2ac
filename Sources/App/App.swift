/// The product's routes: one line per feature.
extension Service {
  static let endpoints: [Endpoint] =
    Operations.endpoints
    + Apps.endpoints
    + Keys.endpoints
    + RootKeys.endpoints
    + Installations.endpoints
    + Import.endpoints
    + Failures.endpoints
    + Stats.endpoints
    + Feedback.endpoints
    + History.endpoints
    + Audit.endpoints
    + Users.endpoints
    + Catalogs.endpoints
    + MatchLanguages.endpoints
    + Messages.endpoints
    + Render.endpoints
    + PreviewMessage.endpoints
    + CheckPayload.endpoints
}
