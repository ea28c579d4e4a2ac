internal import ASCII
internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// The fields of a call about an endpoint. Whether the address may be reached is checked apart.
struct WebhookFields: Sendable {
  var url = Change<String>.keep
  var description = Change<String>.keep
  var events = Change<[String]>.keep
  var isEnabled = Change<Bool>.keep

  init(_ fields: FieldReader) {
    url = fields.text("url", maximum: Limits.webhookURLBytes, minimum: 1)
    description = fields.text("description", maximum: Limits.labelBytes)
    let known = DeliveryEvent.ofTheFeed
    var isKnown = true
    events = fields.texts("events", maximumCount: known.count, maximum: Limits.labelBytes) { text in
      if known.containsSpelling(text) { return nil }
      isKnown = false
      return (.unknownValue, "One of: \(known.joined(separator: ", ")).")
    }
    if let events = events.value, events.isEmpty, isKnown {
      fields.refuse(.tooShort, at: "events", "One event at least; null for all of them.")
    }
    isEnabled = fields.flag("enabled")
  }
}

/// The body of `POST …/webhooks`.
struct NewWebhook: RequestBody {
  static var policy: FieldPolicy { .strict }

  var id: UUID?
  var fields: WebhookFields
  var url: String
  var secret: WebhookSecret?

  init?(reading reader: FieldReader) {
    id = reader.uuid("id").value
    fields = WebhookFields(reader)
    let url = reader.required(fields.url, "url")
    secret = reader.webhookSecret("secret")
    guard let url else { return nil }
    self.url = url
  }

  /// Whether a call like this one made the endpoint, and nobody has changed it since then.
  func made(_ stored: WebhookRecord) -> Bool {
    stored.url.isSpelled(like: url)
      && stored.description.isSpelled(like: fields.description.value ?? "")
      && stored.events == fields.events.value
      && secret.map { constantTimeEqual($0.bytes, stored.secret.bytes) } ?? true
  }
}

/// The body of `PATCH …/webhooks/{webhook_id}`: fields that are left out stay as they are.
struct WebhookChanges: RequestBody {
  static var policy: FieldPolicy { .strict }

  var fields: WebhookFields

  init?(reading reader: FieldReader) {
    fields = WebhookFields(reader)
    _ = reader.unclearable(fields.url, "url")
    _ = reader.unclearable(fields.isEnabled, "enabled")
  }

  /// The endpoint after these changes. An endpoint that is enabled begins anew with the changes
  /// that it missed.
  func applied(to stored: WebhookRecord, at now: Timestamp) -> WebhookRecord {
    var webhook = stored
    webhook.url = fields.url.applied(to: stored.url) ?? stored.url
    webhook.description = fields.description.applied(to: stored.description) ?? ""
    webhook.events = fields.events.applied(to: stored.events)
    webhook.isEnabled = fields.isEnabled.applied(to: stored.isEnabled) ?? stored.isEnabled
    if fields.isEnabled.value != nil {
      webhook.disabledReason = nil
      webhook.failingSince = nil
    }
    webhook.updatedAt = now
    return webhook
  }
}

/// The body of `POST …/webhooks/{webhook_id}/secret`.
struct SecretRotation: RequestBody {
  static var policy: FieldPolicy { .strict }

  var secret: WebhookSecret?
  var overlapSeconds: Int32

  init?(reading fields: FieldReader) {
    secret = fields.webhookSecret("secret")
    overlapSeconds =
      fields.integer("overlap_seconds", in: 0...Limits.webhookOverlapMaximumSeconds).value
      ?? Limits.webhookOverlapSeconds
  }
}

/// The body of `POST …/webhooks/{webhook_id}/replay`: one delivery, or all changes after a place.
struct ReplayRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  /// The deliveries that go out again.
  enum Part: Sendable {
    case delivery(String)
    case after(ChangeStart)
  }
  var part: Part

  init?(reading fields: FieldReader) {
    let delivery = fields.text("delivery_id", maximum: Limits.labelBytes, minimum: 1).value
    let after = fields.text("after", maximum: Limits.labelBytes).value
    switch (delivery, after) {
    case (let delivery?, nil): part = .delivery(delivery)
    case (nil, "now"?): part = .after(.end)
    case (nil, let text?):
      guard let cursor = ChangeCursor(text) else {
        fields.refuse(.unknownValue, at: "after", "now, or a cursor that the feed gave.")
        return nil
      }
      part = .after(.cursor(cursor))
    default:
      fields.refuse(.missingField, pointer: fields.pointer, "Either delivery_id or after.")
      return nil
    }
  }
}

extension FieldReader {
  /// Reads `whsec_` and base64.
  fileprivate func webhookSecret(_ name: String) -> WebhookSecret? {
    text(name, maximum: Limits.labelBytes).compactMap { text in
      guard let secret = WebhookSecret(text) else {
        let bytes = Limits.webhookSecretBytes
        refuse(
          .unknownValue, at: name,
          "whsec_ and the base64 of \(bytes.lowerBound) to \(bytes.upperBound) bytes.")
        return nil
      }
      return secret
    }.value
  }
}
