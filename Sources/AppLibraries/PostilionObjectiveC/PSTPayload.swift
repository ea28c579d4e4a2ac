#if canImport(ObjectiveC)
  import Foundation
  import PostilionClient

  /// The payload of a notification for Objective-C: ``PostilionClient/RemotePayload``.
  @objc(PSTPayload)
  public final class PSTPayload: NSObject, Sendable {
    private let payload: RemotePayload

    /// Reads what the system hands to the app: the `userInfo` of a notification.
    @objc(initWithUserInfo:)
    public init(userInfo: [AnyHashable: Any]) {
      payload = RemotePayload(userInfo: userInfo)
    }

    /// The identifier of the notification, if it has one.
    @objc public var identifier: String? { payload.id }

    /// The title of the alert as it is written in the payload, if it is.
    @objc public var title: String? { payload.aps?.alert?.title }

    /// The text of the alert as it is written in the payload, if it is.
    @objc public var body: String? { payload.aps?.alert?.body }

    /// Whether the payload wakes the app.
    @objc public var wakesApp: Bool { payload.wakesApp }

    /// The app's own members, as objects of a property list.
    @objc public var data: [String: Any] { payload.data.compactMapValues(\.propertyList) }

    /// The message type under a key: the app's `message_type_key`.
    @objc(messageTypeForKey:)
    public func messageType(key: String) -> String? { payload.messageType(key: key) }
  }
#endif
