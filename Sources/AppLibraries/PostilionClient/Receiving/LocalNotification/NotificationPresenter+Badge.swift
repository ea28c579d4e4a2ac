#if canImport(UserNotifications) && !os(watchOS)
  import UserNotifications

  extension NotificationPresenter {
    /// Sets the number on the app's icon.
    ///
    /// ```swift
    /// try await NotificationPresenter().setBadge(3) {
    ///   UIApplication.shared.applicationIconBadgeNumber = $0
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - count: the number; 0 or less removes it.
    ///   - earlier: sets it before iOS 16, tvOS 16 and macOS 13, where only the app itself can. The
    ///     library never looks for the app, so that extensions may link it.
    /// - Throws: the error of the system.
    public func setBadge(
      _ count: Int, earlier: @escaping @MainActor @Sendable (Int) -> Void
    ) async throws {
      let count = max(0, count)
      guard #available(iOS 16, macOS 13, tvOS 16, *) else { return await earlier(count) }
      try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
        UNUserNotificationCenter.current().setBadgeCount(count) { @Sendable error in
          if let error { done.resume(throwing: error) } else { done.resume() }
        }
      }
    }

    /// Removes the number from the app's icon.
    ///
    /// - Parameter earlier: removes it before iOS 16, tvOS 16 and macOS 13.
    /// - Throws: the error of the system.
    public func clearBadge(
      earlier: @escaping @MainActor @Sendable (Int) -> Void
    ) async throws {
      try await setBadge(0, earlier: earlier)
    }
  }
#endif
