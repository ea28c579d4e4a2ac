#if canImport(CoreLocation) && os(iOS) && !targetEnvironment(macCatalyst)
  import CoreLocation
  import PostilionClient

  extension Postilion {
    /// Asks the system for the token of location pushes, and reports it. Call it at every launch.
    ///
    /// The app needs the entitlement for location pushes, and the permission to use the location
    /// always.
    ///
    /// - Parameters:
    ///   - manager: your location manager; keep it.
    ///   - failed: called if the system gives no token.
    public nonisolated func startLocationPushes(
      with manager: CLLocationManager,
      failed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
      manager.startMonitoringLocationPushes { token, error in
        if let token { self.register(token: token, for: .location) }
        if let error { failed(error) }
      }
    }

    /// Ends location pushes, and removes their token.
    public nonisolated func stopLocationPushes(with manager: CLLocationManager) {
      manager.stopMonitoringLocationPushes()
      remove(.location)
    }
  }
#endif
