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
