#if canImport(ObjectiveC)
  import Foundation
  import PostilionClient

  /// The registration for Objective-C: ``PostilionClient/Postilion`` with types that it knows.
  ///
  /// ```objc
  /// [PSTPostilion.shared startWithServer:[NSURL URLWithString:@"https://push.example.com"]
  ///                                  app:@"food" clientKey:@"pst_client_…"];
  /// ```
  ///
  /// Everything may be called on any thread.
  @objc(PSTPostilion)
  public final class PSTPostilion: NSObject, Sendable {
    /// The registration of this app.
    @objc public static let shared = PSTPostilion()

    private override init() {}

    /// Begins to serve: once, at each launch.
    @objc(startWithServer:app:clientKey:)
    public func start(server: URL, app: String, clientKey: String) {
      start(server: server, app: app, clientKey: clientKey, capabilities: [])
    }

    /// Begins to serve, and says what the app can do.
    @objc(startWithServer:app:clientKey:capabilities:)
    public func start(server: URL, app: String, clientKey: String, capabilities: [String]) {
      var configuration = PostilionConfiguration(server: server, app: app, clientKey: clientKey)
      configuration.capabilities = capabilities
      Postilion.shared.start(configuration)
    }

    /// The system gave a device token.
    @objc(registerDeviceToken:)
    public func register(deviceToken: Data) { Postilion.shared.register(deviceToken: deviceToken) }

    /// The system gave no token.
    @objc(registrationFailedWithError:)
    public func registrationFailed(_ error: any Error) {
      Postilion.shared.registrationFailed(error)
    }

    /// A person has signed in; the proof is the JWT that your backend signed.
    @objc(setUser:proof:)
    public func setUser(_ id: String, proof: String?) {
      Postilion.shared.setUser(id, proof: proof)
    }

    /// The person has signed out.
    @objc public func signOut() { Postilion.shared.signOut() }

    /// The words that the device can be found by.
    @objc(setTags:)
    public func setTags(_ tags: [String]) { Postilion.shared.setTags(tags) }

    /// The app's own facts: strings, numbers and booleans. Anything else is left out.
    @objc(setAttributes:)
    public func setAttributes(_ attributes: [String: Any]) {
      Postilion.shared.setAttributes(attributes.compactMapValues { PayloadValue($0) })
    }

    /// The language that the person chose in the app; `nil` for those of the system.
    @objc(setLanguage:)
    public func setLanguage(_ language: String?) { Postilion.shared.setLanguage(language) }

    /// No installation on the server any more, until ``optIn()``.
    @objc public func optOut() { Postilion.shared.optOut() }

    /// An installation on the server again.
    @objc public func optIn() { Postilion.shared.optIn() }

    /// The app came to the front, or the network came back.
    @objc public func wake() { Postilion.shared.wake() }

    #if canImport(UserNotifications)
      /// Asks the person for the permission to show alerts, badges and sounds.
      /// - Parameter completion: called with whether anything is allowed, once, on any thread.
      @objc(requestAuthorizationWithCompletion:)
      public func requestAuthorization(completion: @escaping (Bool) -> Void) {
        // Only the task has it.
        let completion = HandedOver(value: completion)
        Task { completion.value(await Postilion.shared.requestAuthorization()) }
      }

      /// Reports what the person allows now: call it when the app comes to the front.
      @objc public func reportAuthorization() { Postilion.shared.reportAuthorization() }
    #endif
  }
#endif
