#if canImport(PushKit) && canImport(CallKit) && (os(iOS) || os(visionOS))
  import CallKit
  import Foundation
  import PostilionClient
  import PushKit

  /// The calls of an app: brings the token of PushKit to Postilion, and each incoming push to
  /// CallKit.
  ///
  /// Make one at every launch, in `application(_:didFinishLaunchingWithOptions:)`, and keep it:
  /// PushKit holds its delegate weakly, and a call may be what the app is launched for.
  ///
  /// ```swift
  /// provider.setDelegate(self, queue: nil)     // answering and hanging up stays with the app
  /// calls = CallRegistry(provider: provider)
  /// ```
  @MainActor
  public final class CallRegistry: NSObject, PKPushRegistryDelegate {
    private let provider: CXProvider
    private let postilion: Postilion
    private let receiver: CallReceiver
    private let reported: @MainActor (IncomingCall, CallFate, RemotePayload) -> Void
    private let registry: PKPushRegistry

    /// Asks PushKit for a token, and receives calls from then on.
    ///
    /// - Parameters:
    ///   - provider: the app's provider.
    ///   - postilion: gets the token.
    ///   - receiver: decides what becomes of a call; an app that withdraws calls in another way
    ///     keeps the same one.
    ///   - reported: called after a call was reported to the system, and before PushKit is told
    ///     that the push is done; an app connects here, or remembers the call for its answer.
    public init(
      provider: CXProvider, postilion: Postilion = .shared, receiver: CallReceiver = CallReceiver(),
      reported: @escaping @MainActor (IncomingCall, CallFate, RemotePayload) -> Void = { _, _, _ in
      }
    ) {
      self.provider = provider
      self.postilion = postilion
      self.receiver = receiver
      self.reported = reported
      registry = PKPushRegistry(queue: .main)
      super.init()
      registry.delegate = self
      registry.desiredPushTypes = [.voIP]
    }

    // PushKit calls on the queue that it was made with, the main one, though its types do not say
    // so.

    /// PushKit gave a token.
    public nonisolated func pushRegistry(
      _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials,
      for type: PKPushType
    ) {
      if type == .voIP { postilion.register(token: pushCredentials.token, for: .voip) }
    }

    /// PushKit took its token back.
    public nonisolated func pushRegistry(
      _ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType
    ) {
      if type == .voIP { postilion.remove(.voip) }
    }

    /// A push for a call arrived. The system ends an app that does not report a call before it
    /// completes, so nothing here waits.
    public nonisolated func pushRegistry(
      _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
      for type: PKPushType, completion: @escaping () -> Void
    ) {
      let payload = RemotePayload(userInfo: payload.dictionaryPayload)
      MainActor.assumeIsolated { report(payload, mustReport: true) }
      completion()
    }

    // Only the SDK of Xcode 26.4, with Swift 6.3, has the type.
    #if compiler(>=6.3)
      /// A push for a call arrived, and the system says whether it has to be reported. From iOS
      /// 26.4 on it calls this instead of the method above.
      @available(iOS 26.4, macCatalyst 26.4, visionOS 26.4, *)
      public nonisolated func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
        metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping () -> Void
      ) {
        let payload = RemotePayload(userInfo: payload.dictionaryPayload)
        let mustReport = metadata.mustReport
        MainActor.assumeIsolated { report(payload, mustReport: mustReport) }
        completion()
      }
    #endif

    private func report(_ payload: RemotePayload, mustReport: Bool) {
      receiver.receive(payload, mustReport: mustReport) { call, fate in
        provider.report(call, fate)
        reported(call, fate, payload)
      }
    }
  }
#endif
