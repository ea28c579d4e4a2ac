import Foundation

/// The registration as a value: what the app wants, what the server has confirmed, and what has to
/// be sent for the two to be the same.
///
/// Nothing is queued: only the last wish counts. A field counts as confirmed only while nothing
/// about it is under way, so that a process may end at any point, and an answer may be lost.
struct RegistrationState: Codable, Hashable, Sendable {
  /// Whose state it is; `nil` before the first launch.
  private(set) var installation: UUID?
  /// The server and the app on it that the rest is about.
  private(set) var place: String?
  /// What the app wants the server to know.
  private(set) var wanted = ReportFields()
  /// The languages of the system, in the order of the person's preference.
  private(set) var systemLanguages: [String] = []
  /// The language that the person chose in the app.
  private(set) var chosenLanguage: String?
  /// The proof of the person, as long as the server has not seen it.
  private(set) var proof: String?
  /// The person whom the server did not take, for want of a proof.
  private(set) var unproven: String?
  /// Whether anything was told that is worth an installation.
  private(set) var hasBegun = false
  /// Whether the app wants an installation at all.
  private(set) var isOptedIn = true
  /// Whether the person has chosen that, in or out.
  private(set) var hasChosen = false
  /// What the server has confirmed; `nil` when nothing is known of an installation there.
  private(set) var confirmed: ReportFields?
  /// Whether the server may have an installation.
  private(set) var mayExist = false
  /// When the server last confirmed a whole report.
  private(set) var confirmedAt: Date?
  /// The time of the last report: later ones have later times, whatever the clock does.
  private(set) var lastReportTime: Date?
  /// The time of the report before that.
  private(set) var priorReportTime: Date?
  /// How far the clock of the device is ahead of the server's.
  private(set) var clockLead: TimeInterval = 0
  /// When the request went out whose answer is not there yet.
  private(set) var sentAt: Date?
  /// When the server made the installation, as it says so itself; `nil` if it is not known.
  private(set) var createdAt: String?
  /// When to report everything once more: a request without an answer may arrive behind the one
  /// that followed it, and undo it.
  private(set) var recheckAt: Date?
  /// A report that the server refused, or an empty one for a removal; the same is not sent again
  /// before the next day.
  private(set) var refused: ReportFields?
  private(set) var refusedAt: Date?
  /// What the server left out of reports since the last whole one. It is not sent again before the
  /// next.
  private(set) var leftOut = ReportFields()
  /// Failures that the server has not confirmed, oldest first.
  private(set) var failures: [FailureReport] = []
  private(set) var retry = RetrySchedule()
  /// When the server last confirmed a report, whole or not.
  private(set) var reportedAt: Date?
  /// What went wrong last.
  private(set) var lastProblem: PostilionProblem?
  /// What was told in this process.
  private(set) var told = ToldPlaces()

  /// What is stored: all but what is of this process alone.
  private enum CodingKeys: String, CodingKey {
    case installation, place, wanted, systemLanguages, chosenLanguage, proof, unproven, hasBegun
    case isOptedIn, hasChosen, confirmed, mayExist, confirmedAt, lastReportTime, priorReportTime
    case clockLead, sentAt, recheckAt, refused, refusedAt, failures, retry, reportedAt, lastProblem
    case createdAt, leftOut
  }

  /// The state of an installation that was never launched.
  init() {}

  /// Reads what any release has stored. A member that is missing or cannot be read has the value of
  /// a new installation; nothing else of the state is lost.
  init(from decoder: any Decoder) throws {
    let state = try decoder.container(keyedBy: CodingKeys.self)
    installation = state.stored(.installation, or: nil)
    place = state.stored(.place, or: nil)
    wanted = state.stored(.wanted, or: ReportFields())
    systemLanguages = state.storedList(.systemLanguages)
    chosenLanguage = state.stored(.chosenLanguage, or: nil)
    proof = state.stored(.proof, or: nil)
    unproven = state.stored(.unproven, or: nil)
    hasBegun = state.stored(.hasBegun, or: false)
    isOptedIn = state.stored(.isOptedIn, or: true)
    // Releases without this member were in until an opt-out.
    hasChosen = state.stored(.hasChosen, or: !isOptedIn)
    confirmed = state.stored(.confirmed, or: nil)
    // Better to remove once too often than never.
    mayExist = state.stored(.mayExist, or: true)
    confirmedAt = state.stored(.confirmedAt, or: nil)
    lastReportTime = state.stored(.lastReportTime, or: nil)
    priorReportTime = state.stored(.priorReportTime, or: nil)
    clockLead = state.stored(.clockLead, or: 0)
    sentAt = state.stored(.sentAt, or: nil)
    recheckAt = state.stored(.recheckAt, or: nil)
    refused = state.stored(.refused, or: nil)
    refusedAt = state.stored(.refusedAt, or: nil)
    failures = state.storedList(.failures)
    retry = state.stored(.retry, or: RetrySchedule())
    reportedAt = state.stored(.reportedAt, or: nil)
    lastProblem = state.stored(.lastProblem, or: nil)
    createdAt = state.stored(.createdAt, or: nil)
    leftOut = state.stored(.leftOut, or: ReportFields())
  }

  /// Seconds after which a request without an answer does not arrive any more: longer than the
  /// client and the server wait.
  static let recheckPause: TimeInterval = 150

  /// The shortest interval between two reports of an unchanged installation.
  static let shortestInterval: TimeInterval = 60

  /// Failures that are kept: of one cause there may be one at each launch.
  static let keptFailures = 32

  // MARK: What the app tells

  /// Takes over the identity that is stored. The state of another installation has come here from
  /// another device or an earlier life: its tokens and failures are not ours.
  mutating func adopt(_ identity: InstallationIdentity) {
    guard installation != identity.id else { return }
    guard installation != nil else {
      installation = identity.id
      confirmed = nil
      return
    }
    wanted.values = wanted.values.filter { $0.key.field.credential == nil }
    failures = []
    become(identity)
  }

  /// The person's choice; `nil` before the first.
  var choice: Choice? {
    guard hasChosen else { return nil }
    return isOptedIn ? .optedIn : mayExist ? .optedOut : .removed
  }

  /// Takes over the choice that is stored apart, which wins. Where there is none, that of the state
  /// counts. Where the state is lost, the choice says whether a removal is due.
  mutating func adopt(_ choice: Choice?, isLost: Bool) {
    guard let choice else { return }
    choose(isIn: choice == .optedIn)
    if isLost { mayExist = choice == .optedOut }
  }

  private mutating func choose(isIn: Bool) {
    isOptedIn = isIn
    hasChosen = true
  }

  /// The secret was refused: a new installation takes the place of the old one, tokens and all.
  mutating func renew(_ identity: InstallationIdentity) {
    become(identity)
  }

  /// Turns to the server of a configuration: what another one has confirmed does not count here.
  mutating func turn(to configuration: PostilionConfiguration) {
    let place = "\(configuration.server.absoluteString) \(configuration.app)"
    guard self.place != place else { return }
    if self.place == nil {
      // Of the first release, which did not store it: most likely the same server.
      confirmed = nil
    } else {
      // It may be the same server at another address: an opt-out is due there, too.
      let mayExist = mayExist
      leaveServer()
      self.mayExist = mayExist
    }
    self.place = place
    retry = RetrySchedule()
  }

  private mutating func become(_ identity: InstallationIdentity) {
    leaveServer()
    installation = identity.id
  }

  /// What was sent so far is about something else.
  private mutating func leaveServer() {
    forgetServer()
    sentAt = nil
    recheckAt = nil
  }

  private mutating func forgetServer() {
    confirmed = nil
    confirmedAt = nil
    mayExist = false
    refused = nil
    leftOut = ReportFields()
    lastReportTime = nil
    createdAt = nil
  }

  /// A process begins. The system tells two tokens anew at each launch; those of the last one may
  /// be dead, and are not brought again. The other tokens are kept. A proof may do now that did not
  /// then.
  mutating func launch() {
    told = ToldPlaces()
    for field in ReportField.toldAtLaunch where wanted[field] != .null { wanted[field] = nil }
    unproven = nil
  }

  /// Takes in what the app tells.
  mutating func apply(_ change: RegistrationChange) {
    switch change {
    case .launched(let profile):
      if let known = wanted[.environment], known != profile[.environment] { leaveEnvironment() }
      // An app that does not give its bundle id any more has that of the server's app.
      if wanted[.bundleID] != nil { wanted[.bundleID] = .null }
      take(profile)
      retry.wake()
    case .fields(let fields): take(fields)
    case .tags(let tags, true):
      for tag in tags { wanted.values[ReportPlace(.tags, tag)] = .bool(true) }
    case .tags(let tags, false):
      for tag in tags { removeName(ReportPlace(.tags, tag)) }
    case .credential(let place, let credential):
      told.places.insert(place)
      set(credential, at: place)
      if confirmed?.values[place] != wanted.values[place] { retry.hurry() }
    case .activities(let running, let type):
      for (place, credential) in wanted.values where place.field == .liveActivities {
        guard let name = place.name, !running.contains(name) else { continue }
        if credential["type"]?.string == type { set(.null, at: place) }
      }
    case .signedIn(let user, let proof):
      hasBegun = true
      let named = PayloadValue.object(["id": .string(user)])
      if let former = wanted[.user]?["id"]?.string, former != user { leavePerson() }
      // The person who does this holds the device: it is tried at once.
      if confirmed?[.user] != named { retry.hurry() }
      // Who is named again without a proof keeps the one that the server has not seen.
      if proof != nil || wanted[.user] != named { self.proof = proof }
      wanted[.user] = named
      unproven = nil
    case .signedOut:
      wanted[.user] = .null
      leavePerson()
      proof = nil
      unproven = nil
      retry.hurry()
    case .opted(let isIn):
      choose(isIn: isIn)
      retry.hurry()
    case .language(let language):
      chosenLanguage = language
      setLanguages()
    case .failed(let failure):
      failures.append(failure)
      failures.removeFirst(max(0, failures.count - Self.keptFailures))
      lastProblem = PostilionProblem(
        code: "\(failure.domain) \(failure.code)", date: failure.occurredAt)
    case .woken: retry.wake()
    }
  }

  private mutating func leavePerson() {
    wanted.leavePerson()
    told.hasLeft = true
  }

  private mutating func take(_ fields: ReportFields) {
    for (place, value) in fields.values {
      if place.field == .languages, case .array(let languages) = value {
        systemLanguages = languages.compactMap(\.string)
      } else if ReportField.shared.contains(place.field) {
        setNames(of: place.field, to: .named(value, of: place.field))
      } else {
        wanted.values[place] = value.normal
      }
    }
    setLanguages()
  }

  /// What the app tells is all that it has of a field. Names that a backend has are not its own.
  private mutating func setNames(of field: ReportField, to names: ReportFields) {
    for place in wanted.values.keys where place.field == field && place.name != nil {
      if names.values[place] == nil { removeName(place) }
    }
    wanted.values.merge(names.values) { $1 }
  }

  /// Removes a tag or attribute that the app has set.
  private mutating func removeName(_ place: ReportPlace) {
    if wanted.values[place] != nil { set(.null, at: place) }
  }

  private mutating func set(_ credential: PayloadValue, at place: ReportPlace) {
    if credential != .null {
      hasBegun = true
    } else if place.name != nil, !mayExist {
      // From a server without an installation nothing has to be removed.
      wanted.values.removeValue(forKey: place)
      return
    }
    wanted.values[place] = credential.normal
  }

  /// Takes back the tokens of a build that was signed for another environment: they are no good in
  /// this one.
  private mutating func leaveEnvironment() {
    for field in ReportField.toldAtLaunch { wanted[field] = wanted[field] ?? .null }
    for place in wanted.credentials.values.keys {
      let isKept =
        ReportField.toldAtLaunch.contains(place.field)
        || ReportField.ofProduction.contains(place.field)
      if !isKept { set(.null, at: place) }
    }
  }

  private mutating func setLanguages() {
    let others = systemLanguages.filter { $0 != chosenLanguage }
    let languages = (chosenLanguage.map { [$0] } ?? []) + others
    guard !languages.isEmpty else { return }
    wanted[.languages] = .array(languages.prefix(50).map { .string($0) })
  }

  // MARK: What comes of it

  /// A request is about to go: what it changes is not confirmed until its answer is there. To be
  /// stored before it goes.
  mutating func willSend(_ request: ClientRequest, at now: Date) {
    if case .failure = request.purpose { return }
    told.hasLeft = false
    // That of a process that has ended.
    if sentAt != nil {
      recheckAt = now.addingTimeInterval(Self.recheckPause)
    } else if mustRecheck(at: now) {
      recheckAt = nil
    }
    sentAt = now
    switch request.purpose {
    case .failure: break
    case .removal:
      confirmed = nil
      // Also one that is sent to be sure is due until its answer is there.
      mayExist = true
    case .report(let fields, _, let time):
      mayExist = true
      // Estimated before the last report, the clock was set back: its lead is not known any more.
      if let last = lastReportTime, time.timeIntervalSince(last) < 0.002 { clockLead = 0 }
      priorReportTime = lastReportTime
      lastReportTime = time
      for place in fields.values.keys { confirmed?.values[place] = nil }
      for field in ReportField.shared where fields[field] == .null {
        confirmed?.forgetNames(of: field)
      }
    }
  }

  /// A request has ended.
  /// - Parameter random: Between 0 and 1, for the pause after a failure.
  /// - Returns: What the app should hear of.
  mutating func ended(
    _ request: ClientRequest, _ outcome: RequestOutcome, at now: Date, random: Double
  ) -> [PostilionEvent] {
    var events = take(outcome, of: request, at: now, random: random).map { [$0] } ?? []
    if case .accepted(let answer) = outcome {
      events += answer.leftOut.map { PostilionEvent(.leftOut, code: $0.code, pointer: $0.pointer) }
    }
    for event in events {
      guard let code = event.code else { continue }
      let problem = event.pointer.map { "\(code) \($0)" } ?? code
      lastProblem = PostilionProblem(code: problem, date: now)
    }
    return events
  }

  private mutating func take(
    _ outcome: RequestOutcome, of request: ClientRequest, at now: Date, random: Double
  ) -> PostilionEvent? {
    if case .failure = request.purpose {} else { sentAt = nil }
    switch outcome {
    case .failed(let failure):
      if failure.mayHaveArrived { recheckAt = now.addingTimeInterval(Self.recheckPause) }
      retry.failed(at: now, wish: failure.retryAfter, random: random)
      return PostilionEvent(.waiting, code: failure.detail)
    case .secretRefused:
      // A server that refuses every new installation is not asked without a pause.
      retry.failed(at: now, wish: nil, random: random)
      return PostilionEvent(.waiting, code: "installation_secret_wrong")
    case .unclaimed:
      retry.succeeded()
      // The token comes with the next report, as soon as the system has told it.
      confirmed = nil
      confirmedAt = nil
      refuse(request.purpose, at: now)
      return PostilionEvent(.refused, code: "installation_claim_needed")
    case .missing:
      retry.succeeded()
      confirmed = nil
      confirmedAt = nil
      if request.purpose == .removal { mayExist = false }
      return nil
    case .refused(let problem):
      retry.succeeded()
      refuse(request.purpose, at: now)
      return PostilionEvent(.refused, code: problem)
    case .accepted(let answer):
      retry.succeeded()
      switch request.purpose {
      case .failure(let id):
        failures.removeAll { $0.id == id }
        return nil
      case .removal:
        forgetServer()
        return PostilionEvent(.removed)
      case .report(let fields, let isWhole, let time):
        let sentProof = request.body?["user"]?["token"]?.string
        return reported(fields, isWhole: isWhole, time, answer, sentProof: sentProof, at: now)
      }
    }
  }

  /// Does not send the same once more.
  private mutating func refuse(_ purpose: ClientRequest.Purpose, at now: Date) {
    switch purpose {
    case .failure(let id): failures.removeAll { $0.id == id }
    case .removal:
      // The server still has it.
      refused = ReportFields()
      refusedAt = now
    case .report(let fields, _, _):
      refused = fields
      refusedAt = now
    }
  }

  private mutating func reported(
    _ fields: ReportFields, isWhole: Bool, _ time: Date, _ answer: ReportAnswer,
    sentProof: String?, at now: Date
  ) -> PostilionEvent? {
    guard answer.isApplied else {
      // An earlier report had a later time, as of a clock that was ahead: the next is later still.
      lastReportTime = max(time, answer.reportedAt ?? time)
      return nil
    }
    // Written with milliseconds, a time may come back a little later.
    if let stored = answer.reportedAt,
      stored.timeIntervalSince(priorReportTime ?? .distantPast) > 0.001,
      time.timeIntervalSince(stored) > 0.5
    {
      // The server took a time in the future for its own. (That of a report which changed nothing
      // is not stored: then the answer has the time of the one before.)
      lastReportTime = stored
      clockLead = max(0, now.timeIntervalSince(stored))
    }
    reportedAt = now
    // It may have been made anew by a report whose answer was lost.
    let isAnother = createdAt != nil && answer.createdAt != nil && answer.createdAt != createdAt
    let isNew = answer.isNew || isAnother
    createdAt = answer.createdAt ?? createdAt
    if isWhole || isNew {
      // An installation that was made anew has no more than the report.
      let kept = confirmed?.values.filter { !isNew && isKept($0.key) }
      confirmed = ReportFields(values: kept ?? [:])
      leftOut = ReportFields()
    }
    if isWhole { confirmedAt = now }
    let notTaken = fields.places(at: answer.leftOut.map(\.pointer))
    for (place, value) in fields.values {
      let isLeftOut = notTaken.contains(place)
      confirmed?.values[place] = isLeftOut ? Optional.none : value
      leftOut.values[place] = isLeftOut ? value : Optional.none
    }
    forgetRemoved(fields)
    refused = nil
    // Meanwhile somebody may have signed in with another proof: the answer says nothing of it.
    let isCurrent = wanted[.user] == fields[.user] && proof == sentProof
    if isCurrent { proof = nil }
    let registered = PostilionEvent(.registered)
    guard let code = answer.refusedUser else { return registered }
    confirmed?[.user] = nil
    guard isCurrent, let id = fields[.user]?["id"]?.string else { return registered }
    unproven = id
    return PostilionEvent(.userUnproven, code: code)
  }

  /// Forgets the names that a report has removed, of which there are ever new ones: activities end.
  /// Not while a request without an answer may still arrive and bring one back: all is said once
  /// more then.
  private mutating func forgetRemoved(_ fields: ReportFields) {
    // Said again, it would take what a backend has given since. But of a person who has left since
    // the report went out it is still to be said.
    for field in ReportField.shared where fields[field] == .null {
      if !told.hasLeft { wanted[field] = nil }
      confirmed?[field] = nil
    }
    guard recheckAt == nil else { return }
    for (place, value) in fields.values where place.name != nil && value == .null {
      guard wanted.values[place] == .null else { continue }
      wanted.values[place] = nil
      confirmed?.values[place] = nil
    }
  }
}
