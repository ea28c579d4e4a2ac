internal import DeviceProfile
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// The history of tokens: of all tokens of an installation, or of one token in all installations.
/// The history outlives the token and the installation.
enum History {
  static let endpoints: [Endpoint] = [
    .list(
      "/v1/apps/{app}/installations/{installation_id}/history", "listInstallationHistory", .admin,
      view: TokenEventView.init, position: \.id, mayLag: true, checkEmpty: checkInstallation
    ) { request, _, span in
      let key = InstallationKey(appID: request.app.id, id: try request.installationID())
      return .listInstallationHistory(
        installation: key, before: span.after ?? .max, limit: span.limit)
    },
    .list(
      "/v1/apps/{app}/tokens/{token}/history", "listTokenHistory", .admin,
      view: TokenEventView.init, position: \.id, mayLag: true, checkEmpty: checkToken
    ) { request, _, span in
      .listTokenHistory(
        appID: request.app.id, token: try request.deviceToken(), before: span.after ?? .max,
        limit: span.limit)
    },
  ]

  /// An installation that never had a token, or only long ago, has an empty history. An
  /// installation that never existed has no history.
  private static func checkInstallation(_ call: Call) async throws {
    let id = try call.request.installationID()
    guard try await call.context.registrar.load(appID: call.app.id, id: id) != nil else {
      throw Problem(.installationNotFound, "The app has no such installation, and had none.")
    }
  }

  /// A token that came longer ago than events are kept may still be in use.
  private static func checkToken(_ call: Call) async throws {
    let token = try call.request.deviceToken()
    let tokens = Environment.allCases.flatMap { environment in
      CredentialKind.allCases.map { kind in
        OwnedToken(
          appID: call.app.id,
          key: TokenKey(environment: environment, kind: kind, token: token))
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
