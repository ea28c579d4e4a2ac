internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// One of the recipients of a rendering: what it says is its own.
///
/// A class: it goes through several hands, and a message has many fields to copy.
final class Recipient: Sendable {
  let address: Audience
  /// The message, with what the recipient has instead.
  let message: Message
  /// The values of its parameters.
  let arguments: Arguments

  init(address: Audience, message: Message, arguments: Arguments) {
    self.address = address
    self.message = message
    self.arguments = arguments
  }
}

/// What all recipients of a rendering have in common, and how each is read and rendered. It is a
/// value without a loop or database, so that threads can do both.
struct RecipientPlan: Sendable {
  /// The name of a stored message.
  private let name: String?
  private let message: Message
  private let arguments: JSONObject
  private let app: AppFacts
  private let now: Int64
  let settings: RenderSettings
  private let options: RenderOptions
  /// The parameters whose arguments can be words in the gaps of forms, or part of their kind;
  /// `nil` when each recipient is rendered by itself.
  private let parameters: [(name: String, isText: Bool)]?

  /// - Parameter arguments: Values of parameters for recipients that have none of their own.
  /// - Throws: ``InputFailure`` when the arguments that all have in common are wrong for any.
  init(
    _ message: Message, name: String?, arguments: JSONObject = [:], _ settings: RenderSettings,
    app: AppRecord, now: Timestamp
  ) throws(InputFailure) {
    try settings.check(message)
    self.name = name
    self.message = message
    self.arguments = arguments
    self.settings = settings
    options = settings.options(for: message)
    self.app = AppFacts(app)
    self.now = now.microseconds / 1_000_000
    let takesForms =
      settings.takesForms && !message.isolatesArguments
      && message.parameters.count <= OwnWords.collapseIDGap
    parameters =
      takesForms
      ? message.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value.type == .string) }
      : nil
    guard !arguments.isEmpty else { return }
    // What is missing, each recipient may have.
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

  /// What of a device may matter to any recipient.
  var aspects: DeviceAspects {
    message.aspects(options).union(app.hasOtherBundles ? .bundleID : [])
  }

  /// Which of a device's tokens get it.
  var target: CredentialTarget { settings.target(of: message) }

  /// The same of a recipient, if its arguments say which; `nil` if it is that of all.
  func ownTarget(of recipient: Recipient) -> CredentialTarget? {
    guard message.push?.hasFilledName == true else { return nil }
    return settings.target(of: message, recipient.arguments)
  }

  /// The attributes of devices that any recipient may need.
  var attributes: [String] { message.attributes }

  /// Reads a recipient.
  func read(_ value: JSONValue) throws(InputFailure) -> Recipient {
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
      let place = fields.place("arguments")
      let arguments = fields.nested(.object(given), at: place) {
        Arguments(reading: $0, for: message)
      }
      guard let address, let arguments else { return nil }
      return Recipient(address: address, message: message, arguments: arguments)
    }.body
  }

  /// Reads a recipient from its line.
  func read(line: [UInt8]) throws(InputFailure) -> Recipient {
    guard line.count <= Limits.recipientLineBytes else {
      throw InputFailure(.tooLong, at: "", "A line has at most \(Limits.recipientLineBytes) bytes.")
    }
    return try read(JSONValue(body: line))
  }

  /// What makes the requests of a recipient.
  private func renderer(for recipient: Recipient) -> Renderer {
    Renderer(
      message: recipient.message, name: name, arguments: recipient.arguments, app: app,
      options: options, now: now)
  }
}

extension RecipientPlan {
  /// The circumstances of a device, for any recipient.
  func circumstances(of device: Device, _ catalogs: DeviceCatalogs) -> Circumstances {
    message.circumstances(of: device, in: app, catalogs: catalogs, aspects, options)
  }

  /// What of a recipient the form of its request is chosen and filled by; `nil` when it has to be
  /// rendered by itself. Example: it has `data` of its own.
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

  /// How the request of a recipient is made in these circumstances.
  func treatment(
    of recipient: Recipient, _ own: OwnWords, in circumstances: NumberedCircumstances,
    _ forms: LineForms
  ) -> LineForms.Treatment {
    forms.treatment(of: own.kind(in: circumstances.number)) {
      form(of: recipient, own, in: circumstances.circumstances)
    }
  }

  /// The form of all requests like that of this recipient, for devices in these circumstances.
  ///
  /// It is made with gaps for the words, and filled with those of this recipient. If the result is
  /// the same as a rendering of this recipient, the form is right.
  /// - Returns: `nil` when the words of this recipient do not fit, but others might.
  private func form(
    of recipient: Recipient, _ own: OwnWords, in circumstances: Circumstances
  ) -> LineForms.Treatment? {
    let plain: RenderedContent
    switch verdict(on: recipient, in: circumstances) {
    case .skipped(.denied, _): return .skipped(.denied)
    case .skipped(.payloadTooLarge, _): return nil
    case .skipped: return .alone
    case .content(let content): plain = content
    }
    var message = recipient.message
    if own.has(OwnWords.collapseIDGap) {
      message.collapseID = Template(JSONGap.mark(OwnWords.collapseIDGap))
    }
    if own.has(OwnWords.badgeGap) { message.badge = .gap(OwnWords.badgeGap) }
    let names = (parameters ?? []).enumerated().map { own.has($0) ? $1.name : nil }
    let open = Recipient(
      address: recipient.address, message: message,
      arguments: recipient.arguments.leavingGaps(for: names))
    let content = renderer(for: open).content(in: circumstances)
    guard !content.dependsOnWords, content.refusal == nil else { return .alone }
    let form = RequestForm(content, .json)
    let sample = RequestForm.Recipient(
      installation: TimeCursor.start.id, token: [], environment: .production,
      id: TimeCursor.start.id)
    var (filled, rendered): ([UInt8], [UInt8]) = ([], [])
    guard form.append(for: sample, own.words, to: &filled) else { return nil }
    let isRendered = RequestForm(plain, .json).append(for: sample, to: &rendered)
    return isRendered && filled == rendered ? .form(LineForm(form, content)) : .alone
  }

  /// What a device of a recipient gets.
  func verdict(on recipient: Recipient, in circumstances: Circumstances) -> Verdict {
    renderer(for: recipient).verdict(in: circumstances, includesDenied: settings.includesDenied)
  }
}
