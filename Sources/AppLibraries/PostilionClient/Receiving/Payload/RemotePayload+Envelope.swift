import Foundation

/// The members that Postilion puts beside `aps`.
extension RemotePayload {
  /// The name of the message, by which a ``MessageRouter`` finds who processes it.
  ///
  /// - Parameter key: the app's `message_type_key`.
  /// - Returns: a text that is not empty, or a number as its text; `nil` if there is none.
  public func messageType(key: String = "messageType") -> String? { data[key]?.identifier }

  /// The payload of the local notification that a silent one carries.
  ///
  /// - Parameter key: the app's `local_notification_key`.
  /// - Returns: `nil` if there is no such object.
  public func local(key: String = "payload") -> RemotePayload? {
    data[key]?.object.map(RemotePayload.init)
  }

  /// `id`: a notification with the identifier of an earlier one replaces it. A number counts as its
  /// text; `nil` if there is none.
  public var id: String? { data["id"]?.identifier }

  /// `withdraws`: the identifier of an earlier notification that is to be removed. A number counts
  /// as its text; `nil` if there is none.
  public var withdraws: String? { data["withdraws"]?.identifier }

  /// `trigger`: when the local notification is to be shown; `nil` if there is none that can be
  /// read.
  public var trigger: NotificationTrigger? {
    data["trigger"]?.object.flatMap(NotificationTrigger.init)
  }

  /// `call`: the call that rings; `nil` if there is none with an identifier.
  public var call: Call? { data["call"]?.object.flatMap(Call.init) }

  /// The call of a payload for PushKit.
  public struct Call: Sendable, Hashable {
    /// `id`: the identifier of the call in the app's own service, a text that is not empty.
    public var id: String
    /// `time`: when the call began, or rather when Postilion rendered it; in JSON Unix seconds.
    public var time: Date?

    /// A call.
    public init(id: String, time: Date? = nil) {
      self.id = id
      self.time = time
    }

    /// Reads `{"id": …, "time": …}`; `nil` without an identifier. A time of another type is none.
    init?(_ object: [String: PayloadValue]) {
      guard let id = object["id"]?.identifier else { return nil }
      self.init(id: id, time: object["time"]?.double.map(Date.init(timeIntervalSince1970:)))
    }
  }

  /// Whether the system wakes the app for it: `content-available` as a device reads it.
  public var wakesApp: Bool { aps?.flag("content-available") ?? false }

  /// Whether a service extension runs first: `mutable-content` as a device reads it.
  public var isMutable: Bool { aps?.flag("mutable-content") ?? false }
}
