/// Whether a private server is to be started, started again or left alone. It only decides;
/// ``Postmaster`` acts.
struct PostmasterState: Equatable {
  enum Phase: Equatable {
    /// The first start, which somebody waits for. Next: `running`, `stopping` or `over`.
    case starting
    /// The server accepts connections. Next: `recovering` or `stopping`.
    case running
    /// The server ended by itself and is started again; so many starts in a row came to nothing.
    /// Next: `running`, `stopping` or `over`.
    case recovering(failures: Int)
    /// The server is to end, and none is started any more. Next: `over`.
    case stopping
    /// There is no server, and none is to come. Final.
    case over
  }

  /// How a server ended.
  enum Ending {
    /// Children of the server before it still hold the shared memory; they let go by themselves.
    case memoryHeld
    /// The disk has no room. Until the operator makes room, every start comes to nothing, and there
    /// is no other remedy.
    case diskFull
    case other
  }

  /// What is to be done after an end.
  enum Action: Equatable {
    /// Nothing: the end was asked for, or the caller of the first start is told.
    case rest
    /// Start again: the server that ran is gone.
    case recover
    /// Start again after a pause; this start does not count as tried.
    case wait(milliseconds: Int)
    /// Start again after a pause; so many starts in a row came to nothing.
    case retry(failures: Int, milliseconds: Int)
    /// Start no more: so many starts in a row came to nothing.
    case giveUp(failures: Int)
  }

  private(set) var phase = Phase.starting
  private var waits = 0
  /// Starts in a row that found the disk full.
  private var fullStarts = 0

  /// Whether a server may be started now.
  var mayLaunch: Bool { phase != .stopping && phase != .over }

  /// The server accepts connections.
  mutating func ready() {
    guard mayLaunch else { return }
    phase = .running
    waits = 0
    fullStarts = 0
  }

  /// Somebody wants its end, or knows that it comes.
  mutating func stop() {
    if phase != .over { phase = .stopping }
  }

  /// The server ended, wanted or not, or could not be started.
  mutating func ended(_ ending: Ending = .other) -> Action {
    if mayLaunch, phase != .running, ending == .memoryHeld, waits < Limits.memoryWaits {
      waits += 1
      return .wait(milliseconds: Limits.memoryWaitMilliseconds)
    }
    waits = 0
    if case .recovering = phase, ending == .diskFull {
      let pause = Limits.recoveryPauseMilliseconds << min(fullStarts, Limits.fullDiskDoublings)
      fullStarts += 1
      return .retry(failures: fullStarts, milliseconds: pause)
    }
    switch phase {
    case .running:
      phase = .recovering(failures: 0)
      return .recover
    case .recovering(let earlier) where earlier + 1 < Limits.recoveryStarts:
      phase = .recovering(failures: earlier + 1)
      return .retry(
        failures: earlier + 1, milliseconds: Limits.recoveryPauseMilliseconds << earlier)
    case .recovering(let earlier):
      phase = .over
      return .giveUp(failures: earlier + 1)
    case .starting, .stopping, .over:
      phase = .over
      return .rest
    }
  }
}
