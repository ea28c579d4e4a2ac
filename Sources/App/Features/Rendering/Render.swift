internal import Content
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// `POST …/render`: the finished APNs requests for a device, or for any audience.
struct Render: Sendable {
  private let metrics: RenderMetrics

  init(_ observation: Observation) { metrics = RenderMetrics(observation) }

  var endpoints: [Endpoint] { [render] }

  private var render: Endpoint {
    Endpoint(
      .post, "/v1/apps/{app}/render", "render", .backends,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in
        let wanted = try request.decodeBody(RenderRequest.self).body
        let form = RenderForm(request, wanted.audience)
        // People look at what one phone would get; what goes to many is the sender's.
        if request.key?.kind == .admin, form != .object {
          throw Problem(
            .keyKind,
            "A key of kind admin renders for one `installation` or `token`, as application/json; "
              + "audiences and streams take a key of kind sender or root.")
        }
        return Input(app: request.app, request: wanted, form: form)
      },
      perform: { input, call in
        let renderer = try await call.context.renderer(input.request, input.app, now: call.now)
        let job = RenderJob(
          renderer, app: input.app, includesDenied: input.request.includesDenied,
          context: call.context, metrics: metrics)
        let source = try await AudienceSource(input.request, input.app, call.context.database)
        return input.form == .object
          ? .object(try await Self.object(source, input.request, job))
          : .stream(
            try await RenderStream(job, input.request, source, input.form, for: call.key?.id))
      },
      encode: { (answer: Answer, request) in
        switch answer {
        case .object(let json): .json(text: json)
        case .stream(let stream): stream.response(to: request)
        }
      })
  }

  private struct Input: Sendable {
    let app: AppRecord
    let request: RenderRequest
    let form: RenderForm
  }

  private enum Answer: Sendable {
    /// The JSON of the one device that is asked for.
    case object([UInt8])
    case stream(RenderStream)
  }

  /// The answer for the one device that is asked for.
  private static func object(
    _ source: AudienceSource, _ request: RenderRequest, _ job: RenderJob
  ) async throws -> [UInt8] {
    let context = job.context
    guard let id = source.ids?.first,
      let installation = try await context.registrar.load(appID: job.app.id, id: id)
    else { throw Problem(.installationNotFound, "There is no such installation in this app.") }
    let outcome = try await job.outcome(of: Addressee(DeviceTraits(installation, request.kind)))
    job.count(outcome)
    defer { job.settle() }
    switch outcome {
    case .skipped(let reason): throw Problem(reason, job.refusalDetail)
    case .content(let number):
      var writer = request.shape.writer(for: job.app, context.shared, batch: 1)
      var lines = LineBuffer(isArray: true)
      if let delivery = Delivery(installation, request.kind) {
        writer.add(delivery, number, job.content(number), to: &lines)
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
  init(_ request: Request, _ audience: Audience) {
    let (json, lines) = ("application/json", "application/x-ndjson")
    let isOne =
      switch audience {
      case .installation, .token: true
      case .all: false
      }
    let preferred = MediaType.preferred(
      accept: request.head.header("accept"), among: isOne ? [json, lines] : [lines, json])
    let isLines = preferred.map { $0 == lines } ?? !isOne
    self = isLines ? .lines : isOne ? .object : .document
  }
}

extension LoopContext {
  /// The renderer of a request's message.
  fileprivate func renderer(
    _ request: RenderRequest, _ app: AppRecord, now: Timestamp
  ) async throws -> Renderer {
    let (name, message, arguments) = try await content.resolve(request.message, of: app.id)
    if message.isForVoIPOnly && request.kind != .voip {
      throw InputFailure([
        InputFault.tokenKindMismatch.problem(
          at: "/credential", "A message of push type `voip` goes to VoIP tokens only.")
      ])
    }
    var options = request.options
    if request.shape == .gorush {
      try request.checkGorush(message)
      if message.needsTextForGorush { options.localization = .server }
    }
    return Renderer(
      message: message, name: name, arguments: arguments, app: AppFacts(app), options: options,
      now: now.microseconds / 1_000_000)
  }
}

extension RenderRequest {
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
    case .missingArgument:
      self.init(
        InputFailure([
          InputFault.missingArgument.problem(
            at: "/arguments/\(detail ?? "")",
            "The device has no attribute for it that can be used, and there is no default.")
        ]))
    case .installationNotFound:
      self.init(.installationNotFound, "There is no such installation in this app.")
    }
  }
}
