internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Rendering

/// `POST …/render`: the finished APNs requests for a device, or for any audience.
enum Render {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/render", "render", .backends,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { call in
        let question = try call.decodeBody(RenderQuestion.self).body
        let form = RenderForm(call, question.audience)
        // People look at what one phone would get; what goes to many is the sender's.
        if call.key?.kind == .admin, form != .object {
          throw Problem(
            .keyKind,
            "A key of kind admin renders for one `installation` or `token`, as application/json; "
              + "audiences and streams take a key of kind sender or root.")
        }
        return (try call.app, question, form)
      },
      perform: { input, call in
        let (app, question, form) = input
        let renderer = try await call.context.renderer(question, app, now: call.now)
        let run = RenderRun(
          renderer, app: app, includesDenied: question.includesDenied, context: call.context)
        let source = try await AudienceSource(question, app, call.context.database)
        guard form == .object else {
          return try await RenderStream(run, question, source, form).response(call)
        }
        return .json(text: try await object(source, question, run))
      },
      encode: { response, _ in response })
  ]

  /// The answer for the one device that is asked for.
  private static func object(
    _ source: AudienceSource, _ question: RenderQuestion, _ run: RenderRun
  ) async throws -> [UInt8] {
    let context = run.context
    guard let id = source.ids?.first,
      let installation = try await context.installations.load(appID: run.app.id, id: id)
    else { throw Problem(.installationNotFound, "There is no such installation in this app.") }
    let outcome = try await run.outcome(of: Addressee(installation, question.kind))
    run.count(outcome)
    defer { run.settle() }
    switch outcome {
    case .skipped(let reason): throw Problem(reason, run.refusalDetail)
    case .content(let number):
      var writer = question.shape.writer(for: run.app, context.shared, batch: 1)
      var lines = LineBuffer(isArray: true)
      if let delivery = Delivery(installation, question.kind) {
        writer.add(delivery, number, run.content(number), to: &lines)
      }
      writer.finish(to: &lines)
      return lines.take()
    }
  }
}

/// The forms of the answer.
enum RenderForm: Sendable {
  /// The one request, for the one device that is asked for.
  case object
  /// A line for each, and a last one with the summary.
  case lines
  /// All in `{"items": […], "summary": {…}}`, for clients that take only JSON.
  case document

  /// What the client prefers; without a preference one device is an object, and more are lines.
  init(_ call: Call, _ audience: Audience) {
    let (json, lines) = ("application/json", "application/x-ndjson")
    let isOne =
      switch audience {
      case .installation, .token: true
      case .all: false
      }
    let preferred = MediaType.preferred(
      accept: call.head.header("accept"), among: isOne ? [json, lines] : [lines, json])
    let isLines = preferred.map { $0 == lines } ?? !isOne
    self = isLines ? .lines : isOne ? .object : .document
  }
}

extension LoopContext {
  /// The renderer of a question's message.
  fileprivate func renderer(
    _ question: RenderQuestion, _ app: AppRecord, now: Timestamp
  ) async throws -> Renderer {
    let (name, message, arguments) = try await resolve(question.message, of: app)
    if message.isForVoIPOnly && question.kind != .voip {
      throw InputFailure([
        InputFault.tokenKindMismatch.problem(
          at: "/credential", "A message of push type `voip` goes to VoIP tokens only.")
      ])
    }
    var options = question.options
    if question.shape == .gorush {
      try question.checkGorush(message)
      if message.needsTextForGorush { options.localization = .server }
    }
    return Renderer(
      message: message, name: name, arguments: arguments, app: AppFacts(app), options: options,
      now: now.microseconds / 1_000_000)
  }
}

extension RenderQuestion {
  /// What gorush cannot carry is not left out silently.
  fileprivate func checkGorush(_ message: Message) throws {
    let unknown = message.unknownToGorush
    guard unknown.isEmpty else {
      throw InputFailure([
        InputFault.unknownValue.problem(
          at: "/shape", "gorush has no place for \(unknown.joined(separator: ", ")).")
      ])
    }
  }
}

extension AppFacts {
  /// What rendering must know of an app.
  init(_ app: AppRecord) {
    self.init(
      bundleID: app.bundleID.text, developmentLanguage: app.developmentLanguage,
      messageTypeKey: app.messageTypeKey, localNotificationKey: app.localNotificationKey)
  }
}

extension Problem {
  /// Why the one device that was asked for gets nothing.
  fileprivate init(_ reason: SkipReason, _ detail: String?) {
    switch reason {
    case .noCredential, .credentialInvalid, .credentialQuarantined:
      self.init(
        .noUsableCredential,
        "The installation has no active token of this kind to send to (\(reason.rawValue)).")
    case .denied:
      self.init(
        .denied, "The person denied what the message shows; `include_denied` renders it anyway.")
    case .payloadTooLarge:
      self.init(.payloadTooLarge, detail ?? "The payload has more bytes than APNs takes.")
    case .nothingToShow:
      self.init(
        .nothingToShow,
        "There is nothing to show: no text of the message is in the device's catalog, a near one "
          + "or the server's, or the message has none. `preview` tells which key is missing.")
    case .installationNotFound:
      self.init(.installationNotFound, "There is no such installation in this app.")
    }
  }
}
