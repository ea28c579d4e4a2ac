internal import APNs
internal import ASCII
internal import Content
internal import Crypto
internal import DeviceProfile
internal import EventLoop
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres
internal import Rendering

/// The body of `POST …/render` whose `to` names channels: what to say, and where.
struct BroadcastRequest: RequestBody {
  /// The channels.
  enum Choice: Sendable {
    /// One, which must be there.
    case channel(String)
    /// All with an attributes type.
    case type(String)
  }

  static var policy: FieldPolicy { .strict }

  let message: MessageChoice
  let choice: Choice
  let settings: RenderSettings

  /// Whether a body is one.
  static func isMeant(by fields: FieldReader) -> Bool {
    guard case .object(let members)? = fields.json("to").value else { return false }
    return members["channel"] != nil || members["channels"] != nil
  }

  init?(reading fields: FieldReader) {
    let message = fields.messageChoice()
    let choice = fields.object("to") { fields -> Choice? in
      if fields.has("channel"), fields.has("channels") {
        fields.refuse(.tooMany, at: "channels", "Either `channel` or `channels`.")
        fields.ignoreUnknownFields()
      }
      func text(_ name: String, in fields: FieldReader) -> String? {
        fields.required(
          fields.text(name, maximum: MessageLimits.identifierBytes, minimum: 1), name)
      }
      guard fields.has("channels") else { return text("channel", in: fields).map(Choice.channel) }
      return fields.object("channels") { text("type", in: $0).map(Choice.type) }.value
    }.value
    settings = RenderSettings(reading: fields)
    if settings.shape != .requests(settings.shape.payloadForm) {
      fields.refuse(.unknownValue, at: "shape", "Channels get `requests`.")
    }
    guard let message, let choice else { return nil }
    self.message = message
    self.choice = choice
  }
}

/// The broadcasts of one call: the requests that update the Live Activities of all who subscribe.
struct Broadcasts: Sendable {
  private let renderer: Renderer
  private let records: [ChannelRecord]
  private let settings: RenderSettings
  private let context: LoopContext
  private let catalogs: RenderCatalogs
  private let metrics: RenderMetrics
  /// The last upload: what the strings of phones are taken for, as nobody knows which have it.
  private let build: String?

  /// - Throws: ``InputFailure`` for what is no broadcast, ``ContentFailure``, ``PostgresError``.
  init(_ request: BroadcastRequest, _ call: Call, _ metrics: RenderMetrics) async throws {
    let (name, resolved, arguments) = try await call.context.content.resolve(
      request.message, of: call.app)
    records = try await Self.records(request.choice, call)
    try request.settings.check(resolved)
    try Self.check(resolved, for: records)
    var message = resolved
    message.push?.isBroadcast = true
    renderer = Renderer(
      message: message, name: name, arguments: arguments, app: AppFacts(call.app),
      options: request.settings.options(for: message), now: call.now.microseconds / 1_000_000)
    settings = request.settings
    context = call.context
    self.metrics = metrics
    catalogs = RenderCatalogs(of: call.app, call.context, metrics)
    build = try await call.context.content.catalogVersions(of: call.app.id).used(by: []).first
  }

  private static func records(
    _ choice: BroadcastRequest.Choice, _ call: Call
  ) async throws -> [ChannelRecord] {
    switch choice {
    case .type(let type):
      try await call.context.database.read(ListChannels(appID: call.app.id, type: type))
    case .channel(let name):
      [try await call.context.content.channelRecord(name, of: call.app.id)]
    }
  }

  /// Refuses a message that no channel takes.
  private static func check(
    _ message: Message, for records: [ChannelRecord]
  ) throws(InputFailure) {
    func refuse(_ fault: InputFault, _ place: String, _ detail: String) -> InputFailure {
      InputFailure(fault, at: place, detail)
    }
    guard let push = message.push, push.isActivity, push.event != .start else {
      throw refuse(
        .unsupportedPushType, "/message", "A channel takes updates and ends of Live Activities.")
    }
    if push.name != nil {
      throw refuse(
        .unknownField, "/message/live_activity/activity",
        "A broadcast goes to all activities that subscribe; leave `activity` out.")
    }
    if let other = records.first(where: { push.type?.isSpelled(like: $0.channel.type) != true }) {
      throw refuse(
        .unknownValue, "/message/live_activity/type",
        "The channel `\(other.name)` is for activities of the type `\(other.channel.type)`.")
    }
  }

  /// The one request, as a JSON object.
  /// - Throws: ``Problem`` when there is none.
  func object() async throws -> [UInt8] {
    guard let record = records.first else { throw ContentFailure.channelNotFound }
    switch try await verdict(of: record) {
    case .skipped(let reason, let detail):
      metrics.skipped(reason, devices: 1)
      throw Problem(reason, detail)
    case .content(let content):
      metrics.rendered(content, devices: 1)
      return line(content, record)
    }
  }

  /// All requests and the summary, written while they are made.
  func response(_ form: RenderForm, to request: Request) -> Response {
    let (requestID, observation) = (request.requestID, context.shared.observation)
    var response = Response(.ok, contentType: form.contentType) { body in
      var lines = LineBuffer(isArray: form == .document)
      var summary = RenderSummary(counts: "channels")
      try await body.write(form.opening)
      do {
        for record in records {
          switch try await verdict(of: record) {
          case .skipped(let reason, _):
            summary.skipped[reason, default: 0] += 1
            metrics.skipped(reason, devices: 1)
          case .content(let content):
            summary.add(content, devices: 1)
            metrics.rendered(content, devices: 1)
            lines.add { $0 += line(content, record) }
          }
          guard lines.bytes.count >= Limits.linesPieceBytes else { continue }
          try await body.write(lines.take())
          // Others of this loop have their turn.
          await context.loop.sleep(nanoseconds: 0)
        }
      } catch let error where !(error is CancellationError) {
        let explained = observation.streamFailed(error, requestID: requestID)
        try await body.write(lines.take() + form.ending("error", explained))
        throw error
      }
      try await body.write(lines.take() + form.ending("summary", summary.json))
    }
    response.fields.append("Vary", "Accept")
    return response
  }

  private func verdict(of record: ChannelRecord) async throws -> Verdict {
    switch record.status {
    case .gone: return .skipped(.channelGone, detail: nil)
    case .wanted: return .skipped(.channelNotCreated, detail: nil)
    case .created: break
    }
    let device = record.channel.typicalDevice(build: build)
    let views = try await catalogs.catalogs(for: device)
    return renderer.verdict(
      in: renderer.circumstances(of: device, catalogs: views),
      includesDenied: settings.includesDenied)
  }

  private func line(_ content: RenderedContent, _ record: ChannelRecord) -> [UInt8] {
    var writer = JSONWriter()
    content.writeBroadcast(
      to: record.channel, named: record.name,
      id: UUID(randomBytes: context.shared.randomBytes(16)), settings.shape.payloadForm,
      to: &writer)
    return writer.bytes
  }
}
