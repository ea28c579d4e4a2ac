internal import EventLoop
internal import Glibc
internal import Synchronization

/// Looks up the addresses of servers by their names, on threads. While its servers are silent, the
/// system's resolver holds its caller for half a minute, and a loop has to serve others meanwhile.
final class NameLookup: Sendable {
  /// Addresses as text, in the order in which to try them (RFC 6724); at least one.
  typealias Answer = Result<[String], PostgresError>
  /// A search of one caller: its first element is the answer, and the holder of the continuation
  /// may end the search with another answer.
  typealias Search = (answers: AsyncStream<Answer>, end: AsyncStream<Answer>.Continuation)

  /// The lookup by the system's resolver.
  static let system = NameLookup(addresses)

  private let lookUp: @Sendable (String) -> Answer
  /// The callers that wait, by the name that is being looked up.
  private let waiting = Mutex<[String: [AsyncStream<Answer>.Continuation]]>([:])

  /// - Parameter lookUp: Is called on a thread of its own, for each name once at a time.
  init(_ lookUp: @escaping @Sendable (String) -> Answer) { self.lookUp = lookUp }

  /// Begins to look for a name.
  func search(_ name: String) -> Search {
    let search = AsyncStream.makeStream(of: Answer.self)
    let isUnderWay = waiting.withLock { waiting in
      waiting[name, default: []].append(search.continuation)
      return waiting[name]?.count != 1
    }
    let isBegun = isUnderWay || tryDetachedThread { [self] in answer(name, lookUp(name)) }
    if !isBegun { answer(name, .failure(PostgresError(.disconnected, "no thread is left"))) }
    return (search.stream, search.continuation)
  }

  private func answer(_ name: String, _ answer: Answer) {
    let searches = waiting.withLock { $0.removeValue(forKey: name) ?? [] }
    for search in searches { search.yield(answer) }
  }

  private static func addresses(of name: String) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(name, nil, &hints, &list)
    defer { freeaddrinfo(list) }
    let addresses = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
      .compactMap { $0.flatMap { text(of: $0.pointee) } }
    guard addresses.isEmpty else { return .success(addresses) }
    let reason = gai_strerror(status).map { String(cString: $0) } ?? "no address"
    return .failure(
      PostgresError(
        .disconnected, "could not translate host name \"\(name)\" to address: \(reason)"))
  }

  /// An address as `192.0.2.1` or `2001:db8::1`.
  private static func text(of entry: addrinfo) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
      let status = getnameinfo(
        entry.ai_addr, entry.ai_addrlen, text.baseAddress, socklen_t(text.count), nil, 0,
        NI_NUMERICHOST)
      return status == 0 ? text.baseAddress.map { String(cString: $0) } : nil
    }
  }
}
