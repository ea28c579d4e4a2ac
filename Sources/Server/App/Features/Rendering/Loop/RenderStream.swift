internal import EventLoop
internal import HTTP
internal import JSON

/// The source of the recipients of a rendering, a piece at a time. It belongs to its event loop.
protocol RenderSource: AnyObject, Sendable {
  /// The loop that renders the recipients.
  var renderLoop: RenderLoop { get }
  /// How many installations an audience lists by their ids; `nil` if it does not.
  var listed: Int? { get }
  /// Whether the request's body is read while the answer is written.
  var readsRequest: Bool { get }
  /// The next recipients, with their devices; `nil` when there are no more.
  func next() async throws -> [PreparedRecipient]?
  /// Ends the reading, at any time.
  func close()
}

extension RenderSource {
  var listed: Int? { nil }
  var readsRequest: Bool { false }
  func close() {}
}

/// The answer for many recipients: while a piece is rendered and written, the next one is read. So
/// the database waits while the client is slow, and a client that goes away ends the query.
///
/// A fault of the body as a whole, of the database or of the connection ends the stream. The stream
/// belongs to the event loop of its request.
final class RenderStream: @unchecked Sendable {
  private let source: any RenderSource
  private let renderLoop: RenderLoop
  private let form: AnswerForm
  private let context: LoopContext
  private let requestID: String
  private let workShare: WorkShare
  private let permission: Permission
  private var lines: LineBuffer
  /// Whether the client took no more.
  private var isGone = false

  init(_ source: any RenderSource, _ form: AnswerForm, _ call: Call) {
    self.source = source
    self.form = form
    renderLoop = source.renderLoop
    context = call.context
    requestID = call.requestID
    workShare = call.workShare
    permission = Permission(call)
    lines = LineBuffer(isArray: form == .document)
  }

  /// The answer, which is written while the rest is read.
  func response() -> Response {
    var response = Response(.ok, contentType: form.contentType) { body in
      try await self.answer(to: body)
    }
    response.readsRequest = source.readsRequest
    response.fields.append("Vary", "Accept")
    return response
  }

  /// Writes the answer, and the problem that ended it.
  private func answer(to body: any BodyWriter) async throws {
    defer { source.close() }
    do {
      try await write(to: body)
    } catch let error where !isGone && !(error is CancellationError) {
      let problem = context.shared.observation.streamFailed(error, requestID: requestID)
      try await body.write(lines.take() + form.ending("error", problem))
      throw error
    }
  }

  private func write(to body: any BodyWriter) async throws {
    try await send(form.opening, to: body)
    var next = try await source.next()
    while let piece = next {
      try permission.check()
      async let following = source.next()
      try await render(piece)
      renderLoop.count()
      try await renderLoop.endActivities()
      try await send(lines.take(), to: body)
      next = try await following
    }
    renderLoop.finish(listed: source.listed, to: &lines)
    try await send(lines.take() + form.ending("summary", renderLoop.summary.json), to: body)
  }

  /// Makes a few lines at once, and more on a thread, as they would hold the loop.
  private func render(_ piece: [PreparedRecipient]) async throws {
    let unmade = piece.reduce(0) { $0 + renderLoop.unmadeLines(for: $1) }
    guard unmade <= Limits.linesMadeOnLoop else {
      return try await context.shared.workers.requests.run(isUnderWay: true, for: workShare) {
        [self] in add(piece)
      }
    }
    add(piece)
    // Other tasks of this loop get their turn.
    await context.loop.sleep(nanoseconds: 0)
  }

  private func add(_ piece: [PreparedRecipient]) {
    for recipient in piece { renderLoop.add(recipient, to: &lines) }
  }

  private func send(_ bytes: [UInt8], to body: any BodyWriter) async throws {
    guard !bytes.isEmpty else { return }
    do {
      try await body.write(bytes)
    } catch {
      isGone = true
      throw error
    }
  }
}
