/// A connection as the queue sees it.
struct ConnectionLoad: Sendable {
  /// Whether anyone may send over it.
  var isFree = true
  /// Segments under way.
  var depth = 0
}

/// The statements and transactions that wait for a connection, as a value: the client asks which
/// connection takes which of them, then acts.
///
/// Statements share connections, a transaction has one for itself. While transactions wait, one
/// connection is left to drain for them; while statements wait, one is left to serve them. A single
/// connection is given in turns, in the order in which their calls began.
struct WorkQueue<Work, Lease> {
  private struct Waiting {
    let work: Work
    let isRead: Bool
    let since: UInt64
  }
  private struct WaitingLease {
    let lease: Lease
    let since: UInt64
  }

  /// Statements in the order in which they came; the first ``taken`` of them are gone.
  private var statements: [Waiting] = []
  private var taken = 0
  private var leases: [WaitingLease] = []

  private var waiting: ArraySlice<Waiting> { statements[taken...] }

  /// Whether no further statement may wait.
  var isFull: Bool { waiting.count >= Limits.waitingStatements }

  /// Whether no further transaction may wait.
  var isFullOfLeases: Bool { leases.count >= Limits.waitingStatements }

  /// Has a statement, or a whole segment, wait.
  /// - Parameters:
  ///   - isRead: Whether it may go with other reads, before one Sync.
  ///   - since: When its call began, in nanoseconds of the loop's clock.
  mutating func add(_ work: Work, isRead: Bool, at since: UInt64) {
    statements.append(Waiting(work: work, isRead: isRead, since: since))
  }

  /// Has a transaction wait for a connection of its own.
  mutating func add(lease: Lease, at since: UInt64) {
    leases.append(WaitingLease(lease: lease, since: since))
  }

  /// The transaction whose turn it is, and the index of the connection that it gets.
  mutating func takeLease(_ connections: [ConnectionLoad]) -> (lease: Lease, connection: Int)? {
    guard !leases.isEmpty, let connection = leasable(connections) else { return nil }
    return (leases.removeFirst().lease, connection)
  }

  /// The statements that go next, as one segment, and the index of the connection that they get.
  mutating func takeWork(_ connections: [ConnectionLoad]) -> (work: [Work], connection: Int)? {
    guard let first = waiting.first, !isHeldBack(first, connections),
      let connection = freest(connections)
    else {
      statements.removeFirst(taken)
      taken = 0
      return nil
    }
    let segment =
      first.isRead
      ? waiting.prefix(Limits.readsPerSegment).prefix(while: \.isRead) : waiting.prefix(1)
    taken = segment.endIndex
    return (segment.map(\.work), connection)
  }

  /// Takes out the statements and transactions that have waited since before a time.
  mutating func takeExpired(before limit: UInt64) -> (work: [Work], leases: [Lease]) {
    let late = waiting.filter { $0.since < limit }.map(\.work)
    statements = waiting.filter { $0.since >= limit }
    taken = 0
    let lateLeases = leases.filter { $0.since < limit }.map(\.lease)
    leases.removeAll { $0.since < limit }
    return (late, lateLeases)
  }

  /// Takes out all statements and transactions.
  mutating func takeAll() -> (work: [Work], leases: [Lease]) {
    defer { self = WorkQueue() }
    return (waiting.map(\.work), leases.map(\.lease))
  }

  /// With one connection for all, a statement whose call began after that of a waiting transaction
  /// goes after the transaction.
  private func isHeldBack(_ statement: Waiting, _ connections: [ConnectionLoad]) -> Bool {
    guard connections.count == 1, let lease = leases.first else { return false }
    return statement.since >= lease.since
  }

  /// The free connection with the least under way, if it has room. While a transaction waits, it is
  /// the connection with the second least, unless only one is free.
  private func freest(_ connections: [ConnectionLoad]) -> Int? {
    var emptiest: Int?
    var second: Int?
    for (index, connection) in connections.enumerated() where connection.isFree {
      if connection.depth < emptiest.map({ connections[$0].depth }) ?? .max {
        second = emptiest
        emptiest = index
      } else if connection.depth < second.map({ connections[$0].depth }) ?? .max {
        second = index
      }
    }
    let choice = leases.isEmpty ? emptiest : second ?? emptiest
    return choice.flatMap { connections[$0].depth < Limits.segmentsPerConnection ? $0 : nil }
  }

  /// A connection without anything under way; the last free one only while no statement waits.
  private func leasable(_ connections: [ConnectionLoad]) -> Int? {
    if connections.count == 1 {
      if let statement = waiting.first, let lease = leases.first, statement.since < lease.since {
        return nil
      }
    } else if !waiting.isEmpty {
      guard connections.lazy.filter(\.isFree).count > 1 else { return nil }
    }
    return connections.firstIndex { $0.isFree && $0.depth == 0 }
  }
}
