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

  extension MessageRouter {
    /// Brings a payload to those who handle it, for an app delegate with completion handlers.
    ///
    /// - Parameters:
    ///   - userInfo: what the system handed over.
    ///   - completion: the system's completion handler; it is called once, with the combined
    ///     result.
    ///   - unhandled: called before it if nobody handled the payload.
    @MainActor
    public func route(
      _ userInfo: [AnyHashable: Any],
      fetchCompletionHandler completion: @escaping (UIBackgroundFetchResult) -> Void,
      unhandled: (@MainActor (RoutingOutcome) -> Void)? = nil
    ) {
      let payload = RemotePayload(userInfo: userInfo)
      Task { @MainActor in
        let outcome = await self.route(payload)
        if !outcome.isHandled { unhandled?(outcome) }
        completion(UIBackgroundFetchResult(outcome.result))
      }
    }
  }
#endif
