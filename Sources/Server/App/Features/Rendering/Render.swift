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
        let form = AnswerForm(request, isForOne: body.isForOne)
        // An admin key is for people, who look at the request for one phone. Requests for many are
        // for senders.
        if request.key?.kind == .admin, form != .object || body.isBroadcast {
          throw Problem(
            .keyKind,
            "A key of kind admin renders for one `installation` or `token`, as application/json; "
              + "audiences, channels and streams take a key of kind sender or root.")
        }
        return (body, form)
      },
      perform: { (input: (body: RenderBody, form: AnswerForm), call) -> Answer in
        try await answer(input.body, input.form, call)
      },
      encode: { (answer: Answer, request) in
        switch answer {
        case .object(let json): .json(text: json)
        case .stream(let stream): stream.response()
        }
      })
  }

  private enum Answer: Sendable {
    /// The JSON of the one device or channel that is asked for.
    case object([UInt8])
    case stream(RenderStream)
  }

  private func answer(
    _ body: RenderBody, _ form: AnswerForm, _ call: Call
  ) async throws -> Answer {
    switch body {
    case .broadcast(let request):
      let channels = try await ChannelSource(request, call, metrics)
      if form == .object { return .object(try await channels.object()) }
      return .stream(RenderStream(channels, form, call))
    case .audience(let request): return try await answer(request, form, call)
    case .recipients(let request, let values):
      let input = RecipientInput(values)
      return .stream(
        RenderStream(try await RecipientSource(request, input, call, metrics), form, call))
    case .lines:
      return .stream(RenderStream(try await RecipientSource.reading(call, metrics), form, call))
    }
  }

  private func answer(
    _ request: RenderRequest, _ form: AnswerForm, _ call: Call
  ) async throws -> Answer {
    let content = call.context.content
    let generation = content.generation
    let (name, message, arguments) = try await content.resolve(request.message, of: call.app)
    try request.settings.check(message)
    let target = request.settings.target(of: message, arguments)
    if form == .object, target.isOne {
      return .object(
        try await RecentPlans.of(call).render(
          request, generation: generation, (name, message, arguments), target, call, metrics))
    }
    let plan = try RenderPlan(
      message, name: name, .common(arguments), request.settings, app: call.app, now: call.now)
    let source = try await AudienceSource(
      request.audience, RenderLoop(plan, call, metrics), call)
    // A device can have several tokens of the target, each with a request.
    return .stream(RenderStream(source, form == .object ? .document : form, call))
  }
}

extension SkipReason {
  /// A sentence that says why a device cannot take a push that the system shows.
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
  /// The reason why the one requested device gets nothing.
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
