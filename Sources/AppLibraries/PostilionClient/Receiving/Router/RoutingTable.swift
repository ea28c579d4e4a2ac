/// Who handles which payload, and which payloads nobody has handled yet.
///
/// Registrations are counted. A payload is offered to those that there are; if all decline, it is
/// offered to those that came in the meantime, and if there are none, it is kept. So each one is
/// offered to each registration once, in whatever order both arrive.
struct RoutingTable {
  /// Handles a payload; `nil` if it is not for it.
  typealias Handle = @Sendable (RemotePayload) async -> FetchResult?

  /// A payload on its way.
  struct Parcel: Sendable {
    /// The payload.
    let payload: RemotePayload
    /// Its message type.
    let messageType: String?
    /// Its place in the order of arrival.
    let arrival: Int
    /// The count of registrations that it has been offered to.
    var offered = 0
  }

  /// What to do with a parcel.
  enum Step {
    /// Offer it to these.
    case offer([Handle], Parcel)
    /// Nothing: it is kept.
    case kept
  }

  private struct Processor {
    var registration: Int
    var handle: Handle
  }

  private struct Handler {
    var registration: Int
    weak var object: (any RemotePayloadHandler)?
  }

  private var registrations = 0
  private var arrivals = 0
  private var processors: [String: Processor] = [:]
  private var handlers: [Handler] = []
  private var kept: [Parcel] = []

  /// How many payloads are kept.
  var keptCount: Int { kept.count }

  /// A payload that has just arrived.
  mutating func parcel(_ payload: RemotePayload, messageType: String?) -> Parcel {
    arrivals += 1
    return Parcel(payload: payload, messageType: messageType, arrival: arrivals)
  }

  /// The next step for a parcel that nobody has handled yet. Of more than 32 that are kept the
  /// oldest is dropped.
  mutating func next(_ parcel: Parcel) -> Step {
    handlers.removeAll { $0.object == nil }
    var takers: [Handle] = []
    if let type = parcel.messageType, let processor = processors[type],
      processor.registration > parcel.offered
    {
      takers.append(processor.handle)
    }
    for handler in handlers where handler.registration > parcel.offered {
      guard let object = handler.object else { continue }
      takers.append { await object.handle($0) }
    }
    var parcel = parcel
    parcel.offered = registrations
    if !takers.isEmpty { return .offer(takers, parcel) }
    let place = kept.firstIndex { $0.arrival > parcel.arrival } ?? kept.endIndex
    kept.insert(parcel, at: place)
    if kept.count > ReceivingLimits.keptPayloads { kept.removeFirst() }
    return .kept
  }

  /// Registers who processes a message type, in place of an earlier one.
  ///
  /// - Returns: the kept parcels that may be for it, which are no longer kept.
  mutating func register(_ messageType: String, _ handle: @escaping Handle) -> [Parcel] {
    registrations += 1
    processors[messageType] = Processor(registration: registrations, handle: handle)
    return takeKept { $0.messageType == messageType }
  }

  /// Forgets who processes a message type.
  mutating func unregister(_ messageType: String) {
    processors[messageType] = nil
  }

  /// Adds a handler; one that is there already is not added again.
  ///
  /// - Returns: the kept parcels, which are no longer kept.
  mutating func add(_ handler: any RemotePayloadHandler) -> [Parcel] {
    guard !handlers.contains(where: { $0.object === handler }) else { return [] }
    registrations += 1
    handlers.append(Handler(registration: registrations, object: handler))
    return takeKept { _ in true }
  }

  /// Removes a handler.
  mutating func remove(_ handler: any RemotePayloadHandler) {
    handlers.removeAll { $0.object == nil || $0.object === handler }
  }

  private mutating func takeKept(_ isWanted: (Parcel) -> Bool) -> [Parcel] {
    let wanted = kept.filter(isWanted)
    kept.removeAll(where: isWanted)
    return wanted
  }
}
