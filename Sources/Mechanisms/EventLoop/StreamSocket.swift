internal import CLinux
internal import Glibc

/// A connected stream socket of one loop: reads and writes suspend until the kernel can serve
/// them, a deadline passes, or someone interrupts.
///
/// The descriptor is edge-triggered for both directions: registered once, never changed. A reader
/// suspends only when ``isDrained`` or after `EAGAIN`, and both happen on the loop's thread, so no
/// edge is missed.
public final class StreamSocket: LoopHandler, @unchecked Sendable {
  /// How a wait ended.
  public enum Wake: Sendable {
    /// Try again.
    case ready
    case timedOut
    /// ``StreamSocket/interrupt()`` was called.
    case interrupted
  }

  private let loop: EventLoop
  private var descriptor: Int32
  private var key: LoopKey = 0
  private var reader: UnsafeContinuation<Wake, Never>?
  private var onReadable: (() -> Void)?
  private var writer: UnsafeContinuation<Wake, Never>?
  private var readDeadline: UInt64 = .max
  private var writeDeadline: UInt64 = .max
  private var earliestTimer: UInt64 = .max
  /// Whether the peer has ended its side; bytes that it sent before may still be unread.
  private var hasPeerEnded = false
  private var onPeerEnd: (() -> Void)?
  /// Whether the last read took less than it had room for, and the loop has been told of nothing
  /// since. Then the next bytes, or the end of the stream, make an edge (epoll(7), "Questions and
  /// answers"), so a reader may wait without another try.
  public private(set) var isDrained = false

  /// Takes over a connected, non-blocking descriptor; on the loop.
  public init(_ descriptor: Int32, loop: EventLoop) throws(SystemError) {
    self.loop = loop
    self.descriptor = descriptor
    key = try loop.register(
      self, descriptor: descriptor, interest: [.readable, .writable], edgeTriggered: true)
  }

  deinit {
    // As a rule the owner has closed the socket. The descriptor of a socket that was never served
    // must not leak.
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// The address of the other end.
  public var peer: IPAddress? { (try? SocketAddress(peerOf: descriptor)).flatMap { IPAddress($0) } }

  /// Reads the bytes that have arrived, at most the loop's read buffer, and lends them to `body`.
  /// - Returns: `nil` when nothing is there yet; an empty buffer is lent at the end of the stream.
  public func readAvailable<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    let buffer = loop.readBuffer
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 {
        isDrained = count < buffer.count && !hasPeerEnded
        return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      if errno == EINTR { continue }
      if errno == EAGAIN { return nil }
      throw SystemError("recv")
    }
  }

  /// Suspends until there is something to read; one task at a time.
  public func waitReadable(until deadline: UInt64 = .max) async -> Wake {
    if descriptor < 0 { return .interrupted }
    precondition(reader == nil, "two tasks read from one socket")
    readDeadline = deadline
    arm(deadline)
    return await withUnsafeContinuation { reader = $0 }
  }

  /// Calls `body` once, on the loop, when ``waitReadable(until:)`` would return: no task is needed
  /// meanwhile. Bytes that arrived before must have been read.
  public func whenReadable(until deadline: UInt64, _ body: @escaping () -> Void) {
    precondition(reader == nil && onReadable == nil, "two tasks read from one socket")
    readDeadline = deadline
    arm(deadline)
    onReadable = body
  }

  /// Writes as many bytes as the peer's window takes now.
  /// - Parameters:
  ///   - more: The bytes behind `bytes`, so that the two need not be copied together.
  ///   - start: How many bytes of the two are written already.
  /// - Returns: How many bytes of the two are written then.
  public func writeAvailable(
    _ bytes: [UInt8], _ more: [UInt8] = [], from start: Int = 0
  ) throws -> Int {
    var end = start
    while end < bytes.count + more.count {
      let count = bytes.withUnsafeBytes { first in
        more.withUnsafeBytes { second in
          send(
            UnsafeRawBufferPointer(rebasing: first[min(end, first.count)...]),
            UnsafeRawBufferPointer(rebasing: second[max(0, end - first.count)...]))
        }
      }
      if count >= 0 {
        end += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        throw SystemError("send")
      }
    }
    return end
  }

  /// Sends two buffers by one call; gives what `send` gives.
  private func send(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> Int {
    let flags = Int32(truncatingIfNeeded: MSG_NOSIGNAL)
    if second.isEmpty { return Glibc.send(descriptor, first.baseAddress, first.count, flags) }
    var parts = (
      iovec(iov_base: .init(mutating: first.baseAddress), iov_len: first.count),
      iovec(iov_base: .init(mutating: second.baseAddress), iov_len: second.count)
    )
    return withUnsafeMutablePointer(to: &parts) { parts in
      parts.withMemoryRebound(to: iovec.self, capacity: 2) { parts in
        var message = msghdr()
        message.msg_iov = parts
        message.msg_iovlen = 2
        return sendmsg(descriptor, &message, flags)
      }
    }
  }

  /// Writes all bytes, suspending while the peer's window is full; one task at a time.
  /// - Parameters:
  ///   - more: The bytes behind `bytes`, so that the two need not be copied together.
  ///   - start: How many bytes of the two are written already.
  ///   - allowance: How slowly the peer may read.
  /// - Throws: ``SystemError``; `ETIMEDOUT` when the peer is slower.
  public func write(
    _ bytes: [UInt8], _ more: [UInt8] = [], from start: Int = 0, allowance: PeerAllowance
  ) async throws {
    var allowance = allowance
    var end = try writeAvailable(bytes, more, from: start)
    while end < bytes.count + more.count {
      try await waitWritable(&allowance)
      end = try writeAvailable(bytes, more, from: end)
    }
  }

  /// Suspends until the peer has taken something, or it is time to look whether it has.
  private func waitWritable(_ allowance: inout PeerAllowance) async throws {
    guard !allowance.isExhausted else { throw SystemError("send", number: ETIMEDOUT) }
    precondition(writer == nil, "two tasks write to one socket")
    let began = Monotonic.now()
    let held = postilion_unacknowledged(descriptor)
    writeDeadline = began + min(allowance.left, Limits.writeLookNanoseconds)
    arm(writeDeadline)
    let wake = await withUnsafeContinuation { writer = $0 }
    if wake == .interrupted { throw SystemError("send", number: ECANCELED) }
    allowance.waited(Monotonic.now() - began)
    allowance.moved(Int(held) - Int(postilion_unacknowledged(descriptor)))
  }

  /// Calls `body` when the peer has ended its side, at once if it has. A later `body` takes the
  /// place of an earlier one. Most peers that end their side are gone, and nothing else tells us so
  /// while the peer has to wait for an answer that takes long to make.
  public func whenPeerEnds(_ body: @escaping () -> Void) {
    onPeerEnd = body
    if hasPeerEnded { body() }
  }

  /// Ends the waits that are suspended now with `.interrupted`; later waits are not affected.
  public func interrupt() {
    wake(.interrupted)
  }

  /// Tells the peer that nothing more will be written.
  public func shutdownWriting() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes ``close()`` look like a failure to the peer (a reset), for a stream that broke off: the
  /// peer could take its end for the end of a whole stream. Bytes that are not sent yet are lost.
  public func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Whether ``close()`` was called: no wait suspends any more.
  public var isClosed: Bool { descriptor < 0 }

  /// Closes the descriptor; waits, also later ones, end with `.interrupted`.
  public func close() {
    guard descriptor >= 0 else { return }
    loop.deregister(key, descriptor: descriptor)
    Glibc.close(descriptor)
    descriptor = -1
    onPeerEnd?()
    interrupt()
  }

  /// Schedules a timer for a wanted deadline, unless a timer fires early enough already.
  private func arm(_ deadline: UInt64) {
    guard deadline < earliestTimer else { return }
    earliestTimer = deadline
    loop.schedule(key, at: deadline)
  }

  private func wake(_ reason: Wake) {
    wakeReader(reason)
    writer.take()?.resume(returning: reason)
  }

  private func wakeReader(_ reason: Wake) {
    reader.take()?.resume(returning: reason)
    onReadable.take()?()
  }

  /// Wakes the tasks that wait for the socket.
  public func loopReady(_ readiness: Readiness) {
    if !hasPeerEnded, !readiness.isDisjoint(with: [.ended, .closed]) {
      hasPeerEnded = true
      onPeerEnd?()
    }
    if !readiness.isDisjoint(with: [.readable, .closed]) {
      isDrained = false
      wakeReader(.ready)
    }
    if !readiness.isDisjoint(with: [.writable, .closed]) {
      writer.take()?.resume(returning: .ready)
    }
  }

  /// Ends all waits.
  public func loopEnded() { close() }

  /// Ends a wait whose deadline has passed.
  public func loopTimerFired() {
    guard loop.nanoseconds >= earliestTimer else { return }
    earliestTimer = .max
    if loop.nanoseconds >= readDeadline { wakeReader(.timedOut) }
    if loop.nanoseconds >= writeDeadline { writer.take()?.resume(returning: .timedOut) }
    let next = min(
      reader == nil && onReadable == nil ? .max : readDeadline,
      writer == nil ? .max : writeDeadline)
    if next != .max { arm(next) }
  }
}
