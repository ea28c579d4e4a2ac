internal import Content
internal import EventLoop
internal import Postgres
internal import Registry
internal import Synchronization

/// The state that all loops share.
final class Shared: Sendable {
  let directory: Directory
  let keyUses = KeyUses()
  let exports = RecordedExports()
  let content: ContentMemory
  let registrars = Registrars()
  let counted = CountedAnswers()
  let floods: FloodGuard
  let usage: AppUsage
  let proxies: TrustedProxies
  let observation: Observation
  let workers: Workers
  /// The text of `/metrics`, which anyone may ask for.
  let renderedMetrics = SharedWork<Void, [UInt8]>()
  let clock: @Sendable () -> Timestamp
  let randomBytes: @Sendable (Int) -> [UInt8]
  let startedAt: Timestamp
  /// How many earlier lives of the database readers can go on from.
  let keptLives = Limits.changeLives
  private let lastRead = Mutex((epoch: Int64(0), transaction: TransactionID(0)))

  init(
    observation: Observation, floods: FloodLimits, proxies: TrustedProxies,
    clock: @escaping @Sendable () -> Timestamp,
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.observation = observation
    self.floods = FloodGuard(floods, observation.metrics)
    usage = AppUsage(floods, observation.metrics)
    self.proxies = proxies
    workers = Workers(observation)
    let content = ContentMemory(workers: workers.requests)
    self.content = content
    directory = Directory { content.forgetAll() }
    self.clock = clock
    self.randomBytes = randomBytes
    startedAt = clock()
  }

  /// The first revision of an installation that is made now.
  func firstRevision() -> Int64 {
    Installation.firstRevision(randomBytes(RegistryLimits.revisionBytes))
  }

  /// The newest transaction of which this instance has read a change, in the life of the database
  /// in which it last read one.
  var newestRead: TransactionID { lastRead.withLock { $0.transaction } }

  /// Notes that this instance has read a change, in a life of the database.
  func noteRead(_ transaction: TransactionID, in epoch: Int64) {
    lastRead.withLock {
      $0 = (epoch, $0.epoch == epoch ? max($0.transaction, transaction) : transaction)
    }
  }

  /// A number that nobody can guess, from 0 on.
  func randomNumber() -> Int64 {
    randomBytes(8).reduce(Int64(0)) { $0 << 8 | Int64($1) } & .max
  }
}
