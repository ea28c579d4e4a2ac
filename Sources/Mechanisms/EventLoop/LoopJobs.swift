internal import Glibc

/// The jobs that other threads hand over to a loop, and their order to stop.
///
/// Behind a pthread mutex and not one of `Synchronization`: the thread sanitizer does not see the
/// latter, and reports each job that is handed over as a race.
final class LoopJobs: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var jobs: [UnownedJob] = []
  /// Whether the loop has been woken and has not looked yet.
  private var isWoken = false
  private var isStopping = false

  init() {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Leaves a job.
  /// - Returns: Whether the loop must be woken for it.
  func put(_ job: UnownedJob) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    jobs.append(job)
    defer { isWoken = true }
    return !isWoken
  }

  /// Tells the loop to stop.
  func stop() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isStopping = true
  }

  /// Moves the jobs to the end of `target`.
  /// - Returns: Whether the loop has been told to stop.
  func empty(into target: inout [UnownedJob]) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    target.append(contentsOf: jobs)
    jobs.removeAll(keepingCapacity: true)
    isWoken = false
    return isStopping
  }
}
