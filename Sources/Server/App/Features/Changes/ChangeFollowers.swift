internal import EventLoop
internal import Postgres
internal import Synchronization

/// Tells followers about changes. While a follower waits, one reader for the whole instance asks
/// the database every few milliseconds. While no follower waits, the reader does not ask.
///
/// The database does not tell of changes by itself: `NOTIFY` makes commits wait for each other, and
/// registrations would pay for readers.
final class ChangeFollowers: Sendable {
  private let places = Mutex(StreamPlaces(limit: Limits.changeFollowers))
  private let looks = SharedWork<ChangePlace, [ChangePlace: ChangePage]>()
  private let isClosed = Atomic(false)

  /// The number of streams that follow the changes.
  var count: Int { places.withLock { $0.taken } }

  /// Takes one of the places for followers. The place is given back when the returned value is
  /// released.
  func takePlace(for holder: Int32?) throws(Problem) -> FollowerSeat {
    guard places.withLock({ $0.take(for: holder) }) else {
      throw Problem(
        .overloaded, "Too many streams follow the changes; end one, or read pages.",
        fields: [("Retry-After", "\(Limits.workRetrySeconds)")])
    }
    return FollowerSeat { [self] in places.withLock { $0.give(for: holder) } }
  }

  /// Waits for changes after a place.
  /// - Returns: A page of changes, or that says why the follower cannot go on; a page without
  ///   changes if none came for a while; `nil` when the service stops.
  func next(behind place: ChangePlace, on context: LoopContext) async throws -> ChangePage? {
    let deadline = context.loop.deadline(in: Limits.changeSilenceNanoseconds)
    while !isClosed.load(ordering: .relaxed) {
      try Task.checkCancellation()
      let look = try await looks.value(place, on: context.loop) { places in
        try await Self.look(behind: Set(places), context)
      }
      if let page = look.value[place],
        !page.changes.isEmpty || !page.goesOn || deadline <= Monotonic.now()
      {
        return page
      }
    }
    return nil
  }

  /// Reads a page for each place, after a pause. Followers that have seen all changes of an app
  /// stand at the same place.
  private static func look(
    behind places: Set<ChangePlace>, _ context: LoopContext
  ) async throws -> [ChangePlace: ChangePage] {
    await context.loop.sleep(nanoseconds: Limits.changePauseNanoseconds)
    let places = Array(places)
    // A stream's call may have begun days ago.
    let pages = try await CallStart.$nanoseconds.withValue(nil) {
      try await ChangeReader(context).pages(behind: places, limit: Limits.changesPerRead)
    }
    return Dictionary(zip(places, pages)) { $1 }
  }

  /// The service stops: all streams end after the look under way, as if there were no more changes.
  func close() { isClosed.store(true, ordering: .relaxed) }
}

/// The place of a follower. It is taken as long as the value exists.
final class FollowerSeat: Sendable {
  private let give: @Sendable () -> Void
  fileprivate init(give: @escaping @Sendable () -> Void) { self.give = give }
  deinit { give() }
}
