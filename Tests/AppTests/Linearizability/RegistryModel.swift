import DeviceProfile
import HTTP
import JSON
import Postgres

@testable import App
@testable import Registry

/// The registry as a client alone would see it: `Registration.decide` and `FeedbackDecision` on
/// what is stored, without a database and without anyone else.
///
/// What is not modelled, and so kept out of the histories or taken as it comes:
/// - Time. All reports arrive at one moment, so no day ends. Times in
///   answers are not compared. Whether an installation was there when its token was taken is
///   compared by the service with times of arrival: of calls that overlap, either may be earlier.
/// - Breakers of feedback, which are about many tokens: they are closed by hand.
/// - Whether feedback of just now is older than a report of just now: ``FeedbackPart``.
/// - Whether a report that is refused for what is in it is older than one that changed nothing and
///   is not committed yet. Nothing of it is kept in either case.
/// - Progress: "others were faster" is an answer that is always allowed, and changes nothing.
struct RegistryModel: SequentialModel {
  typealias State = RegistryState
  typealias Operation = RegistryOperation
  typealias Answer = RegistryAnswer

  /// What an operation may lead to.
  struct Outcome {
    var answer: RegistryAnswer
    var state: RegistryState
  }

  /// The names of the installations, by place.
  let ids: [InstallationID]
  /// When each call may have arrived, in nanoseconds, by its number. Without them calls arrive in
  /// the order in which they take effect.
  var arrivals: [Int: ClosedRange<UInt64>] = [:]

  static let now = Timestamp(microseconds: 1_900_000_000_000_000)

  func states(
    after operation: RegistryOperation, in state: RegistryState, answered answer: RegistryAnswer?
  ) -> [RegistryState] {
    if answer?.isOutrun == true { return [state] }
    let outcomes = outcomes(of: operation, in: state)
    guard let answer else {
      return outcomes.map(\.state).filter { $0.installations != state.installations }
    }
    return outcomes.compactMap { $0.state(answered: answer, operation.installation) }
  }

  /// A tag that is told is no change once it is known: no other state has it.
  func changesNothing(_ operation: RegistryOperation, answered answer: RegistryAnswer?) -> Bool {
    switch operation.action {
    case .read: true
    case .feedback(_, .whole): answer.map { !$0.takesToken } ?? false
    case .feedback(_, .take), .feedback(_, .restore): false
    case .report, .delete, .deleteCredential:
      answer.map { $0.status >= 400 || $0.isApplied == false } ?? false
    }
  }

  /// What an operation may lead to in a state; the first is the usual.
  func outcomes(of operation: RegistryOperation, in state: RegistryState) -> [Outcome] {
    if case .feedback(let item, let part) = operation.action {
      return feedback(item, part, operation.number, state)
    }
    let place = operation.installation
    do {
      switch operation.action {
      case .report(let report, let mayCreate):
        return try self.report(report, mayCreate, operation, state)
      case .read:
        let stored = try found(place, state)
        return [Outcome(answer: .init(status: 200, shown: .init(stored)), state: state)]
      case .delete:
        _ = try found(place, state)
        try check(operation.condition, place, state)
        var next = state
        next.delete(at: place)
        return [Outcome(answer: .init(status: 204), state: next)]
      case .deleteCredential(let kind):
        let stored = try found(place, state)
        guard let token = stored.tokenKey(at: CredentialPlace(kind)) else {
          throw Problem(.credentialNotFound, "")
        }
        var next = state
        next.installations[place] = stored.losing([token], at: Self.now)
        return [Outcome(answer: .init(status: 204), state: next)]
      case .feedback: return []
      }
    } catch {
      return [Outcome(answer: .init(refusal: error), state: state)]
    }
  }

  private func found(_ place: Int, _ state: RegistryState) throws -> Installation {
    guard let stored = state.installations[place] else { throw Problem(.installationNotFound, "") }
    return stored
  }

  private func check(
    _ condition: RegistryOperation.Condition, _ place: Int, _ state: RegistryState
  ) throws {
    switch condition {
    case .none, .isLastSeen: return
    case .isNew: if state.installations[place] == nil { return }
    case .has(let tag): if state.isTagged(tag, at: place) { return }
    }
    throw Problem(.versionMismatch, "")
  }

  // MARK: Reports

  private func report(
    _ report: RegistrationReport, _ mayCreate: Bool, _ operation: RegistryOperation,
    _ state: RegistryState
  ) throws -> [Outcome] {
    let place = operation.installation
    let stored = state.installations[place]
    if !mayCreate { _ = try found(place, state) }
    try check(operation.condition, place, state)
    let tokens = Registration.newTokenKeys(stored: stored, report: report)
    return owners(of: tokens, for: place, state).flatMap { owners in
      func outcome(_ report: RegistrationReport) -> Outcome {
        do {
          return try decide(report, on: stored, owners, operation, state)
        } catch {
          return Outcome(answer: .init(refusal: error), state: state)
        }
      }
      let usual = outcome(report)
      guard usual.answer.isApplied == false else { return [usual] }
      var newest = report
      newest.reportedAt = nil
      let other = outcome(newest)
      return other.answer.status < 400 ? [usual] : [usual, other]
    }
  }

  private func decide(
    _ report: RegistrationReport, on stored: Installation?, _ owners: [TokenKey: TokenOwner],
    _ operation: RegistryOperation, _ state: RegistryState
  ) throws -> Outcome {
    let place = operation.installation
    let takesSecret = operation.isFromApp && stored?.secretHash == nil
    let decision = try Registration.decide(
      Registration.Basis(
        appID: 1, id: ids[place], stored: stored, owners: owners,
        holders: holders(of: owners, state), now: Self.now,
        source: operation.isFromApp ? .app : .backend, newSecretHash: takesSecret ? [1] : nil),
      report)
    var next = state
    switch decision.effect {
    case .created, .updated:
      if stored == nil {
        next.create(decision.installation, at: place, by: operation.number)
      } else {
        next.installations[place] = decision.installation
      }
      for id in decision.displaced.keys {
        guard let other = ids.firstIndex(of: id), let loser = state.installations[other] else {
          continue
        }
        next.installations[other] = decision.loss(of: loser).after
      }
      for entry in decision.transition.ledgerEntries {
        note(entry, of: operation, in: &next, from: state)
      }
    case .seen:
      next.installations[place] = decision.installation
      for sighting in decision.sightings { next.installations[place]?.add(sighting) }
    case .stale: break
    }
    return Outcome(
      answer: RegistryAnswer(
        status: decision.effect == .created ? 201 : 200, shown: .init(decision.installation),
        isApplied: decision.effect != .stale), state: next)
  }

  // MARK: Feedback

  private func feedback(
    _ item: FeedbackItem, _ part: FeedbackPart, _ number: Int, _ state: RegistryState
  ) -> [Outcome] {
    // Its own moment, behind all reports: so it knows its work again.
    let now = Timestamp(microseconds: Self.now.microseconds + 1 + Int64(number))
    if part == .restore { return [restoration(of: number, at: now, state)] }
    let holders = state.installations.enumerated().flatMap { place, installation in
      (installation?.tokenKeys ?? []).filter { $0.token == item.token }.map { (place, $0) }
    }
    var tokenState = FeedbackDecision.TokenState(held: Set(holders.map(\.1)), now: now)
    var taken: RegistryState?
    if let (place, key) = holders.first(where: { item.concerns($0.1) }),
      let holder = state.installations[place]
    {
      tokenState.key = key
      let places = holder.places(of: key)
      tokenState.credential = holder.credential(key)
      if let status = FeedbackDecision(item, tokenState).status {
        var next = state
        next.installations[place] = holder.revised(at: now) {
          for place in places {
            $0.credentials[place]?.takeOutOfUse(as: status, reason: item.storedReason, at: now)
          }
        }
        taken = next
      }
    }
    if part == .whole {
      let answer = RegistryAnswer(FeedbackDecision(item, tokenState))
      return [Outcome(answer: answer, state: taken ?? state)]
    }
    let ignored = RegistryAnswer(FeedbackDecision(.ignoredNewerRegistration))
    let isOver = state.restored.contains(number)
    return ([state] + [isOver ? nil : taken].compactMap { $0 }).map {
      Outcome(answer: ignored, state: $0)
    }
  }

  private func restoration(of number: Int, at now: Timestamp, _ state: RegistryState) -> Outcome {
    var next = state
    next.restored.insert(number)
    for (place, installation) in state.installations.enumerated() {
      guard let installation else { continue }
      let taken = installation.credentials.filter { $0.value.invalidatedAt == now }.map(\.place)
      guard !taken.isEmpty else { continue }
      next.installations[place] = installation.revised(at: now) {
        for place in taken { $0.credentials[place]?.restore() }
      }
    }
    return Outcome(
      answer: RegistryAnswer(FeedbackDecision(.ignoredNewerRegistration)), state: next)
  }
}

extension RegistryModel.Outcome {
  /// The state behind the outcome, if the answer is the one that belongs to it; with the tag that
  /// the answer tells.
  fileprivate func state(answered told: RegistryAnswer, _ place: Int) -> RegistryState? {
    guard told.foretold == answer else { return nil }
    return told.shown == nil ? state : state.telling(told.tag, at: place)
  }
}

extension RegistryAnswer {
  init(refusal error: any Error) {
    let problem = Problem(error)
    self.init(status: problem.kind.status.code, code: problem.kind.code)
  }

  /// Why a token is unknown is looked up beside it, and told as it was found.
  init(_ decision: FeedbackDecision) {
    let detail = decision.effect == .noAction ? decision.detail?.rawValue : nil
    self.init(
      status: 200,
      decision: [decision.effect.rawValue, detail].compactMap { $0 }.joined(separator: " "))
  }
}
