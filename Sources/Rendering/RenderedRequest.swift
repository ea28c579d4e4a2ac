public import APNs
public import JSON

/// Something that a sender should know about a rendered request.
public struct RenderProblem: Sendable, Hashable, Codable {
  /// Stable, machine-readable, `snake_case`.
  public var code: String
  /// What it happened to: a localization, a key, a number. Never the text of a message.
  public var detail: String
  /// Which text of the alert it concerns; nil for the request as a whole.
  public var part: AlertPart?

  /// A problem.
  public init(code: String, detail: String, part: AlertPart? = nil) {
    self.code = code
    self.detail = detail
    self.part = part
  }
}

/// How the mode and the language of a request came about.
public struct RenderExplanation: Sendable, Hashable {
  /// Why the mode was chosen.
  public var mode: ModeReason
  /// The tests of the choice in their order, the deciding one last.
  public var tests: [ModeTest]
  /// The device's languages, best first.
  public var preferred: [String]
  /// The localizations there were to choose from.
  public var available: [String]
  /// The localization that was used; nil when there was no text to localize.
  public var chosen: String?
}

/// The finished APNs request for one device.
public struct RenderedRequest: Sendable, Hashable {
  /// The installation's id; nil when the caller named a bare token.
  public var installationID: String?
  /// The device token, lowercase hexadecimal.
  public var token: String
  /// Where the token is valid.
  public var environment: Device.Environment
  /// The header fields.
  public var headers: RequestHeaders
  /// The body's bytes, UTF-8 JSON.
  public var payload: [UInt8]
  /// How the text got in.
  public var mode: Mode
  /// The localization used; nil when there was no text to localize.
  public var language: String?
  /// What a sender should know.
  public var problems: [RenderProblem]
  /// How it came about; nil unless asked for.
  public var explanation: RenderExplanation?

  /// The request's `:path`.
  public var path: String { RequestHeaders.path(token: token) }

  /// Writes the JSON of the HTTP contract ("Rendering"), the payload as JSON in its place.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let installationID { writer.member("installation_id", installationID) }
      writer.member("token", token)
      writer.member("environment", environment.rawValue)
      writer.member("path", path)
      writer.key("headers")
      writer.object { writer in
        for (name, value) in headers.fields { writer.member(name, value) }
      }
      writer.key("payload")
      writer.raw(payload)
      writer.key("payload_bytes")
      writer.integer(Int64(payload.count))
      writer.member("mode", mode.rawValue)
      writer.member("language", language)
      writer.key("problems")
      writer.array(problems) { $1.write(to: &$0) }
      if let explanation {
        writer.key("explain")
        explanation.write(to: &writer)
      }
    }
  }
}

extension RenderProblem {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("code", code)
      writer.member("detail", detail)
      if let part { writer.member("part", part.rawValue) }
    }
  }
}

extension RenderExplanation {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("mode", mode.rawValue)
      writer.key("tests")
      writer.array(tests) { writer, test in
        writer.object { writer in
          writer.member("test", test.test.rawValue)
          writer.key("passed")
          writer.bool(test.passed)
          writer.member("saw", test.saw)
        }
      }
      writer.key("language")
      writer.object { writer in
        writer.member("preferred", preferred)
        writer.member("available", available)
        writer.member("chosen", chosen)
      }
    }
  }
}
