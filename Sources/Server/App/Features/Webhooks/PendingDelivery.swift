internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// The event of a delivery: one change, or something about the deliveries themselves.
enum DeliveryEvent {
  /// Changes may be missing: the receiver reads all installations anew.
  static let changesGone = "changes_gone"
  /// Somebody tries whether the receiver is there.
  static let test = "test"

  /// The events of the feed, in the order of the contract.
  static let ofTheFeed =
    TokenEvent.Name.allCases.filter { $0 != .replaced }.map(\.rawValue)
    + InstallationEvent.Name.allCases.map(\.rawValue) + AppEvent.Name.allCases.map(\.rawValue)
}

/// A delivery as it is made: its body, and the installations that it is about.
struct DeliveryDraft: Sendable, Equatable {
  /// The id goes with every attempt as `webhook-id`, so that a receiver knows which deliveries it
  /// already has. The same change has the same id, also when it is replayed. The id names the time
  /// of the change beside its number, since a restored database counts the same numbers again.
  let id: String
  let event: String
  let installation: UUID?
  let from: UUID?
  let body: String
  let happenedAt: Timestamp

  init(_ change: ChangeEntry, in life: ChangeEpoch) {
    id = Self.id("chg", change.at.microseconds, change.position.id)
    event = change.event
    installation = change.installation
    from = change.from
    happenedAt = change.at
    body = Self.body(change.event, change.at) { change.write(to: &$0, in: life) }
  }

  /// A loss, for which a reader of the feed would get `changes_gone`.
  init(_ loss: ChangeCursor.Loss, id random: Int64, at now: Timestamp) {
    id = Self.id("gone", random, 0)
    event = DeliveryEvent.changesGone
    (installation, from) = (nil, nil)
    happenedAt = now
    body = Self.body(event, now) { writer in
      writer.object { $0.member("reason", loss == .otherLife ? "other_life" : "expired") }
    }
  }

  init(testing webhook: UUID, of app: AppSlug, id random: Int64, at now: Timestamp) {
    id = Self.id("test", random, 0)
    event = DeliveryEvent.test
    (installation, from) = (nil, nil)
    happenedAt = now
    body = Self.body(event, now) { writer in
      writer.object { writer in
        writer.member("app", app.text)
        writer.member("webhook_id", webhook.text)
      }
    }
  }

  private static func id(_ kind: String, _ first: Int64, _ number: Int64) -> String {
    "\(kind)_\(String(UInt64(bitPattern: first), radix: 36))_\(String(number, radix: 36))"
  }

  private static func body(
    _ event: String, _ at: Timestamp, _ data: (inout JSONWriter) -> Void
  ) -> String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("type", event)
      writer.member("timestamp", at.rfc3339)
      writer.key("data")
      data(&writer)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// A delivery that a receiver is yet to get.
struct PendingDelivery: Sendable, Equatable {
  var id: String
  /// Its place in the order.
  var number: Int64
  var event: String
  var installation: UUID?
  var from: UUID?
  var body: String
  var happenedAt: Timestamp
  var attempts: Int = 0
  var firstAttemptAt: Timestamp?
  var lastAttemptAt: Timestamp?
  var nextAttemptAt: Timestamp

  /// Whether an attempt may begin: the first one at once, a later one after its time.
  func isDue(at now: Timestamp) -> Bool {
    guard attempts > 0, let lastAttemptAt else { return true }
    return !lastAttemptAt.goesOn(until: nextAttemptAt, at: now)
  }

  /// A lane keeps its order: a delivery waits for all deliveries before it that share a lane with
  /// it.
  enum Lane: Hashable {
    case installation(UUID)
    case app
  }

  /// A token that moved concerns both installations; a trial waits for nothing.
  var lanes: [Lane] {
    if event == DeliveryEvent.test { return [] }
    guard let installation else { return [.app] }
    return [.installation(installation)] + (from.map { [.installation($0)] } ?? [])
  }
}
