internal import Crypto
internal import HTTP
internal import JSON
internal import Postgres

/// Installations: registered by apps, read and listed by backends.
enum Installations {
  private static let path = "/v1/apps/{app}/installations/{installation_id}"
  private static let writers = Access.keys([.client, .sender, .admin])

  static let endpoints: [Endpoint] = [
    report(.put, "putInstallation"),
    report(.patch, "patchInstallation"),
    Endpoint(
      .get, path, "getInstallation", writers,
      decode: { call in (try call.app.id, try call.installationID()) },
      perform: { key, call in
        let stored = try await call.stored(appID: key.0, id: key.1)
        try call.checkSecret(of: stored)
        return stored
      },
      encode: { stored, _ in .json(text: InstallationView(installation: stored).json) }),
    Endpoint(
      .delete, path, "deleteInstallation", writers,
      decode: { call in (try call.app.id, try call.installationID()) },
      perform: delete,
      encode: { _, _ in Response(.noContent) }),
    Endpoint(
      .delete, path + "/credentials/{kind}", "deleteCredential", writers,
      decode: { call in
        guard let kind = CredentialKind(rawValue: try call.parameter("kind")) else {
          throw Problem(.credentialNotFound, "The kinds of credentials are apns and voip.")
        }
        return (try call.app.id, try call.installationID(), kind)
      },
      perform: deleteCredential,
      encode: { _, _ in Response(.noContent) }),
    Endpoint(
      .get, "/v1/apps/{app}/installations", "listInstallations", .backends,
      decode: InstallationQuery.init,
      perform: { query, call in (try await query.run(call.context.database), query.limit) },
      encode: { result, _ in
        .json(text: InstallationView.page(result.0, limit: result.1))
      }),
  ]

  // MARK: Report

  private static func report(_ method: Method, _ operation: String) -> Endpoint {
    Endpoint(
      method, path, operation, writers, body: .json(limit: Limits.installationBodyBytes),
      decode: { call in
        let decoded = try call.decodeBody(RegistrationReport.self)
        return (try call.app, try call.installationID(), decoded)
      },
      perform: { input, call in
        try call.checkIdentity(input.2.body.user, input.0)
        let registered = try await register(
          appID: input.0.id, id: input.1, input.2.body, mayCreate: method == .put, call)
        return (registered, input.2.ignored)
      },
      encode: { output, _ in
        let (registered, ignored) = output
        let view = InstallationView(
          installation: registered.decision.installation,
          result: InstallationView.Result(
            applied: registered.decision.outcome != .stale, ignored: ignored,
            secret: registered.secret))
        return .json(
          text: view.json, registered.decision.outcome == .created ? .created : .ok)
      })
  }

  private struct Registered: Sendable {
    var decision: Registration.Decision
    /// The secret, when this report was given one.
    var secret: String?
  }

  /// Loads, decides, writes; and again when another writer was faster.
  private static func register(
    appID: Int32, id: InstallationID, _ report: RegistrationReport, mayCreate: Bool, _ call: Call
  ) async throws -> Registered {
    let database = call.context.database
    // Hardly any new token has an owner, so the first attempt does not ask; if there is one, the
    // claim fails and the second attempt does.
    var asksOwners = false
    for _ in 0..<Limits.registrationAttempts {
      let stored = try await call.context.installations.load(appID: appID, id: id)
      if let stored { try call.checkSecret(of: stored, mayBeFirst: true) }
      if stored == nil, !mayCreate {
        throw Problem(.installationNotFound, "There is no such installation; PUT creates it.")
      }
      var situation = Registration.Situation(appID: appID, id: id, stored: stored, now: call.now)
      let newTokens = Registration.newTokenKeys(stored: stored, report: report)
      if asksOwners, !newTokens.isEmpty {
        let tokens = newTokens.map { OwnedToken(appID: appID, key: $0) }
        for (token, owner) in try await database.read(LoadTokenOwners(tokens: tokens)) {
          situation.owners[token.key] = owner
        }
      }
      var secret: String?
      if stored?.secretHash == nil, call.key?.kind == .client {
        secret =
          call.offeredSecret ?? Base64URL.encode(call.context.shared.randomBytes(24))
        situation.newSecretHash = secret.map { SHA256.hash($0) }
      }
      let decision = try Registration.decide(situation, report)
      if try await call.context.write(decision, call.now) {
        return Registered(decision: decision, secret: decision.issuesSecret ? secret : nil)
      }
      asksOwners = true
    }
    throw Problem(
      .conflict, "Others keep changing this installation or its tokens; try again.",
      fields: [("Retry-After", "1")])
  }

  // MARK: Deletion

  private static func delete(
    _ key: (appID: Int32, id: InstallationID), _ call: Call
  ) async throws {
    for _ in 0..<Limits.registrationAttempts {
      let stored = try await call.stored(appID: key.appID, id: key.id)
      try call.checkSecret(of: stored)
      let tokens = stored.tokenKeys.map { OwnedToken(appID: key.appID, key: $0) }
      let isDeleted = try await call.context.database.transaction { transaction in
        let deleted = transaction.add(
          DeleteInstallation(appID: key.appID, id: key.id, revision: stored.revision))
        if !tokens.isEmpty {
          transaction.add(ReleaseTokens(tokens: tokens, owners: tokens.map { _ in key.id }))
        }
        try await transaction.send()
        guard !deleted.rows.isEmpty else { throw Outrun() }
      }
      if isDeleted { return }
    }
    throw Problem(.conflict, "Others keep changing this installation; try again.")
  }

  private static func deleteCredential(
    _ key: (appID: Int32, id: InstallationID, kind: CredentialKind), _ call: Call
  ) async throws {
    for _ in 0..<Limits.registrationAttempts {
      let stored = try await call.stored(appID: key.appID, id: key.id)
      try call.checkSecret(of: stored)
      guard let removal = stored.removing(key.kind, now: call.now) else {
        throw Problem(
          .credentialNotFound, "The installation has no \(key.kind.rawValue) credential.")
      }
      var changes = Registrar.ChangeSet()
      changes.writes = [removal.installation]
      changes.releases = [(OwnedToken(appID: key.appID, key: removal.release), key.id)]
      if try await call.context.registrar.commit(changes) { return }
    }
    throw Problem(.conflict, "Others keep changing this installation; try again.")
  }
}

/// Another writer was faster; the transaction is rolled back.
private struct Outrun: Error {}

extension PostgresClient {
  /// Runs a transaction that may find itself outrun.
  /// - Returns: Whether it was committed.
  fileprivate func transaction(_ body: (Transaction) async throws -> Void) async throws -> Bool {
    do {
      try await transaction { try await body($0) } as Void
      return true
    } catch is Outrun {
      return false
    }
  }
}

extension Call {
  /// The stored installation.
  fileprivate func stored(appID: Int32, id: InstallationID) async throws -> Installation {
    guard let stored = try await context.installations.load(appID: appID, id: id) else {
      throw Problem(.installationNotFound, "There is no such installation in this app.")
    }
    return stored
  }

  /// A secret that the app made itself: sent from its first report on, a report whose answer was
  /// lost can be sent again. Shorter than 32 characters it is not taken for one.
  fileprivate var offeredSecret: String? {
    guard let secret = head.header(Self.secretField), (32...256).contains(secret.utf8.count) else {
      return nil
    }
    return secret
  }

  private static let secretField: StaticString = "postilion-installation-secret"

  /// An app that wants its users proven is not told a user by a client: the proof cannot be checked
  /// yet, and taking it unchecked would let anyone read another person's notifications.
  fileprivate func checkIdentity(_ user: Change<ReportedUser>, _ app: AppRecord) throws {
    guard app.identityVerification == .required, key?.kind == .client, user.value?.id != nil
    else { return }
    throw Problem(
      .identityUnproven,
      "This app wants its users proven, which this version cannot do; the backend may name them.")
  }

  /// A client key ships inside the app, so anyone may have it: it reaches only the installation
  /// whose secret comes with it. One that a backend made has none: the first report of the app
  /// itself (`mayBeFirst`) is given it.
  fileprivate func checkSecret(of stored: Installation, mayBeFirst: Bool = false) throws {
    guard key?.kind == .client, stored.secretHash != nil || !mayBeFirst else { return }
    guard let secret = head.header(Self.secretField) else {
      throw Problem(
        .secretNeeded,
        "Send Postilion-Installation-Secret, which the first PUT answered as installation_secret.")
    }
    guard let hash = stored.secretHash, constantTimeEqual(SHA256.hash(secret), hash) else {
      throw Problem(.secretWrong, "This is not the secret of this installation.")
    }
  }
}

extension LoopContext {
  /// Writes what was decided.
  /// - Returns: `false` when another writer was faster.
  fileprivate func write(_ decision: Registration.Decision, _ now: Timestamp) async throws -> Bool {
    let installation = decision.installation
    let owned = { (key: TokenKey) in OwnedToken(appID: installation.appID, key: key) }
    var changes = Registrar.ChangeSet()
    switch decision.outcome {
    case .unchanged, .stale: return true
    case .touched: changes.touches = [installation]
    case .created, .updated: changes.writes = [installation]
    }
    changes.claims = decision.claims.map { claim in
      ClaimTokens.Entry(
        token: owned(claim.key), owner: installation.id, previousOwner: claim.previousOwner,
        registeredAt: installation.credentials[claim.key.kind]?.registeredAt ?? now)
    }
    changes.releases = decision.releases.map { (owned($0), installation.id) }
    for id in decision.displaced {
      guard let previous = try await installations.load(appID: installation.appID, id: id) else {
        continue
      }
      let lost = decision.claims.filter { $0.previousOwner == id }.map(\.key)
      // Also one that gave its token up meanwhile: behind its next revision it cannot have taken
      // the token back unseen.
      var next = previous.losing(lost, now: now) ?? previous
      if next.revision == previous.revision { next.revision += 1 }
      changes.writes.append(next)
    }
    return try await registrar.commit(changes)
  }
}
