#if canImport(PushKit) && canImport(CallKit) && (os(iOS) || os(visionOS))
  import CallKit
  import PushKit

  extension CallReceiver {
    /// Reports the call of a PushKit payload to CallKit, then completes: the whole of
    /// `pushRegistry(_:didReceiveIncomingPushWith:for:completion:)` for the type `voIP`.
    ///
    /// - Parameters:
    ///   - payload: the payload, whatever it is.
    ///   - mustReport: what the system says of the payload: `mustReport` of `PKVoIPPushMetadata`,
    ///     or `true` before iOS 26.4.
    ///   - provider: the app's provider.
    ///   - completion: the completion handler of the delegate method.
    public func receive(
      _ payload: PKPushPayload, mustReport: Bool = true, reportingTo provider: CXProvider,
      completion: () -> Void
    ) {
      receive(payload.dictionaryPayload, mustReport: mustReport) { call, fate in
        provider.report(call, fate)
      } completion: {
        completion()
      }
    }
  }
#endif
