/// The share of the threads that a piece of work takes. Public and paid work have a share each; in
/// it each app has a share, and in that each address.
public struct WorkShare: Sendable, Hashable {
  /// Whether the work comes with a key that anybody can have, or with none.
  public let isPublic: Bool
  /// The app for which the work is done; `nil` if no bound of a holder applies.
  public let holder: Int32?
  /// The address of a public call.
  public let customer: UInt128?

  /// A share; without arguments the share of the service itself.
  public init(isPublic: Bool = false, holder: Int32? = nil, customer: UInt128? = nil) {
    self.isPublic = isPublic
    self.holder = holder
    self.customer = customer
  }
}

/// The work that waits for worker threads. It decides which work may wait, and which is next.
///
/// With bounds of two pieces and ten bytes: 8 bytes wait, 2 more may, then nothing. 20 bytes may
/// wait when nothing else does, or they could never be read.
///
/// A holder, an app, has three quarters of the line at most, so that the others find it open. With
/// bounds of four pieces: three of A wait, the fourth of A may not, one of B may. Public work has
/// half of the line, and all threads but one.
///
/// The next piece is of the share that took the least processor time (start-time fair queueing,
/// Goyal, Vin and Cheng, 1996). This holds at each step: for public or paid work, for an app, for
/// an address. 100 pieces of A wait, which take 20 ms each; then a piece of B comes, and is the
/// next. A share that comes back begins where the others are, so that nobody saves up time.
struct WorkLine<Work> {
  /// How much waits.
  private struct Load {
    var count = 0
    var bytes = 0

    mutating func add(_ bytes: Int) {
      count += 1
      self.bytes += bytes
    }

    mutating func take(_ bytes: Int) {
      count -= 1
      self.bytes -= bytes
    }

    /// Whether the load would be within bounds with one piece more. The first piece may have any
    /// size.
    func has(roomFor bytes: Int, count limit: Int, bytes byteLimit: Int) -> Bool {
      count == 0 || count < limit && self.bytes + bytes <= byteLimit
    }
  }

  /// A step from all work to a share.
  private enum Step: Hashable {
    case all
    case kind(isPublic: Bool)
    case holder(isPublic: Bool, Int32?)
    case share(WorkShare)
  }

  /// The processor time that a step has had.
  private struct Account {
    /// Nanoseconds, counted from where the others were when the step came.
    var used: UInt64 = 0
    /// How much the part of it that was chosen last had used.
    var floor: UInt64 = 0
    /// Pieces that wait or run.
    var pending = 0
  }

  private let bounds: WorkerThreads.Bounds
  private var waiting: [WorkShare: [(number: UInt64, bytes: Int, work: Work)]] = [:]
  private var accounts: [Step: Account] = [:]
  private var load = Load()
  private var held: [Int32: Load] = [:]
  private var runningPublic = 0
  private var added: UInt64 = 0

  init(_ bounds: WorkerThreads.Bounds) { self.bounds = bounds }

  /// Puts work at the end of its share's line, whatever the bounds say; see ``fits(_:_:)``.
  mutating func add(_ work: Work, bytes: Int, for share: WorkShare = WorkShare()) {
    added += 1
    waiting[share, default: []].append((added, bytes, work))
    load.add(bytes)
    if let holder = share.holder { held[holder, default: Load()].add(bytes) }
    var floor: UInt64 = 0
    for step in Self.steps(to: share) {
      var account = accounts[step] ?? Account()
      if account.pending == 0 { account.used = max(account.used, floor) }
      account.pending += 1
      accounts[step] = account
      floor = account.floor
    }
  }

  /// Whether a piece of so many bytes may wait.
  func fits(_ bytes: Int, _ share: WorkShare) -> Bool {
    let parts = share.isPublic ? 2 : 1
    guard
      load.has(
        roomFor: bytes, count: bounds.waiting / parts, bytes: bounds.waitingBytes / parts)
    else { return false }
    guard let load = share.holder.flatMap({ held[$0] }) else { return true }
    return load.has(
      roomFor: bytes, count: bounds.waiting - bounds.waiting / 4,
      bytes: bounds.waitingBytes - bounds.waitingBytes / 4)
  }

  /// Takes the next piece of work; ``ended(_:after:)`` follows.
  mutating func next() -> (bytes: Int, share: WorkShare, work: Work)? {
    let holdsPublic = runningPublic >= max(bounds.threads - 1, 1)
    var best: (share: WorkShare, order: [UInt64])?
    for (share, line) in waiting where !(share.isPublic && holdsPublic) {
      let order = Self.steps(to: share).map { accounts[$0]?.used ?? 0 } + [line[0].number]
      if let best, best.order.lexicographicallyPrecedes(order) { continue }
      best = (share, order)
    }
    guard let share = best?.share, var line = waiting[share] else { return nil }
    let first = line.removeFirst()
    waiting[share] = line.isEmpty ? nil : line
    load.take(first.bytes)
    if let holder = share.holder {
      held[holder]?.take(first.bytes)
      if held[holder]?.count == 0 { held[holder] = nil }
    }
    if share.isPublic { runningPublic += 1 }
    let steps = Self.steps(to: share)
    for (step, part) in zip(steps, steps.dropFirst()) {
      let used = accounts[part]?.used ?? 0
      if let floor = accounts[step]?.floor, floor < used { accounts[step]?.floor = used }
    }
    return (first.bytes, share, first.work)
  }

  /// Notes that a piece of work is done, after so many nanoseconds of processor time.
  mutating func ended(_ share: WorkShare, after nanoseconds: UInt64) {
    if share.isPublic { runningPublic -= 1 }
    for step in Self.steps(to: share) {
      accounts[step]?.used += nanoseconds
      accounts[step]?.pending -= 1
    }
    if accounts[.all]?.pending == 0 {
      accounts = [:]
    } else if accounts.count > 4 * (bounds.waiting + bounds.threads) {
      accounts = accounts.filter { $0.value.pending > 0 }
    }
  }

  private static func steps(to share: WorkShare) -> [Step] {
    [
      .all, .kind(isPublic: share.isPublic),
      .holder(isPublic: share.isPublic, share.holder), .share(share),
    ]
  }
}
