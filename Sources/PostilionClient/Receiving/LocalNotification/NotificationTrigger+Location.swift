#if canImport(UserNotifications)
  import UserNotifications

  #if (os(iOS) && !targetEnvironment(macCatalyst)) || POSTILION_STUBS
    import CoreLocation
  #endif

  extension NotificationTrigger.Region {
    /// The trigger for the system; `nil` where the system cannot wait for a place.
    ///
    /// The app needs the permission to use the location, at least while it is used.
    func systemTrigger(repeats: Bool) -> UNNotificationTrigger? {
      #if (os(iOS) && !targetEnvironment(macCatalyst)) || POSTILION_STUBS
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
