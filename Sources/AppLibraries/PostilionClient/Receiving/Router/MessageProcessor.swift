#if compiler(>=6.2)
  /// What may be made on any thread: older compilers have no word for it.
  public typealias ConcurrentMetatype = SendableMetatype
#else
  /// What may be made on any thread: older compilers have no word for it.
  public typealias ConcurrentMetatype = Any
#endif

/// What processes the payloads of one message type; a new one is made for each payload.
///
/// ```swift
/// struct Greeting: MessageProcessor {
///   static let messageType = "greeting"
///   let payload: RemotePayload
///   func process() async -> FetchResult { … }
/// }
/// router.register(Greeting.self)
/// ```
public protocol MessageProcessor: ConcurrentMetatype {
  /// The message type, as the payload names it.
  static var messageType: String { get }

  /// Makes a processor for a payload.
  ///
  /// - Throws: if it lacks what the processor needs; then the result is `failed`.
  init(payload: RemotePayload) throws

  /// Processes the payload; for one that came in the background in less than 30 seconds.
  func process() async -> FetchResult
}

/// What the app is doing when a payload arrives: `UIApplication.State` as a value.
///
/// A processor or handler asks for the state of the payload that it is at work on:
///
/// ```swift
/// func process() async -> FetchResult {
///   if ApplicationState.current == .active { await banner.show(text) }
///   return .newData
/// }
/// ```
public enum ApplicationState: Sendable, Hashable, CaseIterable {
  /// The app is in front.
  case active
  /// The app is on its way to the front or from it, as after a tap on the notification.
  case inactive
  /// The app is in the background.
  case background

  /// The state of the app when the payload arrived. `nil` if whoever routed it did not tell, and
  /// for a payload that waited for its processor.
  @TaskLocal public static var current: ApplicationState?
}
