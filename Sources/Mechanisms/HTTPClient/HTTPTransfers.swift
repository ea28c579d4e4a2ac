internal import CCurl
internal import Synchronization

/// Calls many servers at once, by libcurl's multi interface: one thread moves all calls, so that a
/// server that does not answer holds up nobody. Only the head of an answer is told.
///
/// Connections are kept for the next call to the same server. Each new connection is checked by the
/// address to which it really goes, whatever address its name had a moment before. Proxies of the
/// environment are not used: they would make connections that nobody checks. Certificates are
/// verified by the system's authorities.
public final class HTTPTransfers: Sendable {
  /// Hears of the end of a call, on the thread of ``run()``.
  public typealias Completion = @Sendable (Result<HTTPResponseHead, HTTPClientError>) -> Void

  private struct Call {
    let transfer: Transfer
    let completion: Completion
  }
  private struct State {
    var waiting: [Call] = []
    var isClosed = false
  }
  private let state = Mutex(State())
  // Only `run` uses it, but for `curl_multi_wakeup`, which any thread may call.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer?
  private let allows: @Sendable (String) -> Bool

  /// - Parameters:
  ///   - keptConnections: How many connections are kept for the next call.
  ///   - allows: Whether calls may go to an address, such as `192.0.2.1` or `2001:db8::1`.
  public init(keptConnections: Int, allows: @escaping @Sendable (_ address: String) -> Bool) {
    self.allows = allows
    multi = HTTPClient.isReady ? curl_multi_init() : nil
    if let multi {
      _ = postilion_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, keptConnections)
    }
  }

  deinit { if let multi { curl_multi_cleanup(multi) } }

  /// Begins a call, from any thread. A call after the end of ``run()`` is stopped at once.
  public func start(_ request: HTTPRequest, completion: @escaping Completion) {
    guard multi != nil, let curl = curl_easy_init() else { return completion(Self.stopped) }
    var ignored = 0
    let transfer = Transfer(request, by: curl, allows: allows) { _, piece in
      ignored += piece.count
      return ignored <= HTTPClientLimits.ignoredBodyBytes
    }
    let call = Call(transfer: transfer, completion: completion)
    let isTaken = state.withLock { state in
      if !state.isClosed { state.waiting.append(call) }
      return !state.isClosed
    }
    if isTaken { curl_multi_wakeup(multi) } else { Self.end(call, Self.stopped) }
  }

  /// Makes ``run()`` return; calls that are under way are stopped.
  public func close() {
    state.withLock { $0.isClosed = true }
    if let multi { curl_multi_wakeup(multi) }
  }

  /// Moves all calls on the calling thread until ``close()``.
  public func run() {
    guard let multi else { return }
    var running: [UnsafeMutableRawPointer: Call] = [:]
    while true {
      let (waiting, isClosed) = state.withLock { state in
        defer { state.waiting = [] }
        return (state.waiting, state.isClosed)
      }
      for call in waiting {
        running[call.transfer.curl] = call
        curl_multi_add_handle(multi, call.transfer.curl)
      }
      if isClosed { break }
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      end(&running, of: multi)
      curl_multi_poll(multi, nil, 0, HTTPClientLimits.idleMilliseconds, nil)
    }
    for (curl, call) in running {
      curl_multi_remove_handle(multi, curl)
      Self.end(call, Self.stopped)
    }
  }

  /// Tells of the calls that are over.
  private func end(
    _ running: inout [UnsafeMutableRawPointer: Call], of multi: UnsafeMutableRawPointer
  ) {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let curl = message.pointee.easy_handle,
        let call = running.removeValue(forKey: curl)
      else { continue }
      let code = postilion_curl_result(message)
      curl_multi_remove_handle(multi, curl)
      // The head says all, and nobody wants the body: it may be long, slow, or broken.
      let transfer = call.transfer
      let isAnswered = code == CURLE_OK || transfer.isHeadWhole && transfer.head.status >= 200
      Self.end(
        call, isAnswered ? .success(transfer.head) : .failure(transfer.error(code)))
    }
  }

  private static func end(_ call: Call, _ result: Result<HTTPResponseHead, HTTPClientError>) {
    curl_easy_cleanup(call.transfer.curl)
    call.completion(result)
  }

  private static let stopped: Result<HTTPResponseHead, HTTPClientError> =
    .failure(HTTPClientError(cause: .stopped, description: "calls have ended"))
}
