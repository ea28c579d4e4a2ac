/// The `apns-*` header fields of one request (Apple, "Sending notification requests to APNs"), and
/// what they were made from.
public struct RequestHeaders: Sendable, Hashable {
  public private(set) var bundleID: String
  /// When they were made, Unix seconds.
  public let madeAt: Int64
  /// `apns-topic`: the bundle id and the push type's suffix.
  public var topic: String
  /// `apns-push-type`.
  public var pushType: PushType
  /// Whether it goes to a channel, whose payloads may be longer.
  public var isBroadcast = false
  /// `apns-priority`: 10 at once, 5 power-aware, 1 without waking the device.
  public var priority: Int
  /// `apns-expiration`: Unix seconds; 0 is one attempt, absent leaves it to APNs (30 days at most).
  public var expiration: Int64?
  /// `apns-collapse-id`: a newer notification replaces an older with the same. See
  /// ``takes(collapseID:)``.
  public var collapseID: String?
  /// The header fields of a payload's request.
  ///
  /// - Parameters:
  ///   - bundleID: the app's.
  ///   - pushType: what kind of notification it is.
  ///   - priority: the caller's wish; if it is absent or not allowed here, the best allowed
  ///     priority.
  ///   - contentAvailable: whether the payload wakes the app; Apple wants such work done when power
  ///     allows, so the priority is at most 5 also for an alert.
  ///   - ttlSeconds: how long it is worth delivering, at most ``maximumTTLSeconds``; 0 is one
  ///     attempt, absent is ``PushRules/defaultTTLSeconds``.
  ///   - now: Unix seconds.
  ///   - collapseID: passed on as it is; ``PayloadValidator`` checks it.
  public init(
    bundleID: String, pushType: PushType, priority: Int? = nil, contentAvailable: Bool = false,
    ttlSeconds: Int64? = nil, now: Int64, collapseID: String? = nil
  ) {
    let rules = pushType.rules
    let allowed = Self.allowedPriorities(pushType, contentAvailable: contentAvailable)
    self.bundleID = bundleID
    madeAt = now
    topic = bundleID + rules.topicSuffix
    self.pushType = pushType
    self.priority = priority.flatMap { allowed.contains($0) ? $0 : nil } ?? allowed.first ?? 10
    expiration = (ttlSeconds ?? rules.defaultTTLSeconds).map {
      $0 == 0 ? 0 : now.addingReportingOverflow(min($0, Self.maximumTTLSeconds)).partialValue
    }
    self.collapseID = collapseID
  }

  /// The same fields for a target of the app with a bundle id of its own; nil stands for the app's.
  public func addressed(to bundleID: String?) -> RequestHeaders {
    guard let bundleID else { return self }
    var headers = self
    headers.bundleID = bundleID
    headers.topic = bundleID + pushType.rules.topicSuffix
    return headers
  }

  /// Whether senders and APNs take a text as `apns-collapse-id`: visible ASCII, at most 64 bytes.
  public static func takes(collapseID text: String) -> Bool {
    text.utf8.count <= maximumCollapseIDBytes && text.utf8.allSatisfy(isVisible)
  }

  /// How long APNs keeps a notification at most: 30 days.
  public static let maximumTTLSeconds: Int64 = 2_592_000

  /// The most bytes of `apns-collapse-id`.
  public static let maximumCollapseIDBytes = 64

  /// Whether a byte is a visible character of ASCII: every sender passes such a byte on as it is.
  public static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

  /// The most bytes of the payload (Apple, "Sending broadcast push notification requests to APNs").
  public var maximumPayloadBytes: Int { isBroadcast ? 5120 : pushType.rules.maximumPayloadBytes }

  /// The priorities that a payload may have, best first.
  public static func allowedPriorities(_ pushType: PushType, contentAvailable: Bool) -> [Int] {
    let allowed = pushType.rules.priorities
    return contentAvailable && pushType == .alert ? allowed.filter { $0 < 10 } : allowed
  }

  /// The fields by name, in the order of their names.
  public var fields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    fields.reserveCapacity(6)
    if let collapseID { fields.append(("apns-collapse-id", collapseID)) }
    if let expiration { fields.append(("apns-expiration", expiration.description)) }
    fields.append(("apns-priority", priority.description))
    fields.append(("apns-push-type", pushType.rawValue))
    fields.append(("apns-topic", topic))
    return fields
  }
}
