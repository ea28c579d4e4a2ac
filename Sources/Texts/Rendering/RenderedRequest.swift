public import APNs
public import JSON

/// Something that a sender should know about a rendered request.
public struct RenderProblem: Sendable, Hashable {
  /// Stable, machine-readable, `snake_case`.
  public var code: String
  /// What it happened to: a localization, a key, a number. Never the text of a message.
  public var detail: String
  /// Which text of the alert it concerns; nil for the request as a whole.
  public var part: AlertPart?
}

/// Why a device must not get a request.
public struct RenderRefusal: Sendable, Hashable {
  /// The reason, by itself.
  public enum Cause: Sendable, CaseIterable {
    /// The payload has more bytes than APNs takes.
    case payloadTooLarge
    /// There is no text, badge or sound.
    case nothingToShow
    /// A parameter has no argument, no default, and no attribute of the device.
    case missingArgument
  }

  public var cause: Cause
  /// The same detail as in the problem: the bytes, the name of the parameter.
  public var detail: String
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

/// What all devices in the same circumstances get: a request but for its recipient and its id.
public struct RenderedContent: Sendable, Hashable {
  /// The header fields, without an `apns-id`.
  public var headers: RequestHeaders
  /// The body's bytes, UTF-8 JSON.
  public var payload: [UInt8]
  /// How the text got in.
  public var mode: Mode
  /// The localization used; nil when there was no text to localize.
  public var language: String?
  /// What a sender should know.
  public var problems: [RenderProblem]
  /// Why it must not be sent; nil when it may. ``problems`` has it, too.
  public var refusal: RenderRefusal?
  /// How it came about; nil unless asked for.
  public var explanation: RenderExplanation?
  /// The gaps in the payload; nil when all arguments are known.
  public var gaps: [JSONGap]?
  /// Whether other words in the gaps would make another content. Example: a longer word, and a text
  /// has to be cut.
  public var dependsOnWords = false

  /// Whether a text comes from the catalog of another build.
  public var usesNearestCatalog: Bool {
    problems.contains { $0.code == RenderProblem.nearestCatalogUsed }
  }

  /// Hashes the payload's bytes in one call, where an array would hash them one by one. The other
  /// members are left out: if the payload is the same, they seldom differ.
  public func hash(into hasher: inout Hasher) {
    payload.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension RenderProblem {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("code", code)
      writer.member("detail", detail)
      if let part { writer.member("part", part.rawValue) }
    }
  }
}

extension RenderExplanation {
  func write(to writer: inout JSONWriter) {
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
