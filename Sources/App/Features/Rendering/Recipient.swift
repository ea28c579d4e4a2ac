internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// How a recipient is named.
enum RecipientAddress: Sendable {
  case installation(InstallationID)
  case user(String)
  case token(DeviceToken)
  /// Installations by a filter, of no app yet.
  case filter(AudienceFilter)
}

/// One of the recipients of a rendering: what it says is its own.
///
/// A class: it goes through several hands, and a message has many fields to copy.
final class Recipient: Sendable {
  let address: RecipientAddress
  /// The message, with what the recipient has instead.
  let message: Message
  /// The values of its parameters.
  let arguments: Arguments

  init(address: RecipientAddress, message: Message, arguments: Arguments) {
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
  /// Reads most lines; `nil` when none of this message can be read quickly.
  let quickReader: QuickLineReader?
  /// The parameters that every recipient must have an argument for, a bit each, in the order of
  /// the quick reader's.
  private let needed: UInt64

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
    let parameters = message.parameters.sorted { $0.key < $1.key }
    let isSimple = !message.isolatesArguments && settings.takesForms
    quickReader =
      isSimple ? QuickLineReader(parameters.map { ($0.key, $0.value.type == .string) }) : nil
    needed = parameters.enumerated().reduce(0) { needed, parameter in
      let (name, declared) = parameter.element
      let isGiven = arguments[name].map { $0 != .null } ?? false
      let isKnown = isGiven || declared.defaultValue != nil || declared.attribute != nil
      return isKnown || parameter.offset >= 64 ? needed : needed | 1 << parameter.offset
    }
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

  /// Refuses a message that each recipient would send to another activity or session: the devices
  /// of many recipients are found together.
  func checkTarget() throws(InputFailure) {
    guard message.push?.hasFilledName == true else { return }
    throw InputFailure([
      InputFault.unknownPlaceholder.problem(
        at: "/message", "With `recipients` the activity, session or control has no placeholder.")
    ])
  }

  /// The attributes of devices that any recipient may need.
  var attributes: [String] { message.attributes }

  /// Reads a recipient.
  func read(_ value: JSONValue) throws(InputFailure) -> Recipient {
    try value.read { fields in
      let address = fields.required(fields.object("to") { $0.recipientAddress() }, "to")
      var message = message
      message.replace(reading: fields, for: app, isNamed: name != nil)
      var given = arguments
      switch fields.json("arguments").value {
      case nil: break
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
  func read(line: ArraySlice<UInt8>) throws(InputFailure) -> Recipient {
    guard line.count <= Limits.recipientLineBytes else {
      throw InputFailure([
        InputFault.tooLong.problem(
          at: "", "A line has at most \(Limits.recipientLineBytes) bytes.")
      ])
    }
    return try read(JSONValue(body: Array(line)))
  }

  /// What makes the requests of a recipient.
  private func renderer(for recipient: Recipient) -> Renderer {
    Renderer(
      message: recipient.message, name: name, arguments: recipient.arguments, app: app,
      options: options, now: now)
  }
}

extension RecipientPlan {
  /// Whether a line that was read quickly has all arguments that it must have.
  func hasAllArguments(_ quick: QuickLine) -> Bool { quick.given & needed == needed }

  /// Whether a line that was read quickly has nothing that only a full reading finds wrong.
  func isSound(_ quick: QuickLine) -> Bool {
    hasAllArguments(quick) && quick.given & ~(quickReader?.texts ?? 0) == 0
      && quick.badge == nil && !quick.hasCollapseID
  }

  /// The circumstances of a device, for any recipient.
  func circumstances(of device: Device, _ catalogs: DeviceCatalogs) -> Circumstances {
    message.circumstances(of: device, catalogs: catalogs, aspects, options)
  }

  /// The form of all lines like that of this recipient, for devices in these circumstances.
  ///
  /// It is made with gaps for the words, and filled with those of this recipient. If the result is
  /// the same as a rendering of this recipient, the form is right.
  /// - Returns: `nil` when the words of this recipient do not fit, but others might.
  /// - Parameters:
  ///   - words: The words of the recipient, one for each parameter of `reader` and one for the
  ///     collapse id.
  ///   - given: The parameters that have one, a bit each.
  ///   - hasCollapseID: Whether the recipient has a collapse id of its own.
  func form(
    of recipient: Recipient, _ words: RequestForm.Words, _ reader: QuickLineReader,
    given: UInt64, hasCollapseID: Bool, in circumstances: Circumstances
  ) -> LineForms.Treatment? {
    let plain: RenderedContent
    switch verdict(on: recipient, in: circumstances) {
    case .skipped(.denied, _): return .skipped(.denied)
    case .skipped(.payloadTooLarge, _): return nil
    case .skipped: return .alone
    case .content(let content): plain = content
    }
    var message = recipient.message
    if hasCollapseID { message.collapseID = Template(JSONGap.mark(reader.names.count)) }
    let names = reader.names.enumerated().map { index, name in
      given & 1 << UInt64(index) == 0 ? nil : String(decoding: name, as: UTF8.self)
    }
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
    guard form.append(for: sample, words, to: &filled) else { return nil }
    let isRendered = RequestForm(plain, .json).append(for: sample, to: &rendered)
    return isRendered && filled == rendered ? .form(LineForm(form, content)) : .alone
  }

  /// What a device of a recipient gets.
  func verdict(on recipient: Recipient, in circumstances: Circumstances) -> Verdict {
    renderer(for: recipient).verdict(in: circumstances, includesDenied: settings.includesDenied)
  }
}

extension FieldReader {
  /// The one way in which a recipient is named.
  fileprivate func recipientAddress() -> RecipientAddress? {
    guard let audience = audience(among: ["installation", "user", "token", "filter"]) else {
      return nil
    }
    switch audience {
    case .installation(let id): return .installation(id)
    case .token(let token): return .token(token)
    case .all(let audience):
      guard has("user"), let user = audience.filter.userIDs?.first else {
        return .filter(audience)
      }
      return .user(user)
    }
  }
}
