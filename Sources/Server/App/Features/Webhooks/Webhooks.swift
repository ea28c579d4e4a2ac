internal import Content
internal import Crypto
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Endpoints to which the changes of an app are delivered: made, changed and tried by admins, and
/// served by one instance of all.
struct Webhooks: Sendable {
  static let path = "/v1/apps/{app}/webhooks"
  static let onePath = path + "/{webhook_id}"

  let reach: WebhookReach
  let sender: WebhookSender
  let deliverer: WebhookDeliverer
  let metrics: WebhookMetrics

  init(_ observation: Observation, reach: WebhookReach, transfers: Int) {
    self.reach = reach
    metrics = WebhookMetrics(observation)
    sender = WebhookSender(reach, limit: transfers)
    deliverer = WebhookDeliverer(sender, metrics)
  }

  var endpoints: [Endpoint] {
    [create, list, read, change, delete, rotate, test, deliveries, replay]
  }

  private var create: Endpoint {
    Endpoint(
      .post, Self.path, "createWebhook", .admin, body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in
        let new = try request.decodeBody(NewWebhook.self).body
        try check(new.url)
        return new
      },
      perform: make,
      encode: { made, request in
        .json(made.view, made.isNew ? .created : .ok)
          .located(at: "\(request.head.path)/\(made.view.webhook.id.text)").unstored()
      })
  }

  /// Makes an endpoint. If the endpoint of the id is there already, as after a call whose answer
  /// was lost, it stays as it is.
  private func make(
    _ new: NewWebhook, _ call: Call
  ) async throws -> (view: WebhookView, isNew: Bool) {
    let context = call.context
    let random = context.shared.randomBytes
    let start = try await ChangeReader(context).first(.end, of: call.app.id, limit: 1)
    guard let secret = new.secret ?? WebhookSecret(bytes: random(32)) else {
      preconditionFailure("a secret of ours has a length that is allowed")
    }
    let webhook = WebhookRecord(
      appID: call.app.id, id: new.id ?? UUID(randomBytes: random(16)), url: new.url,
      description: new.fields.description.value ?? "", events: new.fields.events.value,
      isEnabled: new.fields.isEnabled.value ?? true, secret: secret, cursor: start.cursor,
      createdAt: call.now, updatedAt: call.now)
    let stored: WebhookView? = try await context.database.transaction { transaction in
      let app = transaction.add(LockApp(appID: webhook.appID))
      let found = transaction.add(.listWebhooks(appID: webhook.appID, id: webhook.id))
      let count: Int64 =
        try await transaction.run(.countWebhooks(appID: webhook.appID)).first ?? 0
      guard !app.rows.isEmpty else { throw Problem(.appNotFound, "The app was deleted just now.") }
      if let stored = found.rows.first {
        guard new.made(stored.webhook) else { throw Problem.idTaken(by: "webhook") }
        return stored
      }
      guard count < Limits.webhooks else {
        throw InputFailure(.tooMany, at: "", "An app has at most \(Limits.webhooks) webhooks.")
      }
      transaction.add(.insertWebhook(webhook: webhook))
      return nil
    }
    if var stored {
      stored.secret = stored.webhook.secret
      return (stored, false)
    }
    deliverer.wake()
    return (WebhookView(webhook: webhook, pending: 0, secret: secret), true)
  }

  private var list: Endpoint {
    .list(
      Self.path, "listWebhooks", .admin, view: { $0 },
      position: { TimeCursor(time: $0.webhook.createdAt, id: $0.webhook.id) }
    ) { request, _, span in
      .listWebhooks(appID: request.app.id, after: span.after ?? .start, limit: span.limit)
    }
  }

  private var read: Endpoint {
    Endpoint(
      .get, Self.onePath, "getWebhook", .admin,
      decode: { try $0.webhookKey() },
      perform: { key, call in try await call.context.webhook(key) },
      encode: { view, _ in .json(view) })
  }

  private var change: Endpoint {
    Endpoint(
      .patch, Self.onePath, "patchWebhook", .admin,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in
        let changes = try request.decodeBody(WebhookChanges.self).body
        if let url = changes.fields.url.value { try check(url) }
        return (try request.webhookKey(), changes)
      },
      perform: { (input: (key: WebhookKey, changes: WebhookChanges), call) in
        try await alter(input.key, call) { stored, transaction in
          let webhook = input.changes.applied(to: stored, at: call.now)
          if input.changes.fields.isEnabled.value == true {
            transaction.add(.renewPending(key: input.key, now: call.now))
          }
          return webhook
        }
      },
      encode: { view, _ in .json(view) })
  }

  private var delete: Endpoint {
    .deletion(
      Self.onePath, "deleteWebhook", .admin, key: { try $0.webhookKey() },
      perform: { deletion, call in
        if deletion.isDryRun {
          let view = try await call.context.webhook(deletion.key)
          try deletion.endTrial(["deliveries": view.pending, "webhooks": 1])
        }
        guard try await !call.context.database.write(.deleteWebhook(key: deletion.key)).isEmpty
        else { throw Problem.webhookNotFound }
        deliverer.wake()
      })
  }

  private var rotate: Endpoint {
    Endpoint(
      .post, Self.onePath + "/secret", "rotateWebhookSecret", .admin,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in
        (try request.webhookKey(), try request.decodeBody(SecretRotation.self).body)
      },
      perform: { (input: (key: WebhookKey, rotation: SecretRotation), call) in
        let secret =
          input.rotation.secret ?? WebhookSecret(bytes: call.context.shared.randomBytes(32))
        var view = try await alter(input.key, call) { stored, _ in
          var webhook = stored
          webhook.previousSecret = stored.secret
          webhook.previousUntil = call.now.advanced(
            by: .seconds(Int64(input.rotation.overlapSeconds)))
          webhook.secret = secret ?? stored.secret
          webhook.updatedAt = call.now
          return webhook
        }
        view.secret = view.webhook.secret
        return view
      },
      encode: { view, _ in .json(view).unstored() })
  }

  private func check(_ url: String) throws(InputFailure) {
    guard let detail = reach.fault(of: url) else { return }
    throw InputFailure(.unknownValue, at: "/url", detail)
  }

  /// Changes an endpoint. Changes of an app's endpoints wait for each other.
  func alter(
    _ key: WebhookKey, _ call: Call,
    _ change: (WebhookRecord, Transaction) async throws -> WebhookRecord
  ) async throws -> WebhookView {
    let view = try await call.context.database.transaction { transaction in
      transaction.add(LockApp(appID: key.appID))
      let stored = try await transaction.run(.listWebhooks(appID: key.appID, id: key.id)).first
      guard let stored else { throw Problem.webhookNotFound }
      let webhook = try await change(stored.webhook, transaction)
      transaction.add(.updateWebhook(webhook: webhook))
      let now = try await transaction.run(.listWebhooks(appID: key.appID, id: key.id)).first
      return now ?? stored
    }
    deliverer.wake()
    return view
  }
}

extension Request {
  /// The endpoint that the path names.
  func webhookKey() throws -> WebhookKey {
    guard let id = UUID(text: try parameter("webhook_id")) else { throw Problem.webhookNotFound }
    return WebhookKey(appID: app.id, id: id)
  }
}

extension LoopContext {
  /// An endpoint.
  /// - Throws: `webhook_not_found`.
  func webhook(_ key: WebhookKey) async throws -> WebhookView {
    let rows = try await database.read(.listWebhooks(appID: key.appID, id: key.id))
    guard let view = rows.first else { throw Problem.webhookNotFound }
    return view
  }
}

extension Problem {
  static var webhookNotFound: Problem {
    Problem(.webhookNotFound, "The app has no webhook of that id.")
  }
}
