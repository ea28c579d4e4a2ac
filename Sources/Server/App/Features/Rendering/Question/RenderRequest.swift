internal import Content
internal import DeviceProfile
internal import JSON
internal import Registry
internal import Rendering

/// The body of `POST …/render`: the message, its values and the audience. An object, as it goes
/// through many hands, and a message has dozens of parts that are counted with each copy.
final class RenderRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  let message: MessageChoice
  let audience: Audience
  let settings: RenderSettings

  init?(reading fields: FieldReader) {
    let message = fields.messageChoice()
    let audience = fields.required(fields.object("to") { $0.audience() }, "to")
    settings = RenderSettings(reading: fields)
    guard let message, let audience else { return nil }
    self.message = message
    self.audience = audience
  }
}

/// The settings of a rendering, beside the message and the audience.
struct RenderSettings: Sendable, Hashable {
  /// The kind of token that the caller asks for; the message may say it, too.
  private var credential: CredentialKind?
  var shape: RenderShape
  var options = RenderOptions()
  /// Whether devices get the message although their people denied what it shows.
  var includesDenied: Bool

  init(reading fields: FieldReader) {
    credential = fields.word("credential").value
    shape = fields.renderShape()
    options.localization = fields.word("localization").value ?? .auto
    options.explain = fields.flag("explain").value ?? false
    options.isVoIP = credential == .voip
    includesDenied = fields.flag("include_denied").value ?? false
  }

  /// Refuses a message that only tokens of another kind can get, or that the shape cannot carry.
  func check(_ message: Message) throws(InputFailure) {
    if message.isForVoIPOnly, !options.isVoIP {
      throw InputFailure(
        .tokenKindMismatch, at: "/credential",
        "A message of push type `voip` goes to VoIP tokens only.")
    }
    let needed = message.push?.credential
    if let credential,
      needed ?? credential != credential
        || needed == nil && credential != .apns && credential != .voip
    {
      throw InputFailure(
        .tokenKindMismatch, at: "/credential",
        "This message goes to tokens of the kind `\((needed ?? .apns).rawValue)`.")
    }
    if shape == .simulator, let push = message.push {
      throw InputFailure(
        .unknownValue, at: "/shape", "The simulator takes no push of `\(push.member)`.")
    }
    let unknown = shape == .gorush ? message.unknownToGorush : []
    guard !unknown.isEmpty else { return }
    // A part of the message that gorush has no place for is not left out silently.
    throw InputFailure(
      .unknownValue, at: "/shape", "gorush has no place for \(unknown.joined(separator: ", ")).")
  }

  /// The tokens of a device that get a message; with arguments, the token that they name.
  func target(of message: Message, _ arguments: Arguments? = nil) -> CredentialTarget {
    guard let push = message.push else { return CredentialTarget(credential ?? .apns) }
    let name = arguments.map(push.filledName) ?? push.constantName
    return CredentialTarget(of: push, named: name)
  }

  /// Whether its requests can be forms that are filled for one device after the other.
  var takesForms: Bool { shape == .requests(.json) && !options.explain }

  /// The options for a message. If gorush cannot carry a key, it carries a text.
  func options(for message: Message) -> RenderOptions {
    var options = options
    if shape == .gorush, message.needsTextForGorush { options.localization = .server }
    return options
  }
}
