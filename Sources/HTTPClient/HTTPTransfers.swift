internal import CCurl
internal import Synchronization

/// Posts to many servers at once, by libcurl's multi interface: one thread moves all of them, so
/// that a server that does not answer holds up nobody.
///
/// Connections are kept for the next post to the same server. Each new one is checked by the
/// address that it really goes to, whatever a name meant a moment before. Proxies of the
/// environment are not used: they would make connections that nobody checks. Certificates are
/// verified by the system's authorities.
public final class HTTPTransfers: Sendable {
  /// What is told of the end of a post, on the thread of ``run()``.
  public typealias Completion = @Sendable (HTTPPostResult) -> Void

  private struct State {
    var waiting: [(post: HTTPPost, completion: Completion)] = []
    var isClosed = false
  }
  private let state = Mutex(State())
  // Only `run` uses it, but for `curl_multi_wakeup`, which any thread may call.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer?
  private let allows: @Sendable (String) -> Bool

  /// - Parameters:
  ///   - keptConnections: So many rest for the next post.
  ///   - allows: Whether posts may go to an address, such as `192.0.2.1` or `2001:db8::1`.
  public init(keptConnections: Int, allows: @escaping @Sendable (_ address: String) -> Bool) {
    self.allows = allows
    multi = HTTPClient.isReady ? curl_multi_init() : nil
    if let multi {
      _ = postilion_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, keptConnections)
    }
  }

  deinit { if let multi { curl_multi_cleanup(multi) } }

  /// Begins a post, from any thread. One after the end of ``run()`` is stopped at once.
  public func start(_ post: HTTPPost, completion: @escaping Completion) {
    let isTaken = state.withLock { state in
      guard !state.isClosed, multi != nil else { return false }
      state.waiting.append((post, completion))
      return true
    }
    if isTaken { curl_multi_wakeup(multi) } else { completion(.failed(.stopped)) }
  }

  /// Has ``run()`` return; what is under way is stopped.
  public func close() {
    state.withLock { $0.isClosed = true }
    if let multi { curl_multi_wakeup(multi) }
  }

  /// Moves all posts on the calling thread until ``close()``.
  public func run() {
    guard let multi else { return }
    var running: [UnsafeMutableRawPointer: PostTransfer] = [:]
    while true {
      let (waiting, isClosed) = state.withLock { state in
        defer { state.waiting = [] }
        return (state.waiting, state.isClosed)
      }
      for (post, completion) in waiting {
        guard !isClosed, let transfer = PostTransfer(post, allows, completion) else {
          completion(.failed(.stopped))
          continue
        }
        running[transfer.curl] = transfer
        curl_multi_add_handle(multi, transfer.curl)
      }
      if isClosed { break }
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      end(&running, of: multi)
      curl_multi_poll(multi, nil, 0, HTTPClientLimits.idleMilliseconds, nil)
    }
    for (curl, transfer) in running {
      curl_multi_remove_handle(multi, curl)
      transfer.completion(.failed(.stopped))
    }
  }

  /// Tells of those that are over.
  private func end(
    _ running: inout [UnsafeMutableRawPointer: PostTransfer], of multi: UnsafeMutableRawPointer
  ) {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let curl = message.pointee.easy_handle,
        let transfer = running.removeValue(forKey: curl)
      else { continue }
      let code = postilion_curl_result(message)
      curl_multi_remove_handle(multi, curl)
      transfer.completion(transfer.result(code))
    }
  }
}
