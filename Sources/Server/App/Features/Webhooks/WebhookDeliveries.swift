internal import ASCII
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// The calls about deliveries: trials, the list, and replays.
extension Webhooks {
  var test: Endpoint {
    Endpoint(
      .post, Self.onePath + "/test", "testWebhook", .admin, isLong: true,
      decode: { try $0.webhookKey() },
      perform: { key, call in
        let webhook = try await call.context.webhook(key).webhook
        let attempt = try await trial(of: webhook, call)
        _ = try await call.context.database.write(.insertTrial(attempt: attempt))
        metrics.attempted(attempt, app: call.app.slug.text)
        return DeliveryView(row: DeliveryRow(attempt))
      },
      encode: { view, _ in .json(view) })
  }

  /// Sends a trial and waits for its end.
  private func trial(of webhook: WebhookRecord, _ call: Call) async throws -> AttemptRecord {
    let draft = DeliveryDraft(
      testing: webhook.id, of: call.app.slug, id: call.context.shared.randomNumber(), at: call.now)
    guard sender.takePlace(for: webhook.appID, isDoubtful: true) else {
      throw Problem(
        .overloaded, "Too many deliveries are being attempted; try again.",
        fields: [("Retry-After", "\(Limits.workRetrySeconds)")])
    }
    let (outcome, milliseconds) = await withUnsafeContinuation { continuation in
      sender.attempt(
        draft.id, draft.body, to: webhook, at: call.now, isDoubtful: true
      ) { continuation.resume(returning: ($0, $1)) }
    }
    return AttemptRecord(
      key: webhook.key, delivery: PendingDelivery(draft, number: 0, at: call.now),
      verdict: outcome.isDelivered ? .delivered : .givenUp, outcome: outcome, began: call.now,
      milliseconds: milliseconds)
  }

  var deliveries: Endpoint {
    .list(
      Self.onePath + "/deliveries", "listWebhookDeliveries", .admin,
      view: { DeliveryView(row: $0) }, position: \.number,
      checkEmpty: { call in _ = try await call.context.webhook(call.request.webhookKey()) }
    ) { request, query, span in
      let detail = "state is pending, delivered or failed."
      let state = query.parsed("state", .unknownValue, detail, DeliveryState.init(spelled:))
      return .listDeliveries(
        key: try request.webhookKey(), state: state, before: span.after ?? .max, limit: span.limit)
    }
  }

  var replay: Endpoint {
    Endpoint(
      .post, Self.onePath + "/replay", "replayWebhook", .admin,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in
        (try request.webhookKey(), try request.decodeBody(ReplayRequest.self).body)
      },
      perform: { (input: (key: WebhookKey, request: ReplayRequest), call) in
        switch input.request.part {
        case .delivery(let id):
          return try await alter(input.key, call) { stored, transaction in
            let found = try await transaction.run(
              .repeatDelivery(key: input.key, id: id, now: call.now))
            guard !found.isEmpty else {
              throw Problem(.deliveryNotFound, "The webhook has no delivery of that id any more.")
            }
            return stored
          }
        case .after(let start):
          // A cursor that leads nowhere is refused before anything is changed.
          let page = try await ChangeReader(call.context).first(start, of: call.app.id, limit: 1)
          return try await alter(input.key, call) { stored, transaction in
            transaction.add(.dropPending(key: input.key))
            var webhook = stored
            if case .cursor(let cursor) = start {
              webhook.cursor = cursor
            } else {
              webhook.cursor = page.cursor
            }
            return webhook
          }
        }
      },
      encode: { view, _ in .json(view, .accepted) })
  }
}
