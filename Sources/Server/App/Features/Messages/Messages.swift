internal import ASCII
internal import Content
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// Messages: notifications that the backend names instead of spelling them out.
enum Messages {
  private static let path = "/v1/apps/{app}/messages/{name}"

  static let endpoints: [Endpoint] = [
    .replacement(
      path, "putMessage", .admin, body: .json(limit: Limits.messageBodyBytes), key: key,
      read: Definition.init, perform: put, tag: { $0.record.entityTag }),
    .list(
      "/v1/apps/{app}/messages", "listMessages", .admin, view: { MessageView(record: $0) },
      position: \.name, pageMaximum: Limits.messagesPage
    ) { request, _, span in
      MessageRecord.list(of: request.app.id, after: span.after ?? "", limit: span.limit)
    },
    Endpoint(
      .get, path, "getMessage", .admin,
      decode: { request in LoadRecord(try key(request)) },
      perform: { load, call in
        guard let record = try await call.context.database.read(load).first else {
          throw ContentFailure.messageNotFound
        }
        // A message that this release cannot read is shown all the same, so that it can be mended.
        guard let message = try? record.message() else { return MessageView(record: record) }
        let warnings = try await call.context.warnings(message, of: call.app)
        return MessageView(record: record, warnings: warnings)
      },
      encode: { view, request in
        try .json(view).tagged(view.record.entityTag, unlessKnown: request)
      }),
    .deletion(
      path, "deleteMessage", .admin, key: key,
      perform: { deletion, call in
        let key = deletion.key
        try await call.context.content.changeMessage(key) { stored, transaction in
          // A missing message is 404, whatever the preconditions are (RFC 9110, section 13.2.1).
          guard let stored else { throw ContentFailure.messageNotFound }
          try deletion.precondition.check(stored.entityTag)
          try deletion.endTrial(["messages": 1])
          transaction.add(key.deletion)
          transaction.add(SendNotice(notice: .message(key)))
        }
      }),
  ]

  private static func key(_ request: Request) throws -> MessageKey {
    guard let name = MessageName(try request.parameter("name")) else {
      throw InputFailure(.invalidName, at: "name", MessageName.rule)
    }
    return MessageKey(appID: request.app.id, name: name)
  }

  /// The message of a `PUT`, and its JSON in the one form for comparisons.
  private struct Definition: Sendable {
    let message: Message
    let body: String

    init(_ request: Request) throws {
      let value = try JSONValue(body: request.body)
      message = try value.read(.strict, Message.init(reading:)).body
      try message.check(for: request.app, isNamed: true)
      body = value.jsonText
    }

    /// The record to store. If the stored message says the same, its record stays as it is.
    func record(named name: MessageName, over stored: MessageRecord?, at now: Timestamp)
      -> MessageRecord
    {
      if let stored, stored.body.isSpelled(like: body) { return stored }
      return MessageRecord(
        name: name.text, version: (stored?.version ?? 0) &+ 1, body: body,
        createdAt: stored?.createdAt ?? now, updatedAt: now)
    }
  }

  private static func put(
    _ order: Order<MessageKey>, _ definition: Definition, _ call: Call
  ) async throws -> Replaced<MessageView> {
    // The warnings come first, so that a call that cannot be answered has changed nothing.
    let warnings = try await call.context.warnings(definition.message, of: call.app)
    let key = order.key
    let (record, isNew) = try await call.context.content.changeMessage(key) {
      stored, transaction in
      try order.precondition.check(stored?.entityTag)
      if stored == nil {
        let count = try await transaction.run(MessageRecord.count(of: key.appID)).first ?? 0
        guard count < Limits.messages else {
          throw InputFailure(
            .tooMany, at: "name", "An app has at most \(Limits.messages) messages.")
        }
      }
      var record = definition.record(named: key.name, over: stored, at: call.now)
      try order.endTrial(as: MessageView(record: record, warnings: warnings))
      guard record.version != stored?.version else { return (record, false) }
      let written = transaction.add(.upsertMessage(appID: key.appID, record: record))
      transaction.add(SendNotice(notice: .message(key)))
      try await transaction.send()
      record.tag = written.rows.first ?? 0
      return (record, stored == nil)
    }
    return Replaced(view: MessageView(record: record, warnings: warnings), isNew: isNew)
  }
}

/// A message as answers show it.
struct MessageView: ListItem {
  let record: MessageRecord
  /// The warnings about the message; `nil` in lists, and when this release cannot read it.
  var warnings: [MessageWarning]?

  static let fields = ItemFields<Self>([
    .text("name") { $0.record.name },
    .number("version") { $0.record.version },
    .text("created_at") { $0.record.createdAt.rfc3339 },
    .text("updated_at") { $0.record.updatedAt.rfc3339 },
    .json("message") { $0.record.body },
    .member("warnings") { item, writer in
      guard let warnings = item.warnings else { return }
      writer.key("warnings")
      writer.array(warnings) { $1.write(to: &$0) }
    },
  ])
}
