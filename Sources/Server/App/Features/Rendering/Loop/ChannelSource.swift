internal import APNs
internal import ASCII
internal import Content
internal import JSON
internal import Postgres
internal import Rendering

/// Channels: one recipient, whose requests update the Live Activities of all subscribers.
final class ChannelSource: RenderSource, @unchecked Sendable {
  let renderLoop: RenderLoop
  private var records: ArraySlice<ChannelRecord>
  /// The build of the last upload. Phones are assumed to have its strings, as nobody knows their
  /// builds.
  private let build: String?

  /// - Throws: ``InputFailure`` for a request that is no broadcast, ``ContentFailure``,
  ///   ``PostgresError``.
  init(_ request: BroadcastRequest, _ call: Call, _ metrics: RenderMetrics) async throws {
    let content = call.context.content
    var (name, message, arguments) = try await content.resolve(request.message, of: call.app)
    let records = try await Self.records(request.choice, call)
    try request.settings.check(message)
    try Self.check(message, for: records)
    message.push?.isBroadcast = true
    let plan = try RenderPlan(
      message, name: name, .common(arguments), request.settings, app: call.app, now: call.now)
    renderLoop = RenderLoop(plan, call, metrics, summary: RenderSummary(counts: "channels"))
    self.records = records[...]
    build = try await content.catalogVersions(of: call.app.id).used(by: []).first
  }

  private static func records(
    _ choice: BroadcastRequest.Choice, _ call: Call
  ) async throws -> [ChannelRecord] {
    switch choice {
    case .type(let type):
      try await call.context.database.read(.listChannels(appID: call.app.id, type: type))
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

  func next() async throws -> [PreparedRecipient]? {
    guard !records.isEmpty, let everyone = renderLoop.plan.everyone else { return nil }
    var channels: [PreparedDevice] = []
    for record in records.prefix(Limits.recipientsPerPiece) {
      channels.append(
        PreparedDevice(destination: .channel(record), known: try await known(record)))
    }
    records = records.dropFirst(channels.count)
    return [PreparedRecipient(index: nil, content: .recipient(everyone), devices: channels)]
  }

  private func known(_ record: ChannelRecord) async throws -> KnownDevice {
    switch record.status {
    case .gone: KnownDevice(unreachable: .channelGone)
    case .wanted: KnownDevice(unreachable: .channelNotCreated)
    case .created: try await renderLoop.devices.of(record.channel.typicalDevice(build: build))
    }
  }

  /// The JSON of the one request.
  /// - Throws: ``Problem`` when there is none.
  func object() async throws -> [UInt8] {
    guard let piece = try await next()?.first, case .recipient(let everyone) = piece.content,
      let channel = piece.devices.first
    else { throw ContentFailure.channelNotFound }
    return try renderLoop.object(for: everyone, at: channel)
  }
}
