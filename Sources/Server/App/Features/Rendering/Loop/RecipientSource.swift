internal import EventLoop
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres

/// Recipients, each with words of its own: while a piece of them is rendered, the next are read and
/// their devices are looked up. Threads read them, in pieces of a bounded size, so that what waits
/// for the client is what it has not read yet.
///
/// A fault of a recipient is its own line. It belongs to the event loop of its request.
final class RecipientSource: RenderSource, @unchecked Sendable {
  let renderLoop: RenderLoop
  private let input: RecipientInput
  private let context: LoopContext
  private let requestID: String
  private let workShare: WorkShare
  /// One of the places for streams; `nil` for few recipients, which need none.
  private let place: StreamPlace?
  private let devices: RecipientDevices
  /// Pieces whose devices are looked up already, in their order.
  private var ahead: [Piece] = []
  /// The error that ends the reading. It is told when the recipients before it are answered.
  private var failure: (any Error)?
  private var nextIndex = 0
  /// The recipients of the piece under way that are not prepared yet.
  private var waiting: ArraySlice<ReadRecipients.Entry> = []

  /// Begins to read. A fault that concerns all recipients is an error answer.
  init(
    _ request: RecipientsRequest, _ input: RecipientInput, _ call: Call, _ metrics: RenderMetrics
  ) async throws {
    context = call.context
    place = try input.isFew ? nil : context.database.takePlace(for: call.holder)
    let (name, message) = try await context.content.resolve(request.message, of: call.app)
    let plan = try RenderPlan(
      message, name: name, .own(request.arguments), request.settings, app: call.app,
      now: call.now)
    self.input = input
    requestID = call.requestID
    workShare = call.workShare
    devices = RecipientDevices(app: call.app, plan: plan, database: context.database)
    var summary = RenderSummary()
    summary.recipients = (0, 0)
    renderLoop = RenderLoop(plan, call, metrics, summary: summary)
  }

  /// Reads the first line of a body; the others are recipients. The call's time begins with that
  /// line, which the client may send late.
  static func reading(_ call: Call, _ metrics: RenderMetrics) async throws -> RecipientSource {
    let input = RecipientInput(call.bodyReader)
    let line = try await input.firstLine() ?? []
    guard line.count <= Limits.recipientLineBytes + 1 else {
      throw InputFailure(.tooLong, at: "", "A line has at most \(Limits.recipientLineBytes) bytes.")
    }
    let request = try RecipientsRequest.decode(line).body
    return try await CallStart.$nanoseconds.withValue(call.context.loop.nanoseconds) {
      try await RecipientSource(request, input, call, metrics)
    }
  }

  var readsRequest: Bool { input.readsRequest }

  func close() {
    for piece in ahead { piece.found.cancel() }
    place?.close()
  }

  func next() async throws -> [PreparedRecipient]? {
    try Task.checkCancellation()
    var found: ArraySlice<RecipientDevices.Found>
    if waiting.isEmpty {
      guard let piece = try await nextPiece() else { return nil }
      waiting = piece.entries[...]
      found = try await piece.found.value[...]
    } else {
      found = try await devices.find(waiting.compactMap { try? $0.recipient.get() })[...]
    }
    var prepared: [PreparedRecipient] = []
    prepared.reserveCapacity(waiting.count)
    while let (index, recipient) = waiting.first {
      let content: PreparedRecipient.Content
      var devices: [PreparedDevice] = []
      switch recipient {
      case .failure(let failure): content = failed(Problem(failure))
      case .success(let recipient):
        guard let found = found.popFirst() else { return prepared }
        switch found {
        case .fault(let problem): content = failed(problem)
        case .devices(let rows):
          content = .recipient(recipient.recipient)
          devices = try await renderLoop.devices.prepare(rows)
        }
      }
      prepared.append(PreparedRecipient(index: index, content: content, devices: devices))
      waiting.removeFirst()
    }
    return prepared
  }

  private func failed(_ problem: Problem) -> PreparedRecipient.Content {
    .failed(problem.json(requestID: requestID))
  }

  /// Recipients that were read together, and the devices of the first of them.
  private struct Piece {
    let entries: [ReadRecipients.Entry]
    let found: Task<[RecipientDevices.Found], any Error>
  }

  /// The next piece; `nil` when there are no more. Begins the pieces after it, if they have
  /// arrived.
  private func nextPiece() async throws -> Piece? {
    if ahead.isEmpty {
      if let failure { throw failure }
      guard let piece = try await input.next() else { return nil }
      try await begin(piece)
    }
    do {
      while failure == nil, ahead.count <= Limits.recipientPiecesAhead,
        let piece = try await input.nextArrived()
      {
        try await begin(piece)
      }
    } catch {
      failure = error
    }
    return ahead.removeFirst()
  }

  private func begin(_ piece: RecipientPiece) async throws {
    let (plan, devices, first) = (renderLoop.plan, devices, nextIndex)
    let read = try await context.shared.workers.requests.run(isUnderWay: true, for: workShare) {
      piece.read(plan, first: first)
    }
    nextIndex = read.nextIndex
    let recipients = read.entries.compactMap { try? $0.recipient.get() }
    let found = Task(executorPreference: context.database.loop) {
      try await devices.find(recipients)
    }
    ahead.append(Piece(entries: read.entries, found: found))
  }
}
