internal import ASCII
internal import Content
internal import DeviceProfile
internal import EventLoop
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// The answer for recipients, each with words of its own: while a piece of them is rendered and
/// written, the next are read and their devices are looked up. Reading and rendering are done by
/// threads, in pieces of a bounded size, so that what waits for the client is what it has not read
/// yet.
///
/// A fault of a recipient is its own line. What ends the stream is a fault of the body as a whole,
/// of the database or of the connection. It belongs to the loop of its request.
final class RecipientStream: @unchecked Sendable {
  private let app: AppRecord
  private let plan: RecipientPlan
  private let source: RecipientSource
  private let form: RenderForm
  private let context: LoopContext
  private let metrics: RenderMetrics
  private let requestID: String
  private let permission: Permission
  /// One of the places for streams; few recipients are done without.
  private let place: StreamPlace?
  private let devices: RecipientDevices
  private let catalogs: RenderCatalogs
  /// Pieces whose devices are looked up already, in their order.
  private var ahead: [Piece] = []
  /// Why no more can be read; told when what was read is answered.
  private var failure: (any Error)?
  private var nextIndex = 0
  /// Those of the piece under way that are not looked up yet.
  private var waiting: ArraySlice<ReadRecipients.Entry> = []
  private let known: KnownAddressees
  private let forms = LineForms(maximumBytes: Limits.rememberedContentBytes)
  private var summary = RenderSummary()
  /// Whether the client took no more.
  private var isGone = false

  /// Begins to read; what is wrong for all recipients is an error answer.
  init(
    _ request: RecipientsRequest, _ source: RecipientSource, _ form: RenderForm, _ call: Call,
    _ metrics: RenderMetrics
  ) async throws {
    context = call.context
    app = call.app
    place = try source.isFew ? nil : context.database.takePlace(for: call.holder)
    let (name, message) = try await context.content.resolve(request.message, of: call.app)
    plan = try RecipientPlan(
      message, name: name, arguments: request.arguments, request.settings, app: call.app,
      now: call.now)
    self.source = source
    self.form = form
    self.metrics = metrics
    requestID = call.requestID
    permission = Permission(call)
    devices = RecipientDevices(app: call.app, plan: plan, database: context.database)
    catalogs = RenderCatalogs(of: call.app, context, metrics)
    known = KnownAddressees(plan, catalogs, maximumBytes: Limits.rememberedTraitBytes)
    summary.recipients = (0, 0)
  }

  /// Reads the first line of a body, and renders for the others. The call's time begins with that
  /// line, which the client may send late.
  static func reading(
    _ call: Call, _ form: RenderForm, _ metrics: RenderMetrics
  ) async throws -> RecipientStream {
    let source = RecipientSource(call.bodyReader)
    let line = try await source.firstLine() ?? []
    guard line.count <= Limits.recipientLineBytes + 1 else {
      throw InputFailure(.tooLong, at: "", "A line has at most \(Limits.recipientLineBytes) bytes.")
    }
    let request = try RecipientsRequest.decode(line).body
    return try await CallStart.$nanoseconds.withValue(call.context.loop.nanoseconds) {
      try await RecipientStream(request, source, form, call, metrics)
    }
  }

  /// The answer, which is written while the rest of the body is read.
  func response(to request: Request) -> Response {
    var response = Response(.ok, contentType: form.contentType) { body in
      try await self.answer(to: body)
    }
    response.readsRequest = source.readsRequest
    response.fields.append("Vary", "Accept")
    return response
  }

  /// Writes it, and what ended it.
  private func answer(to body: any BodyWriter) async throws {
    defer {
      for piece in ahead { piece.found.cancel() }
      place?.close()
    }
    do {
      try await write(to: body)
    } catch let error where !isGone && !(error is CancellationError) {
      let problem = context.shared.observation.streamFailed(error, requestID: requestID)
      try await body.write(form.ending("error", problem))
      throw error
    }
  }

  private func write(to body: any BodyWriter) async throws {
    var lines = LineBuffer(isArray: form == .document)
    try await send(form.opening, to: body)
    var next = try await prepare()
    while let prepared = next {
      try permission.check()
      async let following = prepare()
      let (rendering, bytes) = try await render(prepared, lines)
      lines = rendering.lines
      count(rendering)
      var ended = rendering.ended
      try await ended.end(in: context, of: app)
      try await send(bytes, to: body)
      next = try await following
    }
    try await send(form.ending("summary", summary.json), to: body)
  }

  private func send(_ bytes: [UInt8], to body: any BodyWriter) async throws {
    do {
      try await body.write(bytes)
    } catch {
      isGone = true
      throw error
    }
  }

  /// Recipients that were read together, and the devices of the first of them.
  private struct Piece {
    let entries: [ReadRecipients.Entry]
    let found: Task<[RecipientDevices.Found], any Error>
  }

  /// The next piece; `nil` when there are no more. The pieces after it are begun, if they are here.
  private func nextPiece() async throws -> Piece? {
    if ahead.isEmpty {
      if let failure { throw failure }
      guard let piece = try await source.next() else { return nil }
      try await begin(piece)
    }
    do {
      while failure == nil, ahead.count <= Limits.recipientPiecesAhead,
        let piece = try await source.nextArrived()
      {
        try await begin(piece)
      }
    } catch {
      failure = error
    }
    return ahead.removeFirst()
  }

  private func begin(_ piece: RecipientPiece) async throws {
    let (plan, devices, first) = (plan, devices, nextIndex)
    let read = try await context.shared.workers.requests.run(isUnderWay: true) {
      piece.read(plan, first: first)
    }
    nextIndex = read.nextIndex
    let recipients = read.entries.compactMap { try? $0.recipient.get() }
    let found = Task(executorPreference: context.database.loop) {
      try await devices.find(recipients)
    }
    ahead.append(Piece(entries: read.entries, found: found))
  }

  /// The next recipients with their devices; `nil` when there are no more.
  private func prepare() async throws -> [PreparedRecipient]? {
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
      var content = recipient.mapError { Problem($0) }
      var devices: [PreparedDevice] = []
      if case .success = recipient {
        guard let found = found.popFirst() else { return prepared }
        switch found {
        case .fault(let problem): content = .failure(problem)
        case .devices(let rows):
          for row in rows {
            devices.append(PreparedDevice(row: row, known: try await known.of(row.traits)))
          }
        }
      }
      prepared.append(PreparedRecipient(index: index, content: content, devices: devices))
      waiting.removeFirst()
    }
    return prepared
  }

  private func render(
    _ recipients: [PreparedRecipient], _ lines: LineBuffer
  ) async throws -> (RecipientRendering, [UInt8]) {
    let (plan, requestID, forms) = (plan, requestID, forms)
    let randomBytes = context.shared.randomBytes
    return try await context.shared.workers.requests.run(isUnderWay: true) {
      var rendering = RecipientRendering(
        plan, requestID: requestID, lines: lines,
        ids: RandomIDs(randomBytes, batch: max(1, recipients.count)), forms: forms)
      for recipient in recipients { rendering.add(recipient) }
      let bytes = rendering.finish()
      return (rendering, bytes)
    }
  }

  private func count(_ rendering: RecipientRendering) {
    summary.add(rendering.summary)
    metrics.count(rendering.summary)
    for build in rendering.buildsWithoutCatalog { catalogs.tellMissing(build.text) }
  }
}
