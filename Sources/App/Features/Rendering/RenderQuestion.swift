internal import APNs
internal import HTTP
internal import Rendering

/// The body of `POST …/render`: what to say, with which values, to whom.
struct RenderQuestion: Sendable {
  var message: Message
  var arguments: Arguments
  var installationID: InstallationID
  var options = RenderOptions()

  /// Reads the body; all faults of all its parts are told at once.
  init(json: [UInt8]) throws(InputFailure) {
    let body = try RenderBody.decode(json).body
    var problems: [InputProblem] = []
    var message: Message?
    var arguments: Arguments?
    do throws(MessageFaults) {
      let inline = try Message(json: body.message, at: "/message")
      message = inline
      arguments = try Arguments(json: body.arguments, for: inline)
    } catch {
      problems = error.problems.map {
        InputProblem(pointer: $0.pointer, code: $0.code, detail: $0.detail)
      }
    }
    guard let message, let arguments else { throw InputFailure(problems) }
    self.message = message
    self.arguments = arguments
    installationID = body.installationID
    options.localization = body.localization
    options.explain = body.explain
  }
}

/// The fields of the body, the message and its arguments still JSON.
private struct RenderBody: RequestBody {
  static var policy: FieldPolicy { .strict }

  var message: JSONValue
  var arguments: JSONValue?
  var installationID: InstallationID
  var localization: Rendering.LocalizationPreference
  var explain: Bool

  init?(reading fields: FieldReader) {
    let message = fields.required(fields.json("message"), "message")
    arguments = fields.json("arguments").value
    let to = fields.required(
      fields.object("to") { fields in
        fields.required(fields.installationID("installation"), "installation")
      }, "to")
    localization = fields.word("localization").value ?? .auto
    explain = fields.flag("explain").value ?? false
    fields.only(["requests"], "shape")
    fields.only(["apns"], "credential")
    if case .string? = message {
      fields.refuse(
        .unknownValue, at: "message", "There are no stored messages; send the message itself.")
    }
    guard let message, let to else { return nil }
    self.message = message
    installationID = to
  }
}

extension FieldReader {
  /// A word of which only some are understood.
  fileprivate func only(_ words: [String], _ name: String) {
    guard let word = text(name, maximum: 64).value, !words.contains(word) else { return }
    refuse(.unknownValue, at: name, "One of: \(words.joined(separator: ", ")).")
  }
}
