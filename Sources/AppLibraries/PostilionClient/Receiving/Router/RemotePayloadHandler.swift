/// What is offered every payload, such as the model of a screen. A router holds it weakly.
public protocol RemotePayloadHandler: AnyObject, Sendable {
  /// Handles a payload.
  ///
  /// A class of the main actor says so of this method, too: `@MainActor func handle(…)`.
  ///
  /// - Returns: what became of it; `nil` if it is not for this handler.
  func handle(_ payload: RemotePayload) async -> FetchResult?
}
