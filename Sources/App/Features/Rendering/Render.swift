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
      body: .jsonOrLines(limit: Limits.renderBodyBytes),
      decode: { request in
        if !request.hasLines, RenderForm(request, isForOneDevice: true) == .object,
          let body = QuickBody(request.body)
        {
          return .quick(body)
        }
        let body: RenderBody =
          try request.hasLines ? .lines : request.decodeBody(RenderBody.self).body
        let form = RenderForm(request, isForOneDevice: body.isForOneDevice)
        // People look at what one phone would get; what goes to many is the sender's.
        if request.key?.kind == .admin, form != .object {
          throw Problem(
            .keyKind,
            "A key of kind admin renders for one `installation` or `token`, as application/json; "
              + "audiences and streams take a key of kind sender or root.")
        }
        return .read(body, form)
      },
      perform: { (input: Input, call) -> Answer in
        switch input {
        case .quick(let body): try await answer(body, call)
        case .read(let body, let form): try await answer(body, form, call)
        }
      },
      encode: { (answer: Answer, request) in
        switch answer {
        case .object(let json): .json(text: json)
        case .stream(let stream): stream.response(to: request)
        case .recipients(let stream): stream.response(to: request)
        }
      })
  }

  private enum Input: Sendable {
    case read(RenderBody, RenderForm)
    /// For one installation, whose answer is an object. Its message is read only if it must be.
    case quick(QuickBody)
  }

  private enum Answer: Sendable {
    /// The JSON of the one device that is asked for.
    case object([UInt8])
    case stream(RenderStream)
    case recipients(RecipientStream)
  }

  private func answer(_ body: QuickBody, _ call: Call) async throws -> Answer {
    let plans = call.context.kept { RenderPlans(call.context.shared.randomBytes) }
    switch try await plans.render(body, call, metrics) {
    case .answer(let json): return .object(json)
    case .other(let known):
      return try await answer(RenderBody.decode(body.bytes).body, .object, call, known)
    }
  }

  /// - Parameter known: The one device that is asked for, if it was read already.
  private func answer(
    _ body: RenderBody, _ form: RenderForm, _ call: Call, _ known: RenderPlans.KnownDevice? = nil
  ) async throws -> Answer {
    switch body {
    case .audience(let request): try await answer(request, form, call, known)
    case .recipients(let request, let values):
      .recipients(
        try await RecipientStream(request, RecipientSource(values), form, call, metrics))
    case .lines: .recipients(try await RecipientStream.reading(call, form, metrics))
    }
  }

  private func answer(
    _ request: RenderRequest, _ form: RenderForm, _ call: Call, _ known: RenderPlans.KnownDevice?
  ) async throws -> Answer {
    let renderer = try await call.context.renderer(request, call.app, now: call.now)
    let job = RenderJob(
      renderer, app: call.app, includesDenied: request.settings.includesDenied,
      context: call.context, metrics: metrics)
    let source = try await AudienceSource(
      request.audience, request.settings.kind, call.app, call.context.database)
    return form == .object
      ? .object(try await Self.object(known, source, request, job))
      : .stream(try await RenderStream(job, request, source, form, call))
  }

  /// The answer for the one device that is asked for.
  private static func object(
    _ known: RenderPlans.KnownDevice?, _ source: AudienceSource, _ request: RenderRequest,
    _ job: RenderJob
  ) async throws -> [UInt8] {
    let context = job.context
    var row: AudienceRow?
    // A stored message may have become another one since the device was read.
    if let known, job.attributes.isEmpty, known.aspects.isSuperset(of: job.aspects) {
      row = known.row
    } else if let id = source.ids?.first {
      row = try await device(id, request.settings.kind, job)
    }
    guard let row else { throw Problem(.installationNotFound, nil) }
    let outcome = try await job.outcome(of: Addressee(try row.traits.read(DeviceTraits.init)))
    job.count(outcome)
    defer { job.settle() }
    switch outcome {
    case .skipped(let reason): throw Problem(reason, job.refusalDetail)
    case .content(let number):
      var writer = request.settings.shape.writer(for: job.app, context.shared, batch: 1)
      var lines = LineBuffer(isArray: true)
      if let delivery = Delivery(row) {
        writer.add(delivery, number, job.content(number), to: &lines)
      }
      writer.finish(to: &lines)
      return lines.take()
    }
  }
}

extension Render {
  /// A device, together with those that others ask for; of a message that names attributes by a
  /// statement of its own.
  private static func device(
    _ id: InstallationID, _ kind: CredentialKind, _ job: RenderJob
  ) async throws -> AudienceRow? {
    guard !job.attributes.isEmpty else {
      return try await job.context.registrar.device(
        appID: job.app.id, id: id, kind, job.aspects)
    }
    return try await job.context.database.read(
      DevicesOfInstallations(
        appID: job.app.id, ids: [id], kind: kind, aspects: job.aspects,
        attributes: job.attributes)
    ).first
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
  init(_ request: Request, isForOneDevice isOne: Bool) {
    let (json, lines) = ("application/json", "application/x-ndjson")
    let preferred = MediaType.preferred(
      accept: request.head.header("accept"), among: isOne ? [json, lines] : [lines, json])
    let isLines = preferred.map { $0 == lines } ?? !isOne
    self = isLines ? .lines : isOne ? .object : .document
  }

  /// The media type of a streamed answer.
  var contentType: String { self == .lines ? "application/x-ndjson" : "application/json" }

  /// What stands before the first line.
  var opening: [UInt8] { self == .document ? Array("{\"items\":[".utf8) : [] }

  /// The last line.
  func ending(_ name: String, _ json: [UInt8]) -> [UInt8] {
    (self == .document ? Array("],\"".utf8) : Array("{\"".utf8)) + Array(name.utf8)
      + Array("\":".utf8) + json + Array("}\n".utf8)
  }
}

extension LoopContext {
  /// The renderer of a request's message.
  fileprivate func renderer(
    _ request: RenderRequest, _ app: AppRecord, now: Timestamp
  ) async throws -> Renderer {
    let (name, message, arguments) = try await content.resolve(request.message, of: app)
    try request.settings.check(message)
    var options = request.settings.options
    if request.settings.shape == .gorush {
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

extension Problem {
  /// Why the one device that was asked for gets nothing.
  init(_ reason: SkipReason, _ detail: String?) {
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
