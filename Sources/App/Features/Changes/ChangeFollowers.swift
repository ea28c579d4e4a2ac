internal import EventLoop
internal import Postgres
internal import Synchronization

/// Tells those who follow what happens: one reader for the whole instance asks the database every
/// few milliseconds while somebody waits, and nobody asks when nobody does.
///
/// The database is not to tell of changes by itself: `NOTIFY` has commits wait for each other, and
/// registrations would pay for readers.
final class ChangeFollowers: Sendable {
  private typealias Ticket = UnsafeContinuation<Result<ChangePage?, any Error>, Never>

  private struct State {
    var table = FollowerTable<Ticket>()
    var places = StreamPlaces(limit: Limits.changeFollowers)
    var isClosed = false
  }
  private let state = Mutex(State())

  /// How many follow.
  var count: Int { state.withLock { $0.places.taken } }

  /// Takes one of the places for those who follow; it is given back with the value.
  func takePlace(for holder: Int32?) throws(Problem) -> FollowerSeat {
    guard state.withLock({ $0.places.take(for: holder) }) else {
      throw Problem(
        .overloaded, "Too many streams follow the changes; end one, or read pages.",
        fields: [("Retry-After", "\(Limits.workRetrySeconds)")])
    }
    return FollowerSeat { [self] in state.withLock { $0.places.give(for: holder) } }
  }

  /// Waits for changes after a place.
  /// - Returns: The changes; none after a while without any, and `nil` when the service stops.
  func next(behind place: ChangePlace, on context: LoopContext) async throws -> ChangePage? {
    let deadline = context.loop.deadline(in: Limits.changeSilenceNanoseconds)
    let number = state.withLock { $0.table.makeNumber() }
    return try await withTaskCancellationHandler {
      await withUnsafeContinuation { (ticket: Ticket) in
        let begins = state.withLock { state -> Bool? in
          guard !state.isClosed else { return nil }
          return state.table.add(number, at: place, until: deadline, ticket: ticket)
        }
        switch begins {
        case nil: ticket.resume(returning: .success(nil))
        case true?: context.loop.execute { [self] in await read(on: context) }
        case false?: break
        }
        // The handler below may have come too early to find it.
        if Task.isCancelled { cancel(number) }
      }
    } onCancel: {
      cancel(number)
    }.get()
  }

  private func cancel(_ number: UInt64) {
    state.withLock { $0.table.remove(number) }?
      .resume(returning: .failure(CancellationError()))
  }

  /// Reads until nobody waits.
  private func read(on context: LoopContext) async {
    let reader = ChangeReader(context)
    while let places = state.withLock({ $0.table.round() }) {
      do {
        let pages = try await reader.pages(behind: places, limit: Limits.changesPerRead)
        let now = Monotonic.now()
        for (ticket, page) in state.withLock({ $0.table.end(places, pages, at: now) }) {
          ticket.resume(returning: .success(page))
        }
      } catch {
        for ticket in state.withLock({ $0.table.takeAll() }) {
          ticket.resume(returning: .failure(error))
        }
      }
      // Whoever comes back meanwhile waits for the next round, however much happens.
      await context.loop.sleep(nanoseconds: Limits.changePauseNanoseconds)
    }
  }

  /// The service stops: all streams end, as if there were no more changes.
  func close() {
    let tickets = state.withLock { state in
      state.isClosed = true
      return state.table.takeAll()
    }
    for ticket in tickets { ticket.resume(returning: .success(nil)) }
  }
}

/// A place of one who follows; whoever holds the value has it.
final class FollowerSeat: Sendable {
  private let give: @Sendable () -> Void
  fileprivate init(give: @escaping @Sendable () -> Void) { self.give = give }
  deinit { give() }
}
