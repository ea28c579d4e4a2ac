internal import DeviceProfile
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// What happened to tokens: those of an installation, or one wherever it went. It outlives both.
enum History {
  static let endpoints: [Endpoint] = [
    .list(
      "/v1/apps/{app}/installations/{installation_id}/history", "listInstallationHistory", .admin,
      view: TokenEventView.init, position: \.id, mayLag: true, checkEmpty: checkInstallation
    ) { request, _, span in
      let key = InstallationKey(appID: request.app.id, id: try request.installationID())
      return ListInstallationHistory(
        installation: key, before: span.after ?? .max, limit: span.limit)
    },
    .list(
      "/v1/apps/{app}/tokens/{token}/history", "listTokenHistory", .admin,
      view: TokenEventView.init, position: \.id, mayLag: true, checkEmpty: checkToken
    ) { request, _, span in
      ListTokenHistory(
        appID: request.app.id, token: try request.deviceToken(), before: span.after ?? .max,
        limit: span.limit)
    },
  ]

  /// An installation that never had a token, or only long ago, has an empty history; one that never
  /// was has none.
  private static func checkInstallation(
    _ list: ListInstallationHistory, _ call: Call
  ) async throws {
    let key = list.installation
    guard try await call.context.registrar.load(appID: key.appID, id: key.id) != nil else {
      throw Problem(.installationNotFound, "The app has no such installation, and had none.")
    }
  }

  /// A token that came longer ago than events are kept may still be in use.
  private static func checkToken(_ list: ListTokenHistory, _ call: Call) async throws {
    let tokens = Environment.allCases.flatMap { environment in
      CredentialKind.allCases.map { kind in
        OwnedToken(
          appID: list.appID,
          key: TokenKey(environment: environment, kind: kind, token: list.token))
      }
    }
    guard try await !call.context.database.read(LoadTokenOwners(tokens: tokens)).isEmpty else {
      throw Problem(.tokenNotFound, "The app does not know this token.")
    }
  }
}

extension Request {
  /// The token that the path names, in any spelling that an app may send.
  fileprivate func deviceToken() throws -> DeviceToken {
    let text = try parameter("token")
    do throws(DeviceToken.Fault) { return try DeviceToken(parsing: text) } catch {
      throw InputFailure([error.problem(at: "token")])
    }
  }
}
