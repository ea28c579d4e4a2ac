internal import CLinux
internal import Glibc

/// An epoll set (epoll(7)), level-triggered: what is ready is told again until it is
/// taken. It is open as long as the process.
struct Poller {
  private let descriptor: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: 256)

  init() throws(Fault) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw Fault("epoll: \(String(cString: strerror(errno)))") }
  }

  /// Watches for bytes to read.
  /// - Parameter key: What ``wait(nanoseconds:_:)`` calls it.
  func add(_ descriptor: Int32, key: Int) throws(Fault) {
    var event = postilion_epoll_event(EPOLLIN.rawValue, UInt64(bitPattern: Int64(key)))
    guard epoll_ctl(self.descriptor, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      throw Fault("epoll: \(String(cString: strerror(errno)))")
    }
  }

  func remove(_ descriptor: Int32) {
    epoll_ctl(self.descriptor, EPOLL_CTL_DEL, descriptor, nil)
  }

  /// Waits until something is ready, and calls for each.
  /// - Parameter nanoseconds: At most so long; `nil` waits for ever.
  mutating func wait(
    nanoseconds: Int? = nil, _ body: (_ key: Int) throws(Fault) -> Void
  ) throws(Fault) {
    // epoll_wait counts in milliseconds, which is too coarse for thousands of arrivals a second.
    if let nanoseconds { sleep(nanoseconds) }
    let count = epoll_wait(descriptor, &events, Int32(events.count), nanoseconds == nil ? -1 : 0)
    for index in 0..<max(0, Int(count)) {
      try body(Int(Int64(bitPattern: postilion_epoll_data(&events[index]))))
    }
  }

  /// Until something is ready, or the time is over.
  private func sleep(_ nanoseconds: Int) {
    var time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    var set = fd_set()
    withUnsafeMutableBytes(of: &set) {
      $0[Int(descriptor) / 8] |= 1 << UInt8(descriptor % 8)
    }
    pselect(descriptor + 1, &set, nil, nil, &time, nil)
  }
}
