internal import Glibc

/// Starts a thread that nobody waits for; it ends when its work does.
public func startDetachedThread(_ work: @escaping @Sendable () -> Void) {
  let retained = Unmanaged.passRetained(ThreadWork(work))
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, retained.toOpaque())
  precondition(status == 0, "no thread")
  pthread_detach(thread)
}

/// What a thread does, as an object that C can hand over.
private final class ThreadWork: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
