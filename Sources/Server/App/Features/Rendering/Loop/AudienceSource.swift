internal import DeviceProfile
internal import Postgres
internal import Registry
internal import Rendering

/// The devices of an audience.
struct AudienceSelection: Sendable {
  let filter: InstallationFilter
  /// Only these installations, as far as they exist; `nil` for all that the filter lets through.
  let ids: [InstallationID]?
  /// How many installations the audience lists by their ids.
  let listed: Int?
  /// The tokens of the devices that get the message.
  let target: CredentialTarget
  /// Whether the audience names installations or a person: few devices, as a rule.
  var isNamed: Bool { ids != nil || filter.userIDs != nil }

  /// Looks up the installations of tokens first, as the ledger cannot be joined with them.
  init(
    _ audience: Audience, _ target: CredentialTarget, _ app: AppRecord,
    _ database: PostgresClient
  ) async throws {
    var target = target
    if case .token(let token) = audience { target.token = token }
    self.target = target
    switch audience {
    case .installation(let id):
      filter = InstallationFilter(appID: app.id)
      ids = [id]
      listed = 1
    case .token(let token):
      filter = InstallationFilter(appID: app.id)
      let holders = try await database.read(
        .holders(of: [token], target.kind, app.id))
      guard !holders.isEmpty else {
        throw Problem(
          .tokenNotFound, "No installation of this app has this \(target.kind.rawValue) token.")
      }
      ids = holders.map(\.id)
      listed = nil
    case .user(let user):
      var filter = InstallationFilter(appID: app.id)
      filter.userIDs = [user]
      self.filter = filter
      ids = nil
      listed = nil
    case .all(let audience):
      filter = audience.filter.ofApp(app.id)
      listed = audience.installations?.count
      ids = try await filter.audienceIDs(database) ?? audience.installations
    }
  }
}

/// An audience: one recipient, whose devices come a portion at a time.
final class AudienceSource: RenderSource, @unchecked Sendable {
  let renderLoop: RenderLoop
  let listed: Int?
  /// The next rows, which are read already.
  private var ahead: [AudienceRow]?
  /// `nil` when there are few rows, which are read already.
  private let stream: RowStream<AudienceRow>?

  /// Begins to read. If nothing can be read, the answer is an error. Named devices may have been
  /// registered just now, so they are not read from a replica.
  init(_ audience: Audience, _ renderLoop: RenderLoop, _ call: Call) async throws {
    self.renderLoop = renderLoop
    let plan = renderLoop.plan
    let selection = try await AudienceSelection(
      audience, plan.target, call.app, call.context.database)
    listed = selection.listed
    let question = plan.question(selection.target)
    (stream, ahead) =
      selection.isNamed
      ? try await Self.readFew(question, selection, call)
      : try await call.context.readBehind { try await Self.read(question, selection, $0, call) }
  }

  /// Reads a few devices together with the statements of other requests. Only more devices are
  /// worth a connection of their own, as there are not many connections.
  private static func readFew(
    _ question: DeviceQuestion, _ selection: AudienceSelection, _ call: Call
  ) async throws -> (RowStream<AudienceRow>?, [AudienceRow]?) {
    let rows = try await call.context.database.read(
      .devices(question, of: selection.filter, ids: selection.ids, limit: Limits.fewDevices + 1))
    if rows.count <= Limits.fewDevices { return (nil, rows.isEmpty ? nil : rows) }
    return try await read(question, selection, call.context.database, call)
  }

  private static func read(
    _ question: DeviceQuestion, _ selection: AudienceSelection, _ database: PostgresClient,
    _ call: Call
  ) async throws -> (RowStream<AudienceRow>?, [AudienceRow]?) {
    let stream = try await database.open(
      .devices(question, of: selection.filter, ids: selection.ids), for: call.holder)
    return (stream, try await stream.next())
  }

  func next() async throws -> [PreparedRecipient]? {
    var rows = ahead.take()
    if rows == nil { rows = try await stream?.next() }
    guard let rows, let everyone = renderLoop.plan.everyone else { return nil }
    return [
      PreparedRecipient(
        index: nil, content: .recipient(everyone),
        devices: try await renderLoop.devices.prepare(rows))
    ]
  }

  func close() { stream?.close() }
}
