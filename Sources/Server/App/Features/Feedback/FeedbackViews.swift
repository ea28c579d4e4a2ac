internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Registry

extension FeedbackResult: JSONWritable {
  /// The answer: how often each decision was made, and all of them in the items' order.
  static func json(_ results: [FeedbackResult]) -> [UInt8] {
    var writer = JSONWriter(capacity: 256 + results.count * 512)
    writer.object { writer in
      for effect in FeedbackEffect.allCases {
        writer.member(effect.rawValue, results.count { $0.decision.effect == effect })
      }
      writer.member("results", results)
    }
    return writer.bytes
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("token", item.token?.hex)
      if let channel = item.channel { writer.member("channel", channel) }
      writer.member("environment", (item.environment ?? key?.environment)?.rawValue)
      writer.member("credential", (item.kind ?? key?.kind)?.rawValue)
      writer.member("reason", item.reason)
      writer.member("decision", decision.effect.rawValue)
      writer.member("detail", decision.detail?.rawValue ?? item.problems.first?.code)
      writer.member("action", decision.action ?? item.action)
      if !item.problems.isEmpty { writer.member("errors", item.problems) }
    }
  }
}

extension FeedbackBreaker {
  /// The answer: the breaker of each environment, also of one that never heard of a refusal.
  static func json(_ breakers: [Environment: FeedbackBreaker], at now: Timestamp) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("items")
      writer.array(Environment.allCases) { writer, environment in
        let breaker = breakers[environment] ?? FeedbackBreaker(at: now)
        breaker.write(to: &writer, environment, at: now)
      }
    }
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter, _ environment: Environment, at now: Timestamp) {
    let isOpen = isOpen(at: now)
    writer.object { writer in
      writer.member("environment", environment.rawValue)
      writer.member("state", isOpen ? "open" : "closed")
      writer.member("opened_at", isOpen ? openedAt?.rfc3339 : nil)
      writer.member("closes_at", isOpen ? closesAt?.rfc3339 : nil)
      writer.member("last_refused_at", lastRefusedAt?.rfc3339)
      writer.member("trusted_until", isTrusting(at: now) ? trustedUntil?.rfc3339 : nil)
    }
  }
}
