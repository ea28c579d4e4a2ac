#if canImport(UserNotifications)
  import UserNotifications

  extension Postilion {
    /// Asks the person for the permission to show notifications, and reports what was said. The
    /// system asks once; later it answers by itself.
    ///
    /// A token needs no permission, so the registration does not wait for this.
    ///
    /// - Parameter options: what to ask for.
    /// - Returns: whether anything is allowed. An error of the system is reported as a failure of
    ///   the kind `authorization`, and is no permission.
    @discardableResult
    public nonisolated func requestAuthorization(
      _ options: UNAuthorizationOptions = [.alert, .badge, .sound]
    ) async -> Bool {
      let isGranted = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
        // Called on another thread: without the mark, a closure belongs to the caller's actor.
        UNUserNotificationCenter.current().requestAuthorization(options: options) {
          @Sendable isGranted, error in
          if let error { self.registrationFailed(error, kind: .authorization) }
          done.resume(returning: isGranted)
        }
      }
      reportAuthorization()
      return isGranted
    }

    /// Reports what the person allows now. Call it when the app comes to the front, as people
    /// change it in the system's settings; `PostilionAppDelegate` does.
    public nonisolated func reportAuthorization() {
      UNUserNotificationCenter.current().getNotificationSettings { @Sendable settings in
        self.setAuthorization(NotificationAuthorization(settings))
      }
    }
  }
#endif
