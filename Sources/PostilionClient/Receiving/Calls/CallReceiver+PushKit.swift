#if canImport(PushKit) && canImport(CallKit) && (os(iOS) || os(visionOS) || POSTILION_STUBS)
  import CallKit
  import PushKit

  extension CallReceiver {
    /// Reports the call of a PushKit payload to CallKit, then completes: the whole of
    /// `pushRegistry(_:didReceiveIncomingPushWith:for:completion:)` for the type `voIP`.
    ///
    /// - Parameters:
    ///   - payload: the payload, whatever it is.
    ///   - provider: the app's provider.
    ///   - completion: the completion handler of the delegate method.
    public func receive(
      _ payload: PKPushPayload, reportingTo provider: CXProvider, completion: () -> Void
    ) {
      receive(payload.dictionaryPayload) { call, fate in
        provider.report(call, fate)
      } completion: {
        completion()
      }
    }
  }
#endif
