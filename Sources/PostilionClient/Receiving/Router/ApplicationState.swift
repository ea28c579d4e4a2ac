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
