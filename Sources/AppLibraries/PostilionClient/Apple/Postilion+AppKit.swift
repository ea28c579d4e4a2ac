#if canImport(AppKit) && !canImport(UIKit)
  import AppKit

  extension Postilion {
    /// Begins to serve a Mac app that has an app delegate of its own: starts, asks the system for
    /// the device token, reports the permission, and keeps reporting what changes while the app
    /// runs.
    ///
    /// Call it once, in `applicationDidFinishLaunching(_:)`; the delegate passes on the calls for
    /// the token, for a failure and for remote notifications.
    @MainActor
    public func start(_ configuration: PostilionConfiguration, in application: NSApplication) {
      start(configuration)
      application.registerForRemoteNotifications()
      reportAuthorization()
      observeChanges()
      observe(NSApplication.didBecomeActiveNotification) { [weak self] in
        self?.wake()
        self?.reportAuthorization()
      }
    }
  }
#endif
