internal import EventLoop

/// The right to do work that one of all instances does: a row of the table `lease`, which is good
/// for some seconds by the clock of the database, and is extended while the work goes on.
///
/// An instance that is killed or frozen does not extend the lease. Another instance that finds it
/// at its end takes it, and its number is one higher. So nothing that a former holder does counts
/// any more. It asks whether it still has the lease (``confirm()``) before it goes on. A statement
/// that it runs all the same has the number as its condition (``isHeld(_:number:)``), and writes
/// nothing.
public final class DatabaseLease: @unchecked Sendable {
  /// One higher with each holder.
  public let number: Int64
  private let name: String
  /// A connection for nothing else: a wait for the row holds up no other work.
  private let keeper: PostgresClient
  /// Until when no other instance can have the lease, by the clock that never jumps.
  private var heldUntil: UInt64
  private var isOver = false

  private init(_ name: String, number: Int64, heldUntil: UInt64, keeper: PostgresClient) {
    self.name = name
    self.number = number
    self.heldUntil = heldUntil
    self.keeper = keeper
  }

  /// The condition of a statement that only the holder may run. An instance that takes the lease
  /// waits until the statement is over.
  /// - Parameter number: The parameter that has the lease's number, such as `$3`.
  public static func isHeld(_ name: StaticString, number: StaticString) -> String {
    "EXISTS (SELECT FROM lease WHERE name = '\(name)' AND number = \(number) FOR SHARE)"
  }

  /// The same for a query.
  public static func isHeld(_ name: StaticString, number: Int64) -> SQL {
    "EXISTS (SELECT FROM lease WHERE name = '\(constant: name)' AND number = \(number) FOR SHARE)"
  }

  /// Takes a lease that is free or at its end.
  /// - Returns: `nil` when another instance has it.
  static func take(_ name: String, by client: PostgresClient) async throws(PostgresError) -> Self? {
    let asked = Monotonic.now()
    guard let number = try await client.write(TakeLease(name: name)).first else { return nil }
    let keeper = PostgresClient(
      client.address, connections: 1, loop: client.loop,
      answerNanoseconds: client.answerNanoseconds, refusal: client.refusal)
    keeper.start()
    return Self(
      name, number: number, heldUntil: asked + Limits.leaseNanoseconds, keeper: keeper)
  }

  /// Makes sure that this instance still has the lease, and may write.
  /// - Throws: ``PostgresError`` when another instance has it, or when nobody can tell.
  public func confirm() async throws(PostgresError) {
    try keeper.requireWrites()
    if Monotonic.now() >= heldUntil { try await extend() }
  }

  private func extend() async throws(PostgresError) {
    let asked = Monotonic.now()
    guard try await !keeper.write(ExtendLease(name: name, number: number)).isEmpty else {
      heldUntil = 0
      throw PostgresError(.misuse, "another instance has taken the lease of \(name)")
    }
    heldUntil = asked + Limits.leaseNanoseconds
  }

  /// Extends the lease every few seconds until its end.
  func keep() {
    keeper.loop.execute { [self] in
      while true {
        await keeper.loop.sleep(nanoseconds: Limits.leaseBeatNanoseconds)
        if isOver { return }
        // The work under the lease hears of a failure when the lease is at its end.
        try? await extend()
      }
    }
  }

  /// Gives the lease up, so that the next instance need not wait for its end.
  func end() async {
    isOver = true
    _ = try? await keeper.write(EndLease(name: name, number: number))
    keeper.close()
  }
}

/// Takes a lease, if it is at its end and nobody is at it. A lease that ends later than one that is
/// taken now was taken before the clock went back: it is at its end, too. After the last number
/// comes 0.
struct TakeLease: Statement {
  typealias Row = Int64
  static let sql = """
    UPDATE lease SET number = CASE WHEN number < \(Int64.max) THEN number + 1 ELSE 0 END,
      until = \(leaseEnd)
    WHERE name = (
      SELECT name FROM lease WHERE name = $1
        AND (until <= clock_timestamp() OR until > \(leaseEnd))
      FOR UPDATE SKIP LOCKED)
    RETURNING number
    """
  let name: String

  func bind(to parameters: inout Parameters) { parameters.append(name) }
}

/// Extends a lease, unless another instance has taken it.
struct ExtendLease: Statement {
  typealias Row = Int64
  static let sql = """
    UPDATE lease SET until = \(leaseEnd) WHERE name = $1 AND number = $2 RETURNING number
    """
  let name: String
  let number: Int64

  func bind(to parameters: inout Parameters) { parameters.append(name, number) }
}

/// Ends a lease, unless another instance has taken it.
struct EndLease: Statement {
  static let sql = "UPDATE lease SET until = clock_timestamp() WHERE name = $1 AND number = $2"
  let name: String
  let number: Int64

  func bind(to parameters: inout Parameters) { parameters.append(name, number) }
}

/// When a lease ends that is taken or extended now.
private let leaseEnd = "clock_timestamp() + interval '\(Limits.leaseNanoseconds / 1_000_000) ms'"
