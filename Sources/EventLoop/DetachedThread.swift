internal import Glibc

/// Starts a thread that nobody waits for, as a program has to have it; it ends when its work does.
func startDetachedThread(_ work: @escaping @Sendable () -> Void) {
  precondition(tryDetachedThread(work), "no thread")
}

/// Starts a thread that nobody waits for; it ends when its work does.
/// - Returns: Whether the system lets the process have one more.
public func tryDetachedThread(_ work: @escaping @Sendable () -> Void) -> Bool {
  let retained = Unmanaged.passRetained(ThreadWork(work))
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, retained.toOpaque())
  guard status == 0 else {
    retained.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// What a thread does, as an object that C can hand over.
private final class ThreadWork: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
