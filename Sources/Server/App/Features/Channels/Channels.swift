internal import Content
internal import DeviceProfile
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// Channels: one broadcast updates the Live Activities of all subscribers. APNs makes a channel
/// when a sender asks APNs for it; the sender then reports the id.
enum Channels {
  private static let path = "/v1/apps/{app}/channels/{name}"

  static let endpoints: [Endpoint] = [
    .replacement(
      path, "putChannel", .backends, body: .json(limit: Limits.channelBodyBytes), key: name,
      read: { try $0.decodeBody(ChannelBody.self).body.channel }, perform: put,
      tag: { $0.record.entityTag }),
    Endpoint(
      .post, path + "/created", "reportCreatedChannel", .backends,
      body: .json(limit: Limits.channelBodyBytes),
      decode: { request in
        (name: try name(request), id: try request.decodeBody(CreatedChannelRequest.self).body.id)
      },
      perform: { created, call in
        try await change(created.name, call) { stored in
          guard var record = stored else { throw ContentFailure.channelNotFound }
          guard record.channel.id != created.id || record.status == .gone else { return record }
          record.channel.id = created.id
          record.goneReason = nil
          record.updatedAt = call.now
          return record
        }
      },
      encode: { written, _ in
        .json(written.view).tagged(written.view.record.entityTag)
      }),
    .list(
      "/v1/apps/{app}/channels", "listChannels", .backends, view: { ChannelView(record: $0) },
      position: \.name
    ) { request, query, span in
      .listChannels(
        appID: request.app.id, after: span.after ?? "",
        type: query.text("type", maximum: MessageLimits.identifierBytes), limit: span.limit)
    },
    Endpoint(
      .get, path, "getChannel", .backends,
      decode: { request in try name(request) },
      perform: { name, call in
        let record = try await call.context.content.channelRecord(name, of: call.app.id)
        return ChannelView(record: record, bundleID: call.app.bundleID)
      },
      encode: { view, request in
        try .json(view).tagged(view.record.entityTag, unlessKnown: request)
      }),
    .deletion(
      path, "deleteChannel", .backends, key: name,
      perform: { deletion, call in
        try await call.context.content.changeChannel(deletion.key, of: call.app.id) {
          stored, transaction in
          guard let stored else { throw ContentFailure.channelNotFound }
          try deletion.precondition.check(stored.entityTag)
          try deletion.endTrial(["channels": 1])
          transaction.add(ChannelKey(appID: call.app.id, name: stored.name).deletion)
        }
      }),
  ]

  private static func name(_ request: Request) throws -> String {
    guard let name = MessageName(try request.parameter("name")) else {
      throw InputFailure(.invalidName, at: "name", MessageName.rule)
    }
    return name.text
  }

  private static func put(
    _ order: Order<String>, _ asked: BroadcastChannel, _ call: Call
  ) async throws -> Replaced<ChannelView> {
    try await change(order.key, call, by: order) { stored in
      try order.precondition.check(stored?.entityTag)
      return try record(of: asked, named: order.key, over: stored, at: call.now)
    }
  }

  /// The record to store. If the stored channel is the same, its record stays as it is.
  private static func record(
    of asked: BroadcastChannel, named name: String, over stored: ChannelRecord?, at now: Timestamp
  ) throws(Problem) -> ChannelRecord {
    guard var record = stored else {
      return ChannelRecord(name: name, channel: asked, createdAt: now, updatedAt: now)
    }
    var channel = asked
    let isMoved =
      channel.environment != record.channel.environment
      || channel.storagePolicy != record.channel.storagePolicy
    if isMoved, record.status == .created {
      throw Problem(
        .channelFixed,
        "APNs has made this channel, and its environment and storage policy stay. Delete it there "
          + "and here, or take another name.")
    }
    if !isMoved { channel.id = record.channel.id }
    guard channel != record.channel else { return record }
    record.channel = channel
    if channel.id == nil { record.goneReason = nil }
    record.updatedAt = now
    return record
  }

  /// Stores the channel that `decide` returns, unless it equals the stored one, or the order is
  /// only tried.
  private static func change(
    _ name: String, _ call: Call, by order: Order<String>? = nil,
    _ decide: (ChannelRecord?) throws -> ChannelRecord
  ) async throws -> Replaced<ChannelView> {
    let (appID, bundleID) = (call.app.id, call.app.bundleID)
    let (record, isNew) = try await call.context.content.changeChannel(name, of: appID) {
      stored, transaction in
      var record = try decide(stored)
      if stored == nil {
        let count = try await transaction.run(ChannelRecord.count(of: appID)).first ?? 0
        guard count < Limits.channels else {
          throw InputFailure(
            .tooMany, at: "name", "An app has at most \(Limits.channels) channels.")
        }
      }
      try order?.endTrial(as: ChannelView(record: record, bundleID: bundleID))
      if record == stored { return (record, false) }
      let written = transaction.add(.upsertChannel(appID: appID, record: record))
      try await transaction.send()
      record.tag = written.rows.first ?? 0
      return (record, stored == nil)
    }
    return Replaced(view: ChannelView(record: record, bundleID: bundleID), isNew: isNew)
  }
}

/// The body of `PUT …/channels/{name}`.
struct ChannelBody: RequestBody {
  static var policy: FieldPolicy { .strict }

  let channel: BroadcastChannel

  init?(reading fields: FieldReader) {
    let environment = fields.required(
      fields.word("environment", of: Environment.self), "environment")
    let policy = fields.integer("storage_policy", in: 0...1).value ?? 0
    let type = fields.required(
      fields.text("type", maximum: MessageLimits.identifierBytes, minimum: 1), "type")
    let language = fields.language("language").value
    guard let environment, let type else { return nil }
    channel = BroadcastChannel(
      environment: environment, storagePolicy: policy == 0 ? .none : .latest, type: type,
      language: language)
  }
}

/// The body of `POST …/channels/{name}/created`: the id that APNs answered in `apns-channel-id`.
struct CreatedChannelRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  let id: String

  init?(reading fields: FieldReader) {
    let text = fields.required(
      fields.text("channel_id", maximum: Limits.channelIDBytes, minimum: 1), "channel_id")
    guard let text else { return nil }
    guard let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
      fields.refuse(.unknownValue, at: "channel_id", "The base64 that APNs gave.")
      return nil
    }
    id = text
  }
}
