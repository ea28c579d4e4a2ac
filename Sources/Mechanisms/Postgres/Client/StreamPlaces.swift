/// The places for bulk reads and writes of a loop, and their holders. There are few places, and one
/// holder, an app, may have fewer still, so that its slow readers do not keep out everybody else.
///
///     4 places    A takes 3, and gets no fourth; B takes the last; A gives one back; B takes it
package struct StreamPlaces {
  package var limit: Int
  package private(set) var taken = 0
  private var held: [Int32: Int] = [:]

  package init(limit: Int) { self.limit = limit }

  /// Places of one holder at a time: a quarter, but at least one, is left to others, unless there
  /// is only one.
  private var limitOfHolder: Int { max(1, limit - max(1, limit / 4)) }

  /// Takes a place.
  /// - Parameter holder: The app for which the place is taken; `nil` for the service itself, which
  ///   has a right to all.
  /// - Returns: Whether there is one.
  package mutating func take(for holder: Int32?) -> Bool {
    guard taken < limit else { return false }
    if let holder {
      let count = held[holder, default: 0]
      guard count < limitOfHolder else { return false }
      held[holder] = count + 1
    }
    taken += 1
    return true
  }

  /// Gives a place back that was taken for this holder.
  package mutating func give(for holder: Int32?) {
    taken -= 1
    guard let holder, let count = held[holder] else { return }
    held[holder] = count > 1 ? count - 1 : nil
  }
}

/// One of the places for bulk transfers, for work that asks again and again and has no connection
/// of its own. It belongs to its client's loop.
public final class StreamPlace: @unchecked Sendable {
  private let client: PostgresClient
  private let holder: Int32?
  private var isGiven = false

  fileprivate init(_ client: PostgresClient, for holder: Int32?) throws(PostgresError) {
    self.client = client
    self.holder = holder
    do throws(PostgresError) {
      try client.admitStream(for: holder)
    } catch {
      isGiven = true
      throw error
    }
  }

  deinit { close() }

  /// Gives it back, at any time.
  public func close() {
    guard !isGiven else { return }
    isGiven = true
    client.places.give(for: holder)
  }
}

extension PostgresClient {
  /// Takes one of the places for bulk transfers.
  /// - Parameter holder: The app for which the place is taken.
  public func takePlace(for holder: Int32?) throws(PostgresError) -> StreamPlace {
    try StreamPlace(self, for: holder)
  }

  /// Takes a place; its holder gives it back.
  func admitStream(for holder: Int32?) throws(PostgresError) {
    // A loop that ends wakes the tasks that sleep. Nobody closes a connection that is opened then,
    // and an embedded PostgreSQL that stops waits a minute for it.
    guard !isClosed else {
      throw PostgresError(.disconnected, "shutting down", isSafeToRetry: true)
    }
    try refuseLate(callStart)
    guard places.take(for: holder) else {
      observe(.overloaded)
      throw PostgresError(.overloaded, "too many bulk transfers", isSafeToRetry: true)
    }
  }
}
