internal import ASCII
internal import Crypto
internal import DeviceProfile
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Installations: registered by apps, read and listed by backends.
enum Installations {
  private static let path = "/v1/apps/{app}/installations/{installation_id}"
  private static let writers = Access.keys([.client, .sender, .admin])

  static let endpoints: [Endpoint] = [
    report(.put, "putInstallation"),
    report(.patch, "patchInstallation"),
    Endpoint(
      .get, path, "getInstallation", writers,
      decode: { request in try request.installationID() },
      perform: { id, call in
        let stored = try call.found(
          try await call.context.registrar.load(appID: call.app.id, id: id))
        try call.checkSecret(of: stored)
        return stored
      },
      encode: { stored, request in
        try .json(InstallationView(installation: stored))
          .tagged(stored.entityTag, unlessKnown: request)
      }),
    .deletion(
      path, "deleteInstallation", writers, key: { try $0.installationID() }, perform: delete),
    .deletion(
      path + "/credentials/{kind}", "deleteCredential", writers,
      key: { request in
        guard let kind = CredentialKind(spelled: try request.parameter("kind")) else {
          let kinds = CredentialKind.allCases.map(\.rawValue).joined(separator: ", ")
          throw Problem(.credentialNotFound, "The kinds of credentials are \(kinds).")
        }
        return (id: try request.installationID(), kind: kind)
      },
      perform: deleteCredential),
    Endpoint(
      .get, "/v1/apps/{app}/installations", "listInstallations", .backends,
      encodesApart: true, senderAudit: .exports(continuedBy: "cursor", unless: ["user", "token"]),
      decode: InstallationQuery.init,
      perform: { query, call in try await query.run(call) },
      encode: { answer, request in answer.response(to: request) }),
    InstallationTags.endpoint,
    ClaimCodes.endpoint,
    PurgeStale.endpoint,
  ]

  // MARK: Report

  private static func report(_ method: Method, _ operation: String) -> Endpoint {
    Endpoint(
      method, path, operation, writers, body: .json(limit: Limits.installationBodyBytes),
      decode: { request in
        var decoded = try request.decodeBody(RegistrationReport.self)
        decoded.body.mergesAttributes = method == .patch
        return Report(
          id: try request.installationID(), decoded: decoded,
          precondition: try Precondition(request.head), mayCreate: method == .put)
      },
      perform: register,
      encode: { registered, request in
        let view = InstallationView(
          installation: registered.decision.installation,
          result: InstallationView.Result(
            applied: registered.decision.effect != .stale, ignored: registered.ignored,
            secret: registered.secret))
        let answer = Response.json(
          view, registered.decision.effect == .created ? .created : .ok
        ).tagged(view.installation.entityTag).located(at: request.head.path)
        return registered.secret == nil ? answer : answer.unstored()
      })
  }

  private struct Report: Sendable {
    let id: InstallationID
    let decoded: Decoded<RegistrationReport>
    let precondition: Precondition
    /// Whether the report may create its installation.
    let mayCreate: Bool
  }

  /// Loads, decides, writes.
  private static func register(
    _ input: Report, _ call: Call
  ) async throws -> (decision: Registration.Decision, ignored: [InputProblem], secret: String?) {
    let app = call.app
    let claim = try await call.claim(of: input.id)
    var secret: String?
    var unproven: IdentityProof.Fault?
    let decision = try await call.context.reportRegistrar.register(
      appID: app.id, id: input.id, input.decoded.body, source: call.source, now: call.now,
      authorize: { basis, report in
        if let stored = basis.stored {
          let isClaimed =
            stored.secretHash == nil && claim.isProven(of: stored, by: report, at: call.now)
          if !isClaimed { try call.checkSecret(of: stored) }
        } else if input.mayCreate {
          basis.firstRevision = call.context.shared.firstRevision()
        } else {
          throw Problem(.installationNotFound, "There is no such installation; PUT creates it.")
        }
        // The write requires this revision; if it has changed by then, this is checked again.
        try input.precondition.check(basis.stored?.entityTag)
        try app.checkBundleID(of: report)
        unproven = call.identityFault(report, basis.stored, app)
        if unproven != nil { report.user = .keep }
        guard basis.stored?.secretHash == nil, call.key?.kind == .client else { return }
        let given = call.offeredSecret ?? Base64URL.encode(call.context.shared.randomBytes(24))
        secret = given
        basis.newSecretHash = SHA256.hash(given)
      }, admit: call.admission())
    let ignored =
      input.decoded.ignored + decision.leftOut
      + [unproven?.problem(in: app), app.topicRemark(on: decision.installation)].compactMap { $0 }
    return (decision, ignored, decision.issuesSecret ? secret : nil)
  }

  // MARK: Deletion

  private static func delete(
    _ deletion: Order<InstallationID>, _ call: Call
  ) async throws {
    try await call.context.registrar.revise(
      appID: call.app.id, id: deletion.key, at: call.now,
      .init(call.source, removal: "installation_deleted"), admit: call.admission()
    ) { stored in
      let stored = try call.found(stored)
      try call.checkSecret(of: stored)
      try deletion.precondition.check(stored.entityTag)
      try deletion.endTrial(["installations": 1, "tokens": Int64(stored.tokenKeys.count)])
      return .delete
    }
  }

  private static func deleteCredential(
    _ deletion: Order<(id: InstallationID, kind: CredentialKind)>, _ call: Call
  ) async throws {
    try await call.context.registrar.revise(
      appID: call.app.id, id: deletion.key.id, at: call.now,
      .init(call.source, removal: "credential_deleted"), admit: call.admission()
    ) { stored in
      let stored = try call.found(stored)
      try call.checkSecret(of: stored)
      let kind = deletion.key.kind
      let tokens = stored.tokenKeys.filter { $0.kind == kind }
      guard !tokens.isEmpty else {
        throw Problem(
          .credentialNotFound, "The installation has no \(kind.rawValue) credential.")
      }
      try deletion.precondition.check(stored.entityTag)
      try deletion.endTrial(["tokens": Int64(tokens.count)])
      return .write(stored.losing(tokens, at: call.now))
    }
  }
}

extension Call {
  /// The stored installation, or a problem if there is none.
  func found(_ stored: Installation?) throws -> Installation {
    guard let stored else {
      throw Problem(.installationNotFound, "There is no such installation in this app.")
    }
    return stored
  }

  /// A secret that the app made itself. If the app sends it with its first report already, it can
  /// repeat that report when the answer was lost. A value not of 32 to 256 bytes is ignored.
  fileprivate var offeredSecret: String? {
    guard let secret = request.head.header(Self.secretField), (32...256).contains(secret.utf8.count)
    else {
      return nil
    }
    return secret
  }

  private static let secretField: StaticString = "postilion-installation-secret"

  /// The reason why the user of a report is not believed. If a client could name any user, anyone
  /// could read another person's notifications. The stored user needs no proof: it was proven
  /// before.
  fileprivate func identityFault(
    _ report: RegistrationReport, _ stored: Installation?, _ app: AppRecord
  ) -> IdentityProof.Fault? {
    guard app.identityVerification == .required, request.key?.kind == .client,
      let user = Registration.newUser(stored: stored, report: report)
    else { return nil }
    do throws(IdentityProof.Fault) {
      try IdentityProof.check(report.user.value?.token, of: user, for: app, at: request.now)
      return nil
    } catch {
      return error
    }
  }

  /// A client key ships inside the app, so anyone may have it: it reaches only the installation
  /// whose secret comes with it. An installation that a backend made has no secret until the app
  /// claims it.
  func checkSecret(of stored: Installation) throws {
    guard request.key?.kind == .client else { return }
    guard let hash = stored.secretHash else {
      throw Problem(
        .claimNeeded,
        "A backend or an import made this installation. Report a token that is stored for it, or "
          + "send Postilion-Claim-Code: the code that the backend made for it within a day. Or "
          + "make a new installation id; its tokens move there.")
    }
    guard let secret = request.head.header(Self.secretField) else {
      throw Problem(
        .secretNeeded,
        "Send Postilion-Installation-Secret: the secret that the app made for its first PUT, or "
          + "that this answered as installation_secret.")
    }
    guard constantTimeEqual(SHA256.hash(secret), hash) else {
      throw Problem(
        .secretWrong,
        "This is not the secret of this installation. If the app has lost it, it makes a new "
          + "installation id and a new secret and registers with these; its tokens move there.")
    }
  }
}
