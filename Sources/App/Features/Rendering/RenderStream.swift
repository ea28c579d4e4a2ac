internal import DeviceProfile
internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// Where the devices of an audience are read from.
struct AudienceSource: Sendable {
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

/// The devices of an audience, a portion at a time.
final class AudienceRows: @unchecked Sendable {
  /// All of them, when they are few.
  private var few: [AudienceRow]?
  private let stream: RowStream<StreamAudience>?

  /// Begins to read. A person's devices come with other requests' statements; only more than a few
  /// are worth a connection of their own, of which there are not many.
  init(
    _ statement: StreamAudience, isSmall: Bool, _ database: PostgresClient, for holder: Int32?
  ) async throws {
    if isSmall {
      var bounded = statement
      bounded.limit = Limits.fewDevices + 1
      let rows = try await database.read(bounded)
      if rows.count <= Limits.fewDevices {
        few = rows
        stream = nil
        return
      }
    }
    stream = try await database.open(statement, for: holder)
  }

  /// The next; `nil` when there are no more.
  func next() async throws -> [AudienceRow]? {
    guard let stream else { return few.take() }
    return try await stream.next()
  }

  /// Ends the query, at any time.
  func close() { stream?.close() }
}

/// The answer for an audience, read and written a portion at a time: the database waits while the
/// client is slow, and a client that goes away ends the query.
struct RenderStream: Sendable {
  private let job: RenderJob
  private let request: RenderRequest
  /// How many installations the audience lists by their ids.
  private let listed: Int?
  private let form: RenderForm
  private let permission: Permission
  private let rows: AudienceRows
  private let first: [AudienceRow]?

  /// Begins to read; what cannot be read at all is an error answer. Devices that are named may have
  /// been registered just now.
  init(
    _ job: RenderJob, _ request: RenderRequest, _ source: AudienceSource, _ form: RenderForm,
    _ call: Call
  ) async throws {
    self.job = job
    self.request = request
    self.form = form
    permission = Permission(call)
    listed = source.listed
    let statement = StreamAudience(
      filter: source.filter, ids: source.ids, target: source.target, aspects: job.aspects,
      attributes: job.attributes)
    func read(_ database: PostgresClient) async throws -> (AudienceRows, [AudienceRow]?) {
      let rows = try await AudienceRows(
        statement, isSmall: source.isNamed, database, for: call.holder)
      return (rows, try await rows.next())
    }
    (rows, first) =
      source.isNamed
      ? try await read(job.context.database) : try await job.context.readBehind(read)
  }

  /// The answer, which is written while the rest is read.
  func response(to request: Request) -> Response {
    let (requestID, observation) = (request.requestID, job.context.shared.observation)
    var response = Response(.ok, contentType: form.contentType) { body in
      defer { rows.close() }
      try await write(to: body) { observation.streamFailed($0, requestID: requestID) }
    }
    response.fields.append("Vary", "Accept")
    return response
  }

  private func write(
    to body: any BodyWriter, explain: (any Error) -> [UInt8]
  ) async throws {
    var lines = LineBuffer(isArray: form == .document)
    var writer = request.settings.shape.writer(for: job.app)
    try await body.write(form.opening)
    // Whatever ends it, what went out is counted.
    defer { job.settle() }
    var portion = first
    while let devices = portion {
      do {
        try await job.write(devices, with: &writer, to: &lines)
        try permission.check()
        portion = try await rows.next()
      } catch let error where !(error is CancellationError) {
        try await body.write(lines.take() + form.ending("error", explain(error)))
        throw error
      }
      if lines.bytes.count >= Limits.linesPieceBytes { try await body.write(lines.take()) }
      // Others of this loop have their turn.
      await job.context.loop.sleep(nanoseconds: 0)
    }
    writer.finish(to: &lines)
    if let listed { job.countMissing(listed: listed) }
    job.settle()
    try await body.write(lines.take() + form.ending("summary", job.summary.json))
  }
}
