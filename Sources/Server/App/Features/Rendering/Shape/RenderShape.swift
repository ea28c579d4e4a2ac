internal import HTTP
internal import JSON
internal import Rendering

/// What a line of an answer is.
enum RenderShape: Sendable, Hashable {
  /// One finished request per device.
  case requests(PayloadForm)
  /// Each distinct payload with the tokens that get it.
  case groups(PayloadForm)
  /// Bodies of gorush's `/api/push`, each a payload with the tokens that get it.
  case gorush
  /// The `.apns` file of each distinct payload, for `xcrun simctl push`.
  case simulator

  /// The names of the shapes in JSON.
  fileprivate enum Name: String, CaseIterable {
    case requests, groups, gorush, simulator
  }
}

extension FieldReader {
  /// The fields `shape` and `payload_form`.
  func renderShape() -> RenderShape {
    let name = word("shape", of: RenderShape.Name.self).value ?? .requests
    let form: PayloadForm = word("payload_form").value ?? .json
    switch name {
    case .requests: return .requests(form)
    case .groups: return .groups(form)
    case .gorush, .simulator:
      if form != .json {
        refuse(
          .unknownValue, at: "payload_form",
          "The shape `\(name.rawValue)` has a file of its own form; only `json` goes with it.")
      }
      return name == .gorush ? .gorush : .simulator
    }
  }
}

extension RenderShape {
  /// The form in which its lines carry payloads.
  var payloadForm: PayloadForm {
    switch self {
    case .requests(let form), .groups(let form): form
    case .gorush, .simulator: .json
    }
  }

  func writer(_ ids: RandomIDs) -> any DeliveryWriter {
    switch self {
    case .requests: RequestWriter(ids)
    case .groups(let form): GroupWriter { GroupTemplate.group($0, $1, form) }
    case .gorush: GroupWriter(GroupTemplate.gorush)
    case .simulator: SimulatorWriter()
    }
  }
}

/// How an answer holds its lines.
enum AnswerForm: Sendable {
  /// The one request, for the one device that is asked for.
  case object
  /// A line for each request, and a last line with the summary.
  case lines
  /// All requests in `{"items": […], "summary": {…}}`, for clients that take only JSON.
  case document

  /// The form that the client prefers. Without a preference one device is an object, and more
  /// devices are lines.
  init(_ request: Request, isForOne isOne: Bool) {
    let (json, lines) = ("application/json", "application/x-ndjson")
    let preferred = MediaType.preferred(
      accept: request.head.header("accept"), among: isOne ? [json, lines] : [lines, json])
    let isLines = preferred.map { $0 == lines } ?? !isOne
    self = isLines ? .lines : isOne ? .object : .document
  }

  /// The media type of a streamed answer.
  var contentType: String { self == .lines ? "application/x-ndjson" : "application/json" }

  /// The bytes before the first line.
  var opening: [UInt8] { self == .document ? Array("{\"items\":[".utf8) : [] }

  /// The last line.
  func ending(_ name: String, _ json: [UInt8]) -> [UInt8] {
    (self == .document ? Array("],\"".utf8) : Array("{\"".utf8)) + Array(name.utf8)
      + Array("\":".utf8) + json + Array("}\n".utf8)
  }
}
