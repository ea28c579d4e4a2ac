import FoundationEssentials
import HTTP

/// What happens to a field that the contract does not know, and to secondary data that cannot be
/// read.
enum FieldPolicy: Sendable {
  /// It is an error: a backend's typo is not silently lost.
  case strict
  /// It is left out and listed in the answer: a client never loses a token over it.
  case lenient
}

/// A JSON object that a client sends, read field by field.
protocol RequestBody: Sendable {
  /// How the fields it does not know are treated.
  static var policy: FieldPolicy { get }
  /// Reads all fields; faults go to the reader. `nil` only after it noted at least one.
  init?(reading fields: FieldReader)
}

/// A body and what was left out of it.
struct Decoded<Body: Sendable>: Sendable {
  /// What the client sent.
  var body: Body
  /// The parts that were left out, under ``FieldPolicy/lenient``.
  var ignored: [InputProblem]
}

extension RequestBody {
  /// Reads a body from JSON text.
  /// - Throws: ``InputFailure`` with all faults found, or the one that it is no JSON. Nesting
  ///   deeper than 512 levels counts as no JSON (the bound of Foundation's decoder).
  static func decode(_ json: [UInt8]) throws(InputFailure) -> Decoded<Self> {
    let root: Root<Self>
    do {
      root = try jsonDecoder.decode(Root<Self>.self, from: Data(json))
    } catch DecodingError.typeMismatch {
      throw InputFailure([InputFault.wrongType.problem(at: "", "The body is a JSON object.")])
    } catch DecodingError.valueNotFound {
      throw InputFailure([InputFault.wrongType.problem(at: "", "The body is a JSON object.")])
    } catch {
      let detail = "The body is not JSON in UTF-8, or is nested too deeply."
      throw InputFailure([InputFault.malformedJSON.problem(at: "", detail)])
    }
    guard let body = root.body, root.findings.problems.isEmpty else {
      throw InputFailure(root.findings.problems)
    }
    return Decoded(body: body, ignored: root.findings.ignored)
  }
}

/// The decoder has no state of its own between calls, so one serves all threads.
private let jsonDecoder = JSONDecoder()

/// Carries the reader through `Decodable`.
private struct Root<Body: RequestBody>: Decodable {
  let body: Body?
  let findings: Findings

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldName.self)
    findings = Findings(policy: Body.policy)
    let fields = FieldReader(container, at: "", findings: findings)
    body = Body(reading: fields)
    fields.finish()
    if findings.isMalformed {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
    }
  }
}

/// What the readers of one body found, shared by those of its nested objects.
final class Findings {
  let policy: FieldPolicy
  /// Faults that refuse the body.
  private(set) var problems: [InputProblem] = []
  /// Parts that were left out.
  private(set) var ignored: [InputProblem] = []
  /// A text inside turned out to be no JSON string: Foundation reads strings only when asked.
  var isMalformed = false

  init(policy: FieldPolicy) { self.policy = policy }

  /// Notes a fault that refuses the body.
  func refuse(_ problem: InputProblem) {
    if problems.count < Limits.inputProblems { problems.append(problem) }
  }

  /// Notes secondary data that cannot be taken: left out for clients, refused for backends.
  func leaveOut(_ problem: InputProblem) {
    switch policy {
    case .strict: refuse(problem)
    case .lenient: if ignored.count < Limits.inputProblems { ignored.append(problem) }
    }
  }
}

/// Any name of a JSON object.
struct FieldName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
