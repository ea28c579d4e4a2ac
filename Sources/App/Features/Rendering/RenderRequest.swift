internal import Content
internal import JSON
internal import Registry
internal import Rendering

/// The body of `POST …/render`: what to say, with which values, to whom.
struct RenderRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  var message: MessageChoice
  var audience: Audience
  var kind: CredentialKind
  var shape: RenderShape
  var options = RenderOptions()
  /// Whether devices get it whose people denied what it shows.
  var includesDenied: Bool

  init?(reading fields: FieldReader) {
    let message = fields.messageChoice()
    let audience = fields.required(fields.object("to") { $0.audience() }, "to")
    kind = fields.word("credential").value ?? .apns
    shape = fields.renderShape()
    options.localization = fields.word("localization").value ?? .auto
    options.explain = fields.flag("explain").value ?? false
    options.isVoIP = kind == .voip
    includesDenied = fields.flag("include_denied").value ?? false
    guard let message, let audience else { return nil }
    self.message = message
    self.audience = audience
  }
}
