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
        let body: RenderBody =
          try request.hasLines ? .lines : request.decodeBody(RenderBody.self).body
        let form = RenderForm(request, isForOne: body.isForOne)
        // People look at what one phone would get; what goes to many is the sender's.
        if request.key?.kind == .admin, form != .object || body.isBroadcast {
          throw Problem(
            .keyKind,
            "A key of kind admin renders for one `installation` or `token`, as application/json; "
              + "audiences, channels and streams take a key of kind sender or root.")
        }
        return (body, form)
      },
      perform: { (input: (body: RenderBody, form: RenderForm), call) -> Answer in
        try await answer(input.body, input.form, call)
      },
      encode: { (answer: Answer, request) in
        switch answer {
        case .object(let json): .json(text: json)
        case .stream(let stream): stream.response(to: request)
        case .recipients(let stream): stream.response(to: request)
        case .broadcasts(let broadcasts, let form): broadcasts.response(form, to: request)
        }
      })
  }

  private enum Answer: Sendable {
    /// The JSON of the one device that is asked for.
    case object([UInt8])
    case stream(RenderStream)
    case recipients(RecipientStream)
    case broadcasts(Broadcasts, RenderForm)
  }

  private func answer(
    _ body: RenderBody, _ form: RenderForm, _ call: Call
  ) async throws -> Answer {
    switch body {
    case .broadcast(let request):
      try await answer(Broadcasts(request, call, metrics), form)
    case .audience(let request): try await answer(request, form, call)
    case .recipients(let request, let values):
      .recipients(
        try await RecipientStream(request, RecipientSource(values), form, call, metrics))
    case .lines: .recipients(try await RecipientStream.reading(call, form, metrics))
    }
  }

  private func answer(_ broadcasts: Broadcasts, _ form: RenderForm) async throws -> Answer {
    form == .object ? .object(try await broadcasts.object()) : .broadcasts(broadcasts, form)
  }

  private func answer(
    _ request: RenderRequest, _ form: RenderForm, _ call: Call
  ) async throws -> Answer {
    let (name, message, arguments) = try await call.context.content.resolve(
      request.message, of: call.app)
    try request.settings.check(message)
    let target = request.settings.target(of: message, arguments)
    var form = form
    if form == .object {
      if target.isOne {
        return .object(
          try await RecentPlans.of(call).render(
            request, (name, message, arguments), target, call, metrics))
      }
      // A device can have several tokens of it, each with a request.
      form = .document
    }
    let renderer = Renderer(
      message: message, name: name, arguments: arguments, app: AppFacts(call.app),
      options: request.settings.options(for: message), now: call.now.microseconds / 1_000_000)
    let job = RenderJob(
      renderer, app: call.app, target, request.settings, context: call.context, metrics: metrics)
    let source = try await AudienceSource(
      request.audience, target, call.app, call.context.database)
    return .stream(try await RenderStream(job, request, source, form, call))
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
  init(_ request: Request, isForOne isOne: Bool) {
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

extension SkipReason {
  /// Why a device cannot take what the system shows.
  fileprivate var sentence: String {
    switch self {
    case .systemWithoutKind: "The device's system does not know this kind of push."
    case .systemTooOld: "The device's system is too old for this kind of push."
    case .activitiesNotAllowed: "The person does not allow Live Activities."
    case .channelOfOtherEnvironment:
      "The activity subscribes to a channel of the other environment."
    case .channelOfOtherBundleID:
      "The channel is of the app's bundle id, and the device's target has another one."
    case .activityEnded:
      "The Live Activity is over: its end was rendered, or it began more than twelve hours ago."
    default: "The person takes part in no channel of Push to Talk."
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
    case .systemWithoutKind, .systemTooOld, .activitiesNotAllowed, .activityEnded, .notJoined,
      .channelOfOtherEnvironment, .channelOfOtherBundleID:
      self.init(.noUsableCredential, reason.sentence)
    case .missingArgument:
      self.init(
        InputFailure(
          .missingArgument, at: "/arguments/\(detail ?? "")",
          "The device has no attribute for it that can be used, and there is no default."))
    case .channelNotCreated, .channelGone: self.init(ContentFailure.channelNotCreated)
    case .installationNotFound:
      self.init(.installationNotFound, "There is no such installation in this app.")
    }
  }
}
