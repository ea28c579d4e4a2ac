#if canImport(UIKit) && !os(watchOS)
  import UIKit

  extension Postilion {
    /// Begins to serve an app of UIKit or SwiftUI that has an app delegate of its own: starts, asks
    /// the system for the device token, reports permission and background refresh, and keeps
    /// reporting what changes while the app runs.
    ///
    /// Call it once, in `application(_:didFinishLaunchingWithOptions:)`. The delegate then passes
    /// on three more calls:
    ///
    /// ```swift
    /// Postilion.shared.start(configuration, in: application)       // at launch
    /// Postilion.shared.register(token: token, for: .apns)          // didRegister…
    /// Postilion.shared.registrationFailed(error)                   // didFailToRegister…
    /// router.route(userInfo, fetchCompletionHandler: completion)   // didReceiveRemoteNotification
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: which server, and how.
    ///   - application: the app, as the delegate gets it. The library never looks for it by itself,
    ///     so that extensions of the app may link it.
    @MainActor
    public func start(_ configuration: PostilionConfiguration, in application: UIApplication) {
      start(configuration)
      application.registerForRemoteNotifications()
      report(application)
      observeChanges()
      observe(UIApplication.didBecomeActiveNotification) { [weak self] in
        self?.wake()
        self?.report(application)
      }
      // Before the first unlock of the phone the keychain cannot be read.
      observe(UIApplication.protectedDataDidBecomeAvailableNotification) { [weak self] in
        self?.wake()
      }
      observe(UIApplication.backgroundRefreshStatusDidChangeNotification) { [weak self] in
        self?.report(application)
      }
    }

    /// Reports what the person allows, in the system's settings, which the app does not hear of.
    @MainActor
    private func report(_ application: UIApplication) {
      reportAuthorization()
      BackgroundRefreshStatus(application.backgroundRefreshStatus).map(setBackgroundRefresh)
    }
  }
#endif
