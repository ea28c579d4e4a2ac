/// What happens to a field that the contract does not know, and to secondary data that cannot be
/// read.
public enum FieldPolicy: Sendable {
  /// It is an error: a backend's typo is not silently lost.
  case strict
  /// It is left out and listed in the answer: a client never loses a token over it.
  case lenient
}

/// The faults that the readers of one input note, shared by those of its nested objects.
public final class InputProblems {
  let policy: FieldPolicy
  /// Faults that refuse the input, at most ``InputLimits/problems``.
  public private(set) var refusing: [InputProblem] = []
  /// Parts that were left out, as many at most.
  private(set) var ignored: [InputProblem] = []

  init(policy: FieldPolicy) { self.policy = policy }

  /// How many faults are noted.
  public var count: Int { refusing.count + ignored.count }

  /// Notes a fault that refuses the input.
  func refuse(_ problem: InputProblem) {
    if refusing.count < InputLimits.problems { refusing.append(problem) }
  }

  /// Notes secondary data that cannot be taken: left out for clients, refused for backends.
  func leaveOut(_ problem: InputProblem) {
    switch policy {
    case .strict: refuse(problem)
    case .lenient: if ignored.count < InputLimits.problems { ignored.append(problem) }
    }
  }
}

/// An input and what was left out of it.
public struct Decoded<Body> {
  /// What was read.
  public var body: Body
  /// The parts that were left out, under ``FieldPolicy/lenient``.
  public var ignored: [InputProblem]
}

extension Decoded: Sendable where Body: Sendable {}

extension JSONValue {
  /// Reads an object, and tells all faults at once.
  ///
  /// - Parameters:
  ///   - policy: what becomes of fields that nobody asks for.
  ///   - read: takes the fields; `nil` only after it noted at least one fault.
  /// - Throws: ``InputFailure`` with all faults found.
  public func read<Body>(
    _ policy: FieldPolicy = .strict, _ read: (FieldReader) -> Body?
  ) throws(InputFailure) -> Decoded<Body> {
    let problems = InputProblems(policy: policy)
    let body = FieldReader.read(self, at: "", problems, read)
    guard let body, problems.refusing.isEmpty else { throw InputFailure(problems.refusing) }
    return Decoded(body: body, ignored: problems.ignored)
  }
}
