internal import APNs
internal import ASCII
internal import Content
internal import JSON
internal import Postgres
internal import Rendering

/// Channels: one recipient, whose requests update the Live Activities of all who subscribe.
final class ChannelSource: RenderSource, @unchecked Sendable {
  let loop: RenderLoop
  private var records: ArraySlice<ChannelRecord>
  /// The last upload: what the strings of phones are taken for, as nobody knows which have it.
  private let build: String?

  /// - Throws: ``InputFailure`` for what is no broadcast, ``ContentFailure``, ``PostgresError``.
  init(_ request: BroadcastRequest, _ call: Call, _ metrics: RenderMetrics) async throws {
    let content = call.context.content
    var (name, message, arguments) = try await content.resolve(request.message, of: call.app)
    let records = try await Self.records(request.choice, call)
    try request.settings.check(message)
    try Self.check(message, for: records)
    message.push?.isBroadcast = true
    let plan = try RenderPlan(
      message, name: name, .same(arguments), request.settings, app: call.app, now: call.now)
    loop = RenderLoop(plan, call, metrics, summary: RenderSummary(counts: "channels"))
    self.records = records[...]
    build = try await content.catalogVersions(of: call.app.id).used(by: []).first
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

  func next() async throws -> [PreparedRecipient]? {
    guard !records.isEmpty, let everyone = loop.plan.everyone else { return nil }
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
    case .created: try await loop.devices.of(record.channel.typicalDevice(build: build))
    }
  }

  /// The JSON of the one request.
  /// - Throws: ``Problem`` when there is none.
  func object() async throws -> [UInt8] {
    guard let piece = try await next()?.first, case .recipient(let everyone) = piece.content,
      let channel = piece.devices.first
    else { throw ContentFailure.channelNotFound }
    return try loop.object(for: everyone, at: channel)
  }
}
