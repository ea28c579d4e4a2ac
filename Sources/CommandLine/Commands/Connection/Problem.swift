internal import ASCII
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

    /// A sentence behind its place, which stands there once: `/to/limit` and `limit is a number.`
    /// are `/to/limit is a number.`
    func sentence(_ words: String) -> String {
      if place.isEmpty { return words }
      let name = place[(place.lastIndex(of: "/").map(place.index(after:)) ?? place.startIndex)...]
      return words.hasPrefix("\(name) ")
        ? place[..<name.startIndex] + words : "\(place): \(words)"
    }

    /// Place, sentence and code.
    var line: String { "\(sentence(detail)) [\(code)]" }
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
    errors = (json?["errors"]?.elements ?? []).map(Fault.init)
  }

  /// The end that a command comes to: a line, and one for each fault when there are several.
  var exit: Exit {
    var lines: [String]
    if let fault = errors.first, errors.count == 1 {
      // The sentence of the whole says at least as much as that of its only fault.
      let words = detail.contains(fault.detail) ? detail : fault.detail
      lines = ["postilion: \(fault.sentence(words)) [\(fault.code)]"]
    } else {
      let sentence = errors.isEmpty ? detail : title
      lines = ["postilion: \(sentence)\(code.map { " [\($0)]" } ?? "")\(hint)"]
      lines += errors.map { "  \($0.line)" }
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
    // Of those that stand against the state only `conflict` passes with time: a dead token, a
    // quota of catalogs and the last root key stay as they are.
    case 409 where code.map { !$0.isSpelled(like: "conflict") } ?? false: ExitCode.data
    case 408, 409, 423, 425, 429, 503: ExitCode.temporary
    case 412: ExitCode.cannotCreate
    case 400..<500: ExitCode.data
    default: ExitCode.unavailable
    }
  }
}

extension Problem.Fault {
  /// An entry of `errors`, or of the lists of an import.
  init(_ json: JSONValue) {
    self.init(
      place: json["pointer"]?.text ?? "", detail: json["detail"]?.text ?? "",
      code: json["code"]?.text ?? "")
  }
}
