#if canImport(UIKit) && !os(watchOS)
  import UIKit

  extension UIBackgroundFetchResult {
    /// The result as UIKit has it.
    public init(_ result: FetchResult) {
      switch result {
      case .newData: self = .newData
      case .noData: self = .noData
      case .failed: self = .failed
      }
    }
  }

  extension ApplicationState {
    /// The state as UIKit has it; `nil` for one that the library does not know.
    public init?(_ state: UIApplication.State) {
      switch state {
      case .active: self = .active
      case .inactive: self = .inactive
      case .background: self = .background
      @unknown default: return nil
      }
    }
  }

  extension MessageRouter {
    /// Brings a payload to those who handle it, for an app delegate with completion handlers.
    ///
    /// - Parameters:
    ///   - userInfo: what the system handed over.
    ///   - application: the app, whose state processors find in ``ApplicationState/current``.
    ///   - completion: the system's completion handler; it is called once, with the combined
    ///     result.
    ///   - unhandled: called before it if nobody handled the payload.
    @MainActor
    public func route(
      _ userInfo: [AnyHashable: Any], in application: UIApplication? = nil,
      fetchCompletionHandler completion: @escaping (UIBackgroundFetchResult) -> Void,
      unhandled: (@MainActor (RoutingOutcome) -> Void)? = nil
    ) {
      let payload = RemotePayload(userInfo: userInfo)
      let state = application.flatMap { ApplicationState($0.applicationState) }
      Task { @MainActor in
        let outcome = await self.route(payload, in: state)
        if !outcome.isHandled { unhandled?(outcome) }
        completion(UIBackgroundFetchResult(outcome.result))
      }
    }
  }
#endif
