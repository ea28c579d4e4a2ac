// swift-format-ignore-file
// A stub: the signatures of Apple's CoreLocation that this repository uses, for type checks on
// Linux.
import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: CLLocationDegrees
  public var longitude: CLLocationDegrees
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

open class CLRegion: NSObject {
  open var notifyOnEntry: Bool = true
  open var notifyOnExit: Bool = true
}

open class CLCircularRegion: CLRegion {
  public init(
    center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String
  ) {
    super.init()
  }
}

#if os(iOS) && !targetEnvironment(macCatalyst)
  open class CLLocationManager: NSObject {
    open func startMonitoringLocationPushes(
      completion: (@Sendable (Data?, (any Error)?) -> Void)? = nil
    ) {}
    open func stopMonitoringLocationPushes() {}
  }
#endif
