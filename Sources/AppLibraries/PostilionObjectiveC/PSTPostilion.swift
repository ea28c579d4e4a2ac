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
  /// The start does not ask the system for a token, and observes nothing. So at each launch also
  /// call `registerForRemoteNotifications` of the application, and each time that the app comes to
  /// the front ``wake()`` and ``reportAuthorization()``.
  ///
  /// Everything may be called on any thread.
  @objc(PSTPostilion)
  public final class PSTPostilion: NSObject, Sendable {
    /// The registration of this app.
    @objc public static let shared = PSTPostilion()

    private let unprovenUsers = Guarded<Task<Void, Never>?>(nil)

    private override init() {}

    /// Begins to serve: once, at each launch.
    @objc(startWithServer:app:clientKey:)
    public func start(server: URL, app: String, clientKey: String) {
      start(server: server, app: app, clientKey: clientKey, capabilities: [])
    }

    /// Begins to serve, and says what the app can do.
    @objc(startWithServer:app:clientKey:capabilities:)
    public func start(server: URL, app: String, clientKey: String, capabilities: [String]) {
      start(
        server: server, app: app, clientKey: clientKey, capabilities: capabilities,
        waitsForOptIn: false)
    }

    /// Begins to serve, and says whether nothing is sent before the first ``optIn()``.
    @objc(startWithServer:app:clientKey:capabilities:waitsForOptIn:)
    public func start(
      server: URL, app: String, clientKey: String, capabilities: [String], waitsForOptIn: Bool
    ) {
      var configuration = PostilionConfiguration(server: server, app: app, clientKey: clientKey)
      configuration.capabilities = capabilities
      configuration.waitsForOptIn = waitsForOptIn
      Postilion.shared.start(configuration)
    }

    /// Tells the installation's name on the server, with which your backend finds the device.
    /// - Parameter completion: called with it, once, on any thread; with `nil` before the start,
    ///   and as long as the keychain cannot be read.
    @objc(installationWithCompletion:)
    public func installation(completion: @escaping (String?) -> Void) {
      // Only the task has it.
      let completion = HandedOver(value: completion)
      Task {
        completion.value(await Postilion.shared.status.installation?.uuidString.lowercased())
      }
    }

    /// The system gave a device token.
    @objc(registerDeviceToken:)
    public func register(deviceToken: Data) {
      Postilion.shared.register(token: deviceToken, for: .apns)
    }

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

    /// Hears of persons whom the server did not take without a good proof: get a new one from your
    /// backend, and call ``setUser(_:proof:)``.
    /// - Parameter handler: called on the main thread with the reason, such as
    ///   `identity_token_expired`. It takes the place of the one before; `nil` ends it.
    @objc(setUserUnprovenHandler:)
    public func setUserUnprovenHandler(_ handler: ((String) -> Void)?) {
      // Only the main thread calls it.
      let handler = handler.map { HandedOver(value: $0) }
      let task = handler.map { handler in
        Task {
          for await event in Postilion.shared.events {
            guard event.kind == .userUnproven else { continue }
            await MainActor.run { if !Task.isCancelled { handler.value(event.code ?? "") } }
          }
        }
      }
      unprovenUsers.withLock { current in
        current?.cancel()
        current = task
      }
    }

    /// The person has signed out.
    @objc public func signOut() { Postilion.shared.signOut() }

    /// The words that the device can be found by: all that the app gives it.
    @objc(setTags:)
    public func setTags(_ tags: [String]) { Postilion.shared.setTags(tags) }

    /// More of these words; the app's others stay.
    @objc(addTags:)
    public func addTags(_ tags: [String]) { Postilion.shared.addTags(tags) }

    /// The app takes some of its words back; its others stay.
    @objc(removeTags:)
    public func removeTags(_ tags: [String]) { Postilion.shared.removeTags(tags) }

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
