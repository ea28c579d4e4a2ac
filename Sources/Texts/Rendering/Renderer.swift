import APNs
public import DeviceProfile
import JSON
import Localization

/// What a caller may ask of a rendering.
public struct RenderOptions: Sendable, Hashable {
  /// Who shall localize.
  public var localization: LocalizationRequest
  /// Whether it goes to VoIP tokens.
  public var isVoIP: Bool
  /// Whether the answers tell how mode and language came about.
  public var explain: Bool

  public init(
    localization: LocalizationRequest = .auto, isVoIP: Bool = false, explain: Bool = false
  ) {
    self.localization = localization
    self.isVoIP = isVoIP
    self.explain = explain
  }
}

/// Turns one message with its arguments into what any number of devices get.
///
/// The initializer makes once what is the same for all devices; ``content(for:catalogs:)`` adds the
/// texts. It never fails: a text that cannot be shown well falls back, and the content says so.
public struct Renderer: Sendable {
  private let message: Message
  private let name: String?
  private let arguments: Arguments
  let app: AppFacts
  var options: RenderOptions
  private let now: Int64
  /// Nil when each device has values of its own.
  private var prepared: PreparedMessage?

  /// Prepares a message.
  ///
  /// - Parameters:
  ///   - message: the message that is sent.
  ///   - name: the message's name, nil for an inline message.
  ///   - arguments: the values of its parameters.
  ///   - app: the app whose devices get it.
  ///   - options: the wishes of the caller.
  ///   - now: Unix seconds, the start of the message's time to live, and the time that relative
  ///     dates are seen from.
  public init(
    message: Message, name: String? = nil, arguments: Arguments, app: AppFacts,
    options: RenderOptions = RenderOptions(), now: Int64
  ) {
    self.message = message
    self.name = name
    self.arguments = arguments
    self.app = app
    self.options = options
    self.now = now
    if arguments.areComplete {
      let same = DeviceArguments(arguments: arguments, problems: [], refusal: nil)
      prepared = prepare(same)
    }
  }

  private func prepare(_ values: DeviceArguments) -> PreparedMessage {
    func envelope(_ mode: Mode) -> Envelope {
      Envelope(mode, message, name: name, values.arguments, app, now: now)
    }
    let canBeLocal = message.isPerceived || message.withdraws != nil
    return PreparedMessage(
      values: values, texts: message.alert?.sources(values.arguments) ?? [],
      envelope: envelope(options.isVoIP ? .voip : .server),
      local: canBeLocal && !options.isVoIP ? envelope(.local) : nil)
  }

  /// The facts of a device that matter to this message. With ``Arguments/open(for:)`` these are the
  /// facts that may matter, whatever the values are.
  public var aspects: DeviceAspects {
    var aspects: DeviceAspects = attributes.isEmpty ? [] : .attributes
    if options.explain { return aspects.union(.all) }
    if arguments.dependOnLocale { aspects.insert(.locale) }
    if arguments.dependOnTimeZone { aspects.insert(.timeZone) }
    if !options.isVoIP && (message.request(options) != .server || message.needsApp) {
      aspects.insert(.abilities)
    }
    if isPerceived { aspects.insert(.authorization) }
    if let push = message.push { aspects.formUnion(push.aspects) }
    if app.hasOtherBundles { aspects.insert(.bundleID) }
    return aspects
  }

  /// The attributes of devices that this message needs, by name.
  public var attributes: [String] { arguments.attributes }

  /// Whether the person at a device denied everything that the message shows, plays or counts.
  public func isDenied(by permissions: Permissions) -> Bool {
    guard isPerceived else { return false }
    let breaksThrough = permissions.criticalAlert == true && message.hasCriticalSound
    return permissions.isDenied
      || ((message.alert == nil || permissions.alert == false)
        && (message.sound == nil || (permissions.sound == false && !breaksThrough))
        && (message.badge == nil || permissions.badge == false))
  }

  /// Whether a person is meant to notice it, and can have denied it.
  private var isPerceived: Bool { !options.isVoIP && message.isPerceived }

  /// The circumstances of a device, as far as this message depends on them.
  ///
  /// - Parameters:
  ///   - device: the device that gets it.
  ///   - catalogs: the catalogs that its texts may come from.
  public func circumstances(of device: Device, catalogs: DeviceCatalogs) -> Circumstances {
    Circumstances(of: device, catalogs, for: message, in: app, aspects, explain: options.explain)
  }

  /// The content for one device.
  ///
  /// - Parameters:
  ///   - device: the device that gets it.
  ///   - catalogs: the catalogs that its texts may come from.
  public func content(for device: Device, catalogs: DeviceCatalogs) -> RenderedContent {
    content(in: circumstances(of: device, catalogs: catalogs))
  }

  /// The content for all devices in these circumstances.
  public func content(in circumstances: Circumstances) -> RenderedContent {
    let (device, catalogs) = (circumstances.device, circumstances.catalogs)
    let prepared = prepared ?? prepare(arguments.completed(for: device))
    let arguments = prepared.values.arguments
    let textRenderer = TextRenderer(
      message: message, arguments: arguments, device: device, catalogs: catalogs,
      developmentLanguage: app.developmentLanguage, now: now)
    var choice = ModeChoice(
      message: message, texts: prepared.texts, arguments: arguments, device: device,
      build: device.isOfOwnWatchApp(app) ? nil : textRenderer.catalogs.app, options: options)
    var decision = choice.decision(explain: options.explain)
    var draft = draft(prepared, decision.mode, textRenderer)
    var wasTooLong = false
    if decision.mode == .client {
      wasTooLong = draft.excess > 0
      if options.explain { decision.tests.append(draft.sizeTest) }
      let serverDraft = wasTooLong ? self.draft(prepared, .server, textRenderer) : nil
      if let serverDraft, serverDraft.alert.hasText, !serverDraft.lacksText {
        decision.mode = .server
        decision.reason = .argumentsTooLong
        draft = serverDraft
      }
    }
    var content = RenderedContent(
      headers: draft.envelope.headers.addressed(to: device.bundleID), payload: draft.bytes,
      mode: decision.mode, language: draft.alert.language ?? draft.stateLanguage,
      problems: draft.problems)
    content.add(draft.textProblems, decision: decision, requested: choice.requested)
    if decision.mode == .local { content.addDoubts(about: device) }
    content.add(
      draft.envelope.problems(of: draft.payload, bytes: draft.bytes.count),
      showsText: (message.alert == nil || draft.alert.hasText) && !draft.lacksStateText)
    if !prepared.values.problems.isEmpty { content.add(prepared.values) }
    if device.startsActivitiesOften {
      content.problems.append(
        RenderProblem(
          .activityStartsFrequent,
          detail: "The device started so many activities within an hour that it may refuse more."))
    }
    if options.explain {
      content.explanation = RenderExplanation(
        mode: decision.reason, tests: decision.tests, preferred: device.languages.map(\.text),
        available: draft.alert.available, chosen: draft.alert.language)
    }
    if arguments.leaveGaps {
      content.gaps = draft.gaps
      content.dependsOnWords =
        wasTooLong || draft.wasCut || draft.dependsOnWords || hidesID(decision.mode)
    }
    return content
  }

  /// Whether words make an id that stands in the payload alone. A long id is written as its
  /// SHA-256, and nobody checks the length of such an id when the words are filled in.
  private func hidesID(_ mode: Mode) -> Bool {
    switch mode {
    case .client, .server: false
    case .local: message.hasFilledID
    case .voip: message.hasFilledID || message.collapseID != nil
    }
  }

  /// Fills the envelope of a mode.
  private func draft(
    _ prepared: PreparedMessage, _ mode: Mode, _ renderer: TextRenderer
  ) -> Draft {
    var renderer = renderer
    var alert = AlertComposer(
      mode: mode, literalFallback: message.literalFallback && message.push == nil)
    for (part, source) in prepared.texts { alert.add(part, source, from: &renderer) }
    let envelope = mode == .local ? prepared.local ?? prepared.envelope : prepared.envelope
    var payload = envelope.payload
    var state: (language: String?, lacksText: Bool) = (nil, false)
    var problems = renderer.problems
    if let push = message.push {
      var filler = StateRenderer(prepared.values.arguments, push.dates(in: app), renderer)
      state.lacksText = !push.fill(&payload, from: &filler)
      state.language = filler.language
      problems += filler.texts.problems.dropFirst(problems.count).map { problem in
        RenderProblem(code: problem.code, detail: problem.detail)
      }
      renderer = filler.texts
    }
    var draft = Draft(
      envelope: envelope, payload: payload, alert: alert, textProblems: problems,
      dependsOnWords: renderer.dependsOnWords, stateLanguage: state.language,
      lacksStateText: state.lacksText, problems: envelope.problems)
    if isPerceived { draft.problems += draft.payload.lower(to: renderer.device.permissions) }
    if mode == .local, let trigger = message.trigger {
      draft.payload.data["trigger"] = trigger.json(
        prepared.values.arguments, timeZone: renderer.timeZone)
    }
    draft.encode(message.truncation, leavingGaps: arguments.leaveGaps)
    return draft
  }
}

/// A message with all its values: the part that is the same for all devices with these values.
private struct PreparedMessage {
  let values: DeviceArguments
  /// The texts that the values pick.
  let texts: [(part: AlertPart, source: TextSource)]
  let envelope: Envelope
  /// The envelope of a local notification; nil when there cannot be one.
  let local: Envelope?
}

extension RenderedContent {
  /// Puts the problems of the device's values in front of all others.
  fileprivate mutating func add(_ values: DeviceArguments) {
    problems = values.problems + problems
    refusal = values.refusal ?? refusal
  }

  /// Why a device may not make the local notification that was demanded.
  fileprivate mutating func addDoubts(about device: Device) {
    if !device.declaresLocal && !device.isBeforeSystem10 {
      problems.append(
        RenderProblem(.localNotDeclared, detail: "The app did not declare `local-notification`."))
    }
    if device.isBackgroundRefreshOff {
      problems.append(
        RenderProblem(
          code: ModeReason.backgroundRefreshOff.rawValue,
          detail: "Background App Refresh is off: the device may not show it."))
    }
  }

  fileprivate mutating func add(
    _ texts: [RenderProblem], decision: ModeDecision, requested: LocalizationRequest
  ) {
    // Keys without texts were asked for, so it is no problem that the server has none.
    if decision.reason == .unverifiedKeys {
      problems.append(
        RenderProblem(
          code: decision.reason.rawValue, detail: "no catalog of the device's build is known"))
    } else {
      problems += texts
    }
    if requested == .client && decision.mode != .client {
      problems.append(
        RenderProblem(
          code: decision.reason.rawValue,
          detail: "`client` cannot be had: \(decision.mode.rawValue) instead"))
    }
  }

  fileprivate mutating func add(_ found: [PayloadProblem], showsText: Bool) {
    for problem in found {
      problems.append(RenderProblem(code: problem.code, detail: problem.detail))
      switch problem.kind {
      case .payloadTooLarge: refuse(.payloadTooLarge, problem.detail)
      case .nothingToShow: refuse(.nothingToShow, problem.detail)
      default: break
      }
    }
    if !showsText && !found.contains(where: { $0.kind == .nothingToShow }) {
      let detail = "No text of the alert could be made."
      problems.append(RenderProblem(.nothingToShow, detail: detail))
      refuse(.nothingToShow, detail)
    }
  }

  /// Keeps the first reason.
  private mutating func refuse(_ cause: RenderRefusal.Cause, _ detail: String) {
    refusal = refusal ?? RenderRefusal(cause: cause, detail: detail)
  }
}
