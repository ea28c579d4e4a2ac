#if canImport(UserNotifications)
  import UserNotifications

  /// Shows, replaces and withdraws the local notifications that silent ones carry: the mode `local`
  /// of Postilion, for apps with the capability `local-notification`.
  ///
  /// A router holds it weakly, so the app keeps it. `PostilionAppDelegate` adds one by itself if
  /// the configuration has the capability.
  public final class LocalNotificationHandler: RemotePayloadHandler {
    private let key: String
    private let presenter: NotificationPresenter

    /// A handler.
    ///
    /// - Parameters:
    ///   - key: the app's `local_notification_key`.
    ///   - presenter: shows the notifications.
    public init(key: String = "payload", presenter: NotificationPresenter = .init()) {
      self.key = key
      self.presenter = presenter
    }

    /// Does what the object under the key asks for; a payload without one is not for this handler.
    public func handle(_ payload: RemotePayload) async -> FetchResult? {
      guard let change = NotificationChange(carriedBy: payload, key: key) else { return nil }
      do {
        return try await presenter.apply(change) ? .newData : .noData
      } catch {
        return .failed
      }
    }
  }
#endif
