import APNs
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

  /// Options.
  public init(
    localization: LocalizationRequest = .auto, isVoIP: Bool = false, explain: Bool = false
  ) {
    self.localization = localization
    self.isVoIP = isVoIP
    self.explain = explain
  }
}

/// What of a device can make a difference to a rendering, beside its languages, its platform and
/// the build of its app: devices that differ in nothing else get the same.
public struct DeviceAspects: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// A set of its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// How its region writes numbers and dates.
  public static let locale = Self(rawValue: 1)
  /// Where it is.
  public static let timeZone = Self(rawValue: 2)
  /// What its system and its app can do.
  public static let abilities = Self(rawValue: 4)
  /// What the person allows.
  public static let authorization = Self(rawValue: 8)
  /// Everything.
  public static let all: Self = [.locale, .timeZone, .abilities, .authorization]
}

/// Turns one message with its arguments into what any number of devices get.
///
/// What is the same for all devices is made once, in the initializer; ``content(for:catalogs:)``
/// adds the texts. It never fails: what cannot be shown well falls back, and the content says so.
public struct Renderer: Sendable {
  private let message: Message
  private let arguments: Arguments
  private let app: AppFacts
  private let options: RenderOptions
  private let now: Int64
  private let headers: RequestHeaders
  private let payload: Payload
  private let problems: [RenderProblem]

  /// Prepares a message.
  ///
  /// - Parameters:
  ///   - message: what is sent.
  ///   - name: the message's name, nil for an inline message.
  ///   - arguments: the values of its parameters.
  ///   - app: whose devices get it.
  ///   - options: what the caller asks for.
  ///   - now: Unix seconds, the start of the message's time to live, and the time that relative
  ///     dates are seen from.
  public init(
    message: Message, name: String? = nil, arguments: Arguments, app: AppFacts,
    options: RenderOptions = RenderOptions(), now: Int64
  ) {
    self.message = message
    self.arguments = arguments
    self.app = app
    self.options = options
    self.now = now
    var problems: [RenderProblem] = []
    let aps = message.aps { arguments.plainText($0) }
    headers = RequestHeaders(
      bundleID: app.bundleID, pushType: message.effectivePushType, priority: message.priority,
      contentAvailable: aps.contentAvailable == 1, ttlSeconds: message.ttlSeconds.map(Int64.init),
      now: now, collapseID: message.collapseID(arguments, &problems))
    if let priority = message.priority, priority != headers.priority {
      problems.append(
        RenderProblem(
          .priorityChanged,
          detail: "\(headers.priority) instead of \(priority): what Apple allows here"))
    }
    var data = message.data.mapValues { $0.filled { arguments.plainText($0) } }
    if let name, let key = app.messageTypeKey, data[key] == nil { data[key] = .string(name) }
    payload = Payload(aps: aps, data: data)
    self.problems = problems
  }

  /// What of a device matters to this message.
  public var aspects: DeviceAspects {
    if options.explain { return .all }
    var aspects: DeviceAspects = []
    if arguments.dependOnLocale { aspects.insert(.locale) }
    if arguments.dependOnTimeZone { aspects.insert(.timeZone) }
    if !options.isVoIP && message.request(options) != .server { aspects.insert(.abilities) }
    if isPerceived { aspects.insert(.authorization) }
    return aspects
  }

  /// Whether the person at a device denied everything that the message shows, plays or counts.
  public func isDenied(by permissions: Permissions) -> Bool {
    guard isPerceived else { return false }
    return permissions.isDenied
      || ((message.alert == nil || permissions.alert == false)
        && (message.sound == nil || permissions.sound == false)
        && (message.badge == nil || permissions.badge == false))
  }

  /// Whether a person is meant to notice it, and can have denied it.
  private var isPerceived: Bool { !options.isVoIP && headers.pushType == .alert }

  /// The content for one device.
  ///
  /// - Parameters:
  ///   - device: who gets it.
  ///   - catalogs: what its texts may come from.
  public func content(for device: Device, catalogs: Catalogs) -> RenderedContent {
    let fallback = message.fallbackLanguage.map {
      FallbackLanguage(language: $0, preferred: device.languages)
    }
    let catalogs = catalogs.falling(back: fallback)
    var choice = ModeChoice(
      message: message, arguments: arguments, device: device, app: catalogs.app, options: options)
    let decision = choice.decision(explain: options.explain)
    var texts = TextRenderer(
      message: message, arguments: arguments, device: device, catalogs: catalogs,
      developmentLanguage: app.developmentLanguage, fallback: fallback, now: now)
    var composer = AlertComposer(mode: decision.mode, literalFallback: message.literalFallback)
    for (part, source) in message.alert?.texts ?? [] {
      composer.add(part, source, from: &texts)
    }
    var payload = payload
    payload.aps?.alert = composer.form(of: message.alert)
    let bytes = payload.encoded()
    var content = RenderedContent(
      headers: headers, payload: bytes, mode: decision.mode, language: composer.language,
      problems: problems)
    content.add(texts.problems, decision: decision, requested: choice.requested)
    if decision.reason == .requestedLocal && !device.declaresLocal && !device.isBeforeSystem10 {
      content.problems.append(
        RenderProblem(.localNotDeclared, detail: "The app did not declare `local-notification`."))
    }
    content.validate(payload, showsText: message.alert == nil || composer.hasText)
    if options.explain {
      content.explanation = RenderExplanation(
        mode: decision.reason, tests: decision.tests, preferred: device.languages.map(\.text),
        available: composer.available, chosen: composer.language)
    }
    return content
  }
}

extension RenderedContent {
  fileprivate mutating func add(
    _ texts: [RenderProblem], decision: ModeDecision, requested: LocalizationRequest
  ) {
    // Bare keys need no server text: that there is none is no news.
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

  fileprivate mutating func validate(_ decoded: Payload, showsText: Bool) {
    let found = PayloadValidator.problems(
      payload: decoded, payloadBytes: payload.count, headers: headers)
    for problem in found {
      problems.append(RenderProblem(code: problem.code, detail: problem.detail))
    }
    if !showsText && !found.contains(where: { $0.code == "nothing_to_show" }) {
      problems.append(
        RenderProblem(.nothingToShow, detail: "No text of the alert could be made."))
    }
  }
}

extension Message {
  /// The part of `aps` that is the same for all devices.
  fileprivate func aps(_ value: (String) -> String?) -> APS {
    var aps = APS()
    aps.badge = badge
    aps.sound = sound
    aps.category = category
    // A device takes an empty string for none.
    aps.threadID = threadID?.filled(value).nonEmpty
    aps.targetContentID = targetContentID?.filled(value).nonEmpty
    aps.interruptionLevel = interruptionLevel
    aps.relevanceScore = relevanceScore
    aps.filterCriteria = filterCriteria
    aps.contentAvailable = contentAvailable || effectivePushType == .background ? 1 : nil
    aps.mutableContent = mutableContent ? 1 : nil
    return aps
  }

  /// The collapse id with its placeholders filled; left out when APNs would refuse it.
  fileprivate func collapseID(
    _ arguments: Arguments, _ problems: inout [RenderProblem]
  ) -> String? {
    guard let text = collapseID?.filled({ arguments.plainText($0) }).nonEmpty else { return nil }
    if text.utf8.count > PayloadValidator.maximumCollapseIDBytes {
      problems.append(
        RenderProblem(
          .collapseIDTooLong,
          detail: "left out: \(text.utf8.count) bytes, APNs takes at most 64"))
      return nil
    }
    // A line break in a header value would let an argument add header fields of its own.
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      problems.append(
        RenderProblem(
          .collapseIDNotPrintable, detail: "left out: it has control characters"))
      return nil
    }
    return text
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
