#if canImport(UserNotifications)
  import Foundation
  import PostilionClient
  import UserNotifications

  #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(watchOS)
    import CoreLocation
  #endif

  extension NotificationPresenter {
    /// A presenter that also shows notifications whose trigger is a place.
    ///
    /// ```swift
    /// override var notificationPresenter: NotificationPresenter { .waitingForPlaces() }
    /// ```
    ///
    /// The app needs the permission to use the location, at least while it is used. Only iPhones,
    /// iPads and watches can wait for a place.
    ///
    /// - Parameters:
    ///   - bundle: where attachments are that have only a name.
    ///   - download: fetches attachments that have an address; `nil` fetches none.
    public static func waitingForPlaces(
      bundle: Bundle = .main, download: AttachmentDownload? = AttachmentDownload()
    ) -> Self {
      Self(bundle: bundle, download: download) { $0.systemTrigger(repeats: $1) }
    }
  }

  extension NotificationTrigger.Region {
    /// The trigger for the system; `nil` where it cannot wait for a place.
    public func systemTrigger(repeats: Bool) -> UNNotificationTrigger? {
      #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(watchOS)
        let centre = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        // The name of a place is that of the place: two notifications may wait for the same.
        let circle = CLCircularRegion(
          center: centre, radius: radius, identifier: "\(latitude),\(longitude),\(radius)")
        circle.notifyOnEntry = onEntry
        circle.notifyOnExit = onExit
        return UNLocationNotificationTrigger(region: circle, repeats: repeats)
      #else
        return nil
      #endif
    }
  }
#endif
