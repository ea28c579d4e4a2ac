internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// One recipient of a rendering: the message with the recipient's own values. An audience is one
/// recipient without values of its own, and so are channels.
///
/// A class: it goes through several hands, and a message has many fields to copy.
final class Recipient: Sendable {
  let message: Message
  /// The values of the message's parameters.
  let arguments: Arguments

  init(message: Message, arguments: Arguments) {
    self.message = message
    self.arguments = arguments
  }
}

/// A message on its way: the data that it depends on, and how the request of each recipient is
/// made. It is a value without a loop or database, so that threads can use it.
struct RenderPlan: Sendable {
  /// Whose arguments the devices get.
  enum Values {
    /// All get these: an audience, or channels.
    case common(Arguments)
    /// Each recipient brings its own, or else has these, which are not read yet. The calls that
    /// share a kept plan bring theirs in the same way (``RecentPlans``).
    case own(JSONObject)
  }

  private let name: String?
  let message: Message
  /// The arguments of each recipient, unless it gives others.
  private let arguments: JSONObject
  private let app: AppFacts
  private let now: Int64
  let settings: RenderSettings
  private let options: RenderOptions
  /// With the common arguments; or else for any recipient, with no values yet.
  private let renderer: Renderer
  /// Stands for all devices if their arguments are common; `nil` when each recipient has its own.
  let everyone: Recipient?
  /// The parameters whose arguments can be words in the gaps of lines, or part of their kind;
  /// `nil` when each recipient is rendered by itself.
  private let parameters: [(name: String, isText: Bool)]?
  /// The tokens of a device that get the message.
  let target: CredentialTarget

  /// - Throws: ``InputFailure`` when the message cannot be rendered so, or when the arguments that
  ///   all recipients share are wrong for any recipient.
  init(
    _ message: Message, name: String?, _ values: Values, _ settings: RenderSettings,
    app: AppRecord, now: Timestamp
  ) throws(InputFailure) {
    try settings.check(message)
    self.name = name
    self.message = message
    self.settings = settings
    options = settings.options(for: message)
    self.app = AppFacts(app)
    self.now = now.microseconds / 1_000_000
    var (some, known) = (message, Arguments.open(for: message))
    switch values {
    case .common(let arguments):
      (self.arguments, known) = ([:], arguments)
      everyone = Recipient(message: message, arguments: arguments)
      parameters = []
      target = settings.target(of: message, arguments)
    case .own(let arguments):
      self.arguments = arguments
      // A recipient may have a badge of its own, and then its person can have denied badges.
      if message.badge == nil { some.badge = .gap(OwnWords.badgeGap) }
      everyone = nil
      let takesForms =
        settings.takesForms && !message.isolatesArguments
        && message.parameters.count <= OwnWords.collapseIDGap
      parameters =
        takesForms
        ? message.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value.type == .string) }
        : nil
      target = settings.target(of: message)
    }
    renderer = Renderer(
      message: some, name: name, arguments: known, app: self.app, options: options, now: self.now)
    guard !arguments.isEmpty else { return }
    // Each recipient may have the arguments that are missing here.
    let fault = Self.fault(of: arguments, for: message)
    let problems = fault?.problems.filter { $0.code != InputFault.missingArgument.rawValue } ?? []
    if !problems.isEmpty { throw InputFailure(problems) }
  }

  private static func fault(
    of arguments: JSONObject, for message: Message
  ) -> InputFailure? {
    do throws(InputFailure) {
      _ = try JSONValue.object(["arguments": .object(arguments)]).read { fields in
        fields.object("arguments") { Arguments(reading: $0, for: message) }.value
      }
      return nil
    } catch {
      return error
    }
  }

  /// The aspects of a device that may matter to any recipient.
  var aspects: DeviceAspects { renderer.aspects }

  /// The attributes of devices that any recipient may need.
  var attributes: [String] { renderer.attributes }

  /// The question to the database about devices with tokens of a target.
  func question(_ target: CredentialTarget) -> DeviceQuestion {
    DeviceQuestion(target: target, aspects: aspects, attributes: attributes)
  }

  /// The circumstances of a device, for any recipient.
  func circumstances(of device: Device, _ catalogs: DeviceCatalogs) -> Circumstances {
    renderer.circumstances(of: device, catalogs: catalogs)
  }

  /// The tokens of a device that get a recipient's message, if its arguments say which; `nil` if
  /// all recipients have the same target.
  func ownTarget(of recipient: Recipient) -> CredentialTarget? {
    guard message.push?.hasFilledName == true else { return nil }
    return settings.target(of: message, recipient.arguments)
  }

  /// Reads a recipient and its address.
  func read(_ value: JSONValue) throws(InputFailure) -> AddressedRecipient {
    try value.read { fields in
      let to = fields.object("to") {
        $0.audience(among: ["installation", "user", "token", "filter"])
      }
      let address = fields.required(to, "to")
      var message = message
      message.replace(reading: fields, for: app, isNamed: name != nil)
      var given = arguments
      switch fields.json("arguments").value {
      case nil: break
      case .object(let own) where given.isEmpty: given = own
      case .object(let own): given.merge(own) { $1 }
      case let value?: fields.refuseType("arguments", "an object", value)
      }
      let place = fields.pointer(to: "arguments")
      let arguments = fields.nested(.object(given), at: place) {
        Arguments(reading: $0, for: message)
      }
      guard let address, let arguments else { return nil }
      return AddressedRecipient(
        address: address, recipient: Recipient(message: message, arguments: arguments))
    }.body
  }

  /// Reads a recipient from its line.
  func read(line: [UInt8]) throws(InputFailure) -> AddressedRecipient {
    guard line.count <= Limits.recipientLineBytes else {
      throw InputFailure(.tooLong, at: "", "A line has at most \(Limits.recipientLineBytes) bytes.")
    }
    return try read(JSONValue(body: line))
  }

  private func renderer(for recipient: Recipient) -> Renderer {
    guard recipient !== everyone else { return renderer }
    return Renderer(
      message: recipient.message, name: name, arguments: recipient.arguments, app: app,
      options: options, now: now)
  }
}

/// A recipient and its address. A class like ``Recipient``.
final class AddressedRecipient: Sendable {
  let address: Audience
  let recipient: Recipient

  init(address: Audience, recipient: Recipient) {
    self.address = address
    self.recipient = recipient
  }
}

/// The content that a device with a usable token gets, or the reason why it gets nothing. Two
/// reasons are found earlier: that there is no usable token (``KnownDevice``), and that there is no
/// such installation.
enum Verdict: Sendable {
  case content(RenderedContent)
  /// The detail says what is missing or too large; the other reasons have none.
  case skipped(SkipReason, detail: String?)
}

extension RenderPlan {
  /// The words by which the line of a recipient's request is chosen and filled; `nil` when the
  /// recipient has to be rendered by itself. Example: it has `data` of its own.
  func words(of recipient: Recipient) -> OwnWords? {
    guard let parameters, recipient.message.data == message.data else { return nil }
    var own = OwnWords()
    for (gap, parameter) in parameters.enumerated() {
      switch recipient.arguments[parameter.name] {
      case nil: own.addOpen()
      case .text(let text) where parameter.isText: own.add(text, at: gap)
      case .list, .translated, .gap: return nil
      case let value?: own.addFixed(value.plainText)
      }
    }
    if recipient.message.collapseID != message.collapseID {
      guard let id = recipient.message.collapseID?.constant else { return nil }
      own.add(id, at: OwnWords.collapseIDGap)
    }
    if recipient.message.badge != message.badge {
      guard case .number(let number)? = recipient.message.badge else { return nil }
      own.add(number.description, at: OwnWords.badgeGap)
    }
    return own
  }

  /// The verdict for a device of a recipient.
  func verdict(on recipient: Recipient, in circumstances: Circumstances) -> Verdict {
    let renderer = renderer(for: recipient)
    if !settings.includesDenied, renderer.isDenied(by: circumstances.device.permissions) {
      return .skipped(.denied, detail: nil)
    }
    if let obstacle = circumstances.obstacle { return .skipped(SkipReason(obstacle), detail: nil) }
    let content = renderer.content(in: circumstances)
    guard let refusal = content.refusal else { return .content(content) }
    return .skipped(SkipReason(refusal.cause), detail: refusal.detail)
  }

  /// The verdict for all recipients like this one and devices in these circumstances, with gaps for
  /// the recipients' words.
  ///
  /// The content is made with gaps, and filled with the words of this recipient. The content is
  /// right if the result is the same as a rendering of this recipient.
  /// - Returns: `nil` when the words of this recipient do not fit, but others might.
  func verdict(
    onAllLike recipient: Recipient, _ own: OwnWords, in circumstances: Circumstances
  ) -> KindVerdict? {
    let plain: RenderedContent
    switch verdict(on: recipient, in: circumstances) {
    case .skipped(let reason, let detail) where !own.hasWords:
      return .verdict(.skipped(reason, detail: detail))
    case .skipped(.denied, _): return .verdict(.skipped(.denied, detail: nil))
    case .skipped(.payloadTooLarge, _): return nil
    case .skipped: return .alone
    case .content(let content): plain = content
    }
    guard own.hasWords else { return .verdict(.content(plain)) }
    var message = recipient.message
    if own.has(OwnWords.collapseIDGap) {
      message.collapseID = Template(JSONGap.mark(OwnWords.collapseIDGap))
    }
    if own.has(OwnWords.badgeGap) { message.badge = .gap(OwnWords.badgeGap) }
    let names = (parameters ?? []).enumerated().map { own.has($0) ? $1.name : nil }
    let open = Recipient(
      message: message, arguments: recipient.arguments.leavingGaps(for: names))
    let content = renderer(for: open).content(in: circumstances)
    guard !content.dependsOnWords, content.refusal == nil else { return .alone }
    let sample = RequestForm.Addressee(
      installation: TimeCursor.start.id, token: [], environment: .production,
      id: TimeCursor.start.id)
    var (filled, rendered): ([UInt8], [UInt8]) = ([], [])
    guard RequestForm(content, .json).append(for: sample, own.words, to: &filled) else {
      return nil
    }
    let isRendered = RequestForm(plain, .json).append(for: sample, to: &rendered)
    return isRendered && filled == rendered ? .verdict(.content(content)) : .alone
  }
}

/// The common result of recipients that differ in the words for gaps alone.
enum KindVerdict {
  case verdict(Verdict)
  /// There is no common result: each recipient is rendered by itself.
  case alone
}
