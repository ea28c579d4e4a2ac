#if canImport(UserNotifications)
  import Foundation
  import UserNotifications

  /// Shows, replaces and removes the notifications of the app.
  ///
  /// ```swift
  /// if let change = NotificationChange(carriedBy: payload) {
  ///   try await NotificationPresenter().apply(change)
  /// }
  /// ```
  ///
  /// On systems before iOS 10, where there is no `UserNotifications`, this library does not run: it
  /// begins with iOS 15, and Swift's concurrency with iOS 13. An app that still serves them reads
  /// the same payload with `UILocalNotification`:
  ///
  /// | `UILocalNotification` | payload |
  /// |---|---|
  /// | `alertTitle`, `alertBody` | `title`, `body` of `payload.aps.alert`, or texts of their keys |
  /// | `alertAction`, `alertLaunchImage` | `action-loc-key` (its text), `launch-image` |
  /// | `applicationIconBadgeNumber`, `soundName` | `badge`, `sound` |
  /// | `category` | `category` |
  /// | `fireDate`, `repeatInterval`, `region` | `trigger` |
  /// | `userInfo` | the payload, with its `id` |
  ///
  /// Such an app replaces by looking for the `id` in the `userInfo` of
  /// `scheduledLocalNotifications`, or of a notification that it has kept, which
  /// `cancelLocalNotification(_:)` removes also from the screen, before
  /// `scheduleLocalNotification(_:)`.
  public struct NotificationPresenter: Sendable {
    /// Where attachments are that have only a name.
    private let bundle: Bundle
    private let download: AttachmentDownload?
    private let regionTrigger: RegionTrigger

    /// A presenter.
    ///
    /// - Parameters:
    ///   - bundle: where attachments are that have only a name.
    ///   - download: fetches attachments that have an address; `nil` fetches none.
    ///   - regionTrigger: makes the trigger for a place, as the module `PostilionLocation` does;
    ///     without it a notification that waits for a place is not shown.
    public init(
      bundle: Bundle = .main, download: AttachmentDownload? = AttachmentDownload(),
      regionTrigger: @escaping RegionTrigger = { _, _ in nil }
    ) {
      self.bundle = bundle
      self.download = download
      self.regionTrigger = regionTrigger
    }

    /// Does what a payload asks for.
    ///
    /// - Returns: whether there is a notification now that there was not, or has a new content.
    /// - Throws: the error of the system, if it does not take the notification.
    @discardableResult
    public func apply(_ change: NotificationChange) async throws -> Bool {
      switch change {
      case .show(let notification): return try await show(notification)
      case .withdraw(let identifier):
        withdraw(identifier)
        return false
      }
    }

    /// Shows a notification, in place of an earlier one with its identifier.
    ///
    /// - Returns: `false` if it waits for a place, and nothing can do that.
    /// - Throws: the error of the system, if it does not take the notification.
    @discardableResult
    public func show(_ notification: LocalNotification) async throws -> Bool {
      var notification = notification
      if let download {
        notification.content.attachments = await download.fetched(notification.content.attachments)
      }
      guard let request = notification.request(bundle: bundle, regionTrigger: regionTrigger)
      else { return false }
      try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
        UNUserNotificationCenter.current().add(request) { error in
          if let error { done.resume(throwing: error) } else { done.resume() }
        }
      }
      return true
    }

    /// Removes the notification with an identifier, whether it waits or was delivered.
    ///
    /// The identifier of a remote notification is its `apns-collapse-id`, so one of Postilion is
    /// found by its `id`.
    public func withdraw(_ identifier: String) {
      let center = UNUserNotificationCenter.current()
      center.removePendingNotificationRequests(withIdentifiers: [identifier])
      #if !os(tvOS)
        center.removeDeliveredNotifications(withIdentifiers: [identifier])
      #endif
    }
  }
#endif
