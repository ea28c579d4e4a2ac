internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Tags of an installation that are added and removed, whatever else is in the list.
enum InstallationTags {
  static let endpoint = Endpoint(
    .post, "/v1/apps/{app}/installations/{installation_id}/tags", "changeTags",
    .keys([.client, .sender, .admin]), body: .json(limit: Limits.installationBodyBytes),
    decode: { request in
      (
        id: try request.installationID(), change: try request.decodeBody(TagChange.self).body,
        precondition: try Precondition(request.head)
      )
    },
    perform: perform,
    encode: { installation, _ in
      Response.json(InstallationView(installation: installation)).tagged(installation.entityTag)
    })

  private static func perform(
    _ order: (id: InstallationID, change: TagChange, precondition: Precondition), _ call: Call
  ) async throws -> Installation {
    var present: Installation?
    try await call.context.registrar.revise(
      appID: call.app.id, id: order.id, at: call.now, .init(call.source),
      admit: call.admission()
    ) { stored in
      let stored = try call.found(stored)
      try call.checkSecret(of: stored)
      try order.precondition.check(stored.entityTag)
      switch order.change.newTags(from: stored.tags) {
      case .same:
        present = stored
        return .keep
      case .changed(let tags):
        let next = stored.revised(at: call.now) { $0.tags = tags }
        present = next
        return .write(next)
      case .tooMany(let count):
        throw InputFailure(
          .tooMany, at: "/add",
          "The installation would have \(count) tags, and may have \(RegistryLimits.tags).")
      }
    }
    return try call.found(present)
  }
}
