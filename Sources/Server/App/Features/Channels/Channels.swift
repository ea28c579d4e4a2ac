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
    Endpoint(
      .put, path, "putChannel", .backends, body: .json(limit: Limits.channelBodyBytes),
      decode: { request in
        (
          name: try name(request), channel: try request.decodeBody(ChannelBody.self).body.channel,
          precondition: try Precondition(request.head)
        )
      },
      perform: put,
      encode: { written, request in
        .json(written.view, written.isNew ? .created : .ok)
          .tagged(written.view.record.entityTag).located(at: request.head.path)
      }),
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

  private struct Written: Sendable {
    let view: ChannelView
    let isNew: Bool
  }

  private static func put(
    _ asked: (name: String, channel: BroadcastChannel, precondition: Precondition), _ call: Call
  ) async throws -> Written {
    try await change(asked.name, call) { stored in
      try asked.precondition.check(stored?.entityTag)
      guard var record = stored else {
        return ChannelRecord(
          name: asked.name, channel: asked.channel, createdAt: call.now, updatedAt: call.now)
      }
      var channel = asked.channel
      let isMoved =
        channel.environment != record.channel.environment
        || channel.storagePolicy != record.channel.storagePolicy
      if isMoved, record.status == .created {
        throw Problem(
          .channelFixed,
          "APNs has made this channel, and its environment and storage policy stay. Delete it "
            + "there and here, or take another name.")
      }
      if !isMoved { channel.id = record.channel.id }
      guard channel != record.channel else { return record }
      record.channel = channel
      if channel.id == nil { record.goneReason = nil }
      record.updatedAt = call.now
      return record
    }
  }

  /// Stores the channel that `decide` returns, unless it equals the stored one.
  private static func change(
    _ name: String, _ call: Call,
    _ decide: (ChannelRecord?) throws -> ChannelRecord
  ) async throws -> Written {
    let appID = call.app.id
    let (record, isNew) = try await call.context.content.changeChannel(name, of: appID) {
      stored, transaction in
      var record = try decide(stored)
      if record == stored { return (record, false) }
      if stored == nil {
        let count = try await transaction.run(ChannelRecord.count(of: appID)).first ?? 0
        guard count < Limits.channels else {
          throw InputFailure(
            .tooMany, at: "name", "An app has at most \(Limits.channels) channels.")
        }
      }
      let written = transaction.add(.upsertChannel(appID: appID, record: record))
      try await transaction.send()
      record.tag = written.rows.first ?? 0
      return (record, stored == nil)
    }
    return Written(view: ChannelView(record: record, bundleID: call.app.bundleID), isNew: isNew)
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
