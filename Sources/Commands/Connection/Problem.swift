internal import JSON

/// An answer that is no success, as people read it.
struct Problem: Equatable {
  let status: Int
  let code: String?
  let title: String
  let detail: String
  /// What is wrong with the input.
  let errors: [Fault]

  /// One thing that is wrong with the input.
  struct Fault: Equatable {
    let place: String
    let detail: String
    let code: String

    var before: String { place.isEmpty ? "" : "\(place): " }
  }

  /// Reads `application/problem+json` (RFC 9457), or whatever else came.
  init(status: Int, body: [UInt8]) { self.init(status: status, JSONValue(parsing: body)) }

  /// Reads one that ends a stream, whose status was sent long before.
  init(_ json: JSONValue) {
    if case .integer(let status)? = json["status"] {
      self.init(status: Int(clamping: status), json)
    } else {
      self.init(status: 503, json)
    }
  }

  private init(status: Int, _ json: JSONValue?) {
    self.status = status
    code = json?["code"]?.text
    detail = json?["detail"]?.text ?? json?["title"]?.text ?? "The answer was \(status)."
    title = json?["title"]?.text.map { "\($0)." } ?? detail
    errors = (json?["errors"]?.elements ?? []).map { error in
      Fault(
        place: error["pointer"]?.text ?? "", detail: error["detail"]?.text ?? "",
        code: error["code"]?.text ?? "")
    }
  }

  /// The end that a command comes to: a line, and one for each fault when there are several.
  var exit: Exit {
    var lines: [String]
    if let fault = errors.first, errors.count == 1 {
      // The sentence of the whole says at least as much as that of its only fault.
      let words = detail.contains(fault.detail) ? detail : fault.detail
      lines = ["postilion: \(fault.before)\(words) [\(fault.code)]"]
    } else {
      let sentence = errors.isEmpty ? detail : title
      lines = ["postilion: \(sentence)\(code.map { " [\($0)]" } ?? "")\(hint)"]
      lines += errors.map { "  \($0.before)\($0.detail) [\($0.code)]" }
    }
    return Exit(code: exitCode, line: lines.map(Printable.line).joined(separator: "\n"))
  }

  private var hint: String {
    switch status {
    case 401: " Give one by POSTILION_KEY, --key-file or a profile."
    case 403 where code == "key_kind_forbidden": " postilion key create makes one of another kind."
    default: ""
    }
  }

  private var exitCode: Int32 {
    switch status {
    case 401, 403: ExitCode.noPermission
    case 404: ExitCode.noInput
    case 408, 409, 429, 503: ExitCode.temporary
    case 412: ExitCode.cannotCreate
    case 400..<500: ExitCode.data
    default: ExitCode.unavailable
    }
  }
}
