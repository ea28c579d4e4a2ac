import Foundation

/// Keeps the process running while something has to be sent, on systems that suspend an app soon
/// after the person has left it.
///
/// All who hold it share one activity of the system, which waits on a thread of its own. The last
/// who releases it ends the activity; when the system's patience ends before, the process is
/// suspended, and what was not answered is sent again when it goes on.
final class BackgroundTime: Sendable {
  /// Calls the block with `false` while the process is kept running until the block returns. If the
  /// system wants to suspend the process all the same, or cannot keep it running at all, it calls
  /// the block with `true`, on another thread.
  typealias Perform = @Sendable (_ block: @escaping @Sendable (Bool) -> Void) -> Void

  private struct State {
    var holders = 0
    var activity: Activity?
  }

  private let perform: Perform?
  private let state = Guarded(State())

  /// Background time; without a way to perform nothing is done.
  init(_ perform: Perform?) {
    self.perform = perform
  }

  /// Keeps the process running until ``release()``. An activity that the system has ended is
  /// followed by a new one.
  func hold() {
    guard let perform else { return }
    let new: Activity? = state.withLock { state in
      state.holders += 1
      if let activity = state.activity, !activity.isOver { return nil }
      let new = Activity()
      state.activity = new
      return new
    }
    guard let new else { return }
    perform { isExpired in isExpired ? new.end() : new.wait() }
  }

  /// Takes one ``hold()`` back.
  func release() {
    guard perform != nil else { return }
    let last: Activity? = state.withLock { state in
      state.holders -= 1
      guard state.holders == 0 else { return nil }
      defer { state.activity = nil }
      return state.activity
    }
    last?.end()
  }
}

/// One activity of the system: it runs, and is over for good.
private final class Activity: Sendable {
  private let over = Guarded(false)
  private let signal = DispatchSemaphore(value: 0)

  var isOver: Bool { over.withLock { $0 } }

  func end() {
    over.withLock { $0 = true }
    signal.signal()
  }

  /// Returns when it is over.
  func wait() {
    guard !isOver else { return }
    signal.wait()
  }
}

extension BackgroundTime {
  /// The system's own; `nil` where it does not suspend apps.
  static var system: Perform? {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      { block in
        ProcessInfo.processInfo.performExpiringActivity(
          withReason: "org.postilion.report", using: block)
      }
    #else
      nil
    #endif
  }
}
