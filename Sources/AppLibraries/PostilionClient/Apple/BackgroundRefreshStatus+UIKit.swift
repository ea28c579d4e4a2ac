#if canImport(UIKit) && !os(watchOS)
  import UIKit

  extension BackgroundRefreshStatus {
    /// The status as UIKit has it; `nil` for one that the library does not know.
    public init?(_ status: UIBackgroundRefreshStatus) {
      switch status {
      case .available: self = .available
      case .denied: self = .denied
      case .restricted: self = .restricted
      @unknown default: return nil
      }
    }
  }
#endif
