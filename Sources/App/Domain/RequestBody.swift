import Foundation
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
  ///
  /// `JSONSerialization`, because it reads the whole text at once: with `JSONDecoder` a keyed
  /// container for arbitrary names took 40 µs for a typical report, this takes half of it, and
  /// a fault costs no thrown error. Nesting deeper than its 512 levels counts as no JSON.
  /// - Throws: ``InputFailure`` with all faults found, or the one that it is no JSON.
  static func decode(_ json: [UInt8]) throws(InputFailure) -> Decoded<Self> {
    guard
      let value = try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed),
      !json.hasTrailingComma
    else {
      let detail = "The body is not JSON in UTF-8, or is nested too deeply."
      throw InputFailure([InputFault.malformedJSON.problem(at: "", detail)])
    }
    guard let object = value as? [String: Any] else {
      throw InputFailure([InputFault.wrongType.problem(at: "", "The body is a JSON object.")])
    }
    let findings = Findings(policy: policy)
    let fields = FieldReader(object, at: "", findings: findings)
    let body = Self(reading: fields)
    fields.finish()
    guard let body, findings.problems.isEmpty else { throw InputFailure(findings.problems) }
    return Decoded(body: body, ignored: findings.ignored)
  }
}

/// What the readers of one body found, shared by those of its nested objects.
final class Findings {
  let policy: FieldPolicy
  /// Faults that refuse the body.
  private(set) var problems: [InputProblem] = []
  /// Parts that were left out.
  private(set) var ignored: [InputProblem] = []

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
