internal import DeviceProfile
internal import Postgres
internal import Registry
internal import Rendering

/// Which devices an audience is.
struct AudienceSelection: Sendable {
  let filter: InstallationFilter
  /// Only these installations, if they are there.
  let ids: [InstallationID]?
  /// How many installations the audience lists by their ids.
  let listed: Int?
  /// Which of their tokens.
  let target: CredentialTarget
  /// Whether it is named: few devices, as a rule.
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
        FindHoldersOfTokens(appID: app.id, kind: target.kind, tokens: [token]))
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
      var filter = audience.filter
      filter.appID = app.id
      self.filter = filter
      listed = audience.installations?.count
      ids = try await filter.audienceIDs(database) ?? audience.installations
    }
  }
}

/// An audience: one recipient, whose devices come a portion at a time.
final class AudienceSource: RenderSource, @unchecked Sendable {
  let loop: RenderLoop
  let listed: Int?
  /// The next, which are read already.
  private var ahead: [AudienceRow]?
  /// `nil` when they are few, and read.
  private let stream: RowStream<StreamAudience>?

  /// Begins to read; what cannot be read at all is an error answer. Devices that are named may have
  /// been registered just now.
  init(_ audience: Audience, _ loop: RenderLoop, _ call: Call) async throws {
    self.loop = loop
    let plan = loop.plan
    let selection = try await AudienceSelection(
      audience, plan.target, call.app, call.context.database)
    listed = selection.listed
    let statement = StreamAudience(
      filter: selection.filter, ids: selection.ids, target: selection.target,
      aspects: plan.aspects, attributes: plan.attributes)
    (stream, ahead) =
      selection.isNamed
      ? try await Self.readFew(statement, call)
      : try await call.context.readBehind { try await Self.read(statement, $0, call) }
  }

  /// A person's devices come with other requests' statements; only more than a few are worth a
  /// connection of their own, of which there are not many.
  private static func readFew(
    _ statement: StreamAudience, _ call: Call
  ) async throws -> (RowStream<StreamAudience>?, [AudienceRow]?) {
    var bounded = statement
    bounded.limit = Limits.fewDevices + 1
    let rows = try await call.context.database.read(bounded)
    if rows.count <= Limits.fewDevices { return (nil, rows.isEmpty ? nil : rows) }
    return try await read(statement, call.context.database, call)
  }

  private static func read(
    _ statement: StreamAudience, _ database: PostgresClient, _ call: Call
  ) async throws -> (RowStream<StreamAudience>?, [AudienceRow]?) {
    let stream = try await database.open(statement, for: call.holder)
    return (stream, try await stream.next())
  }

  func next() async throws -> [PreparedRecipient]? {
    var rows = ahead.take()
    if rows == nil { rows = try await stream?.next() }
    guard let rows, let everyone = loop.plan.everyone else { return nil }
    return [
      PreparedRecipient(
        index: nil, content: .recipient(everyone), devices: try await loop.devices.prepare(rows))
    ]
  }

  func close() { stream?.close() }
}
