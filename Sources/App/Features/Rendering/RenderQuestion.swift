internal import JSON
internal import Rendering

/// The body of `POST …/render`: what to say, with which values, to whom.
struct RenderQuestion: RequestBody {
  static var policy: FieldPolicy { .strict }

  var message: Message
  var arguments: Arguments
  var installationID: InstallationID
  var options = RenderOptions()

  init?(reading fields: FieldReader) {
    let message = fields.message("message")
    let arguments = fields.arguments("arguments", for: message)
    let to = fields.required(
      fields.object("to") { fields in
        fields.required(fields.installationID("installation"), "installation")
      }, "to")
    options.localization = fields.word("localization").value ?? .auto
    options.explain = fields.flag("explain").value ?? false
    fields.only(["requests"], "shape")
    fields.only(["apns"], "credential")
    guard let message, let arguments, let to else { return nil }
    self.message = message
    self.arguments = arguments
    installationID = to
  }
}

extension FieldReader {
  fileprivate func message(_ name: String) -> Message? {
    let value = required(json(name), name)
    if case .string? = value {
      refuse(.unknownValue, at: name, "There are no stored messages; send the message itself.")
      return nil
    }
    return value.flatMap { nested($0, at: place(name), Message.init(reading:)) }
  }

  /// Without a readable message nobody knows which arguments it wants.
  fileprivate func arguments(_ name: String, for message: Message?) -> Arguments? {
    let value = json(name).value ?? .object([:])
    guard let message else { return nil }
    return nested(value, at: place(name)) { Arguments(reading: $0, for: message) }
  }

  /// A word of which only some are understood.
  fileprivate func only(_ words: [String], _ name: String) {
    guard let word = text(name, maximum: 64).value, !words.contains(word) else { return }
    refuse(.unknownValue, at: name, "One of: \(words.joined(separator: ", ")).")
  }
}
