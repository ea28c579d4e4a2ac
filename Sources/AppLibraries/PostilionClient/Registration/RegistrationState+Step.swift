import Foundation

/// What has to be sent, and what may be.
extension RegistrationState {
  /// What comes next.
  enum Step: Equatable {
    case send(ClientRequest)
    /// Nothing before a pause of so many seconds is over.
    case wait(TimeInterval)
    /// Nothing until the app tells something.
    case rest
  }

  /// What comes next.
  /// - Parameters:
  ///   - interval: After how many seconds an unchanged registration is reported again.
  ///   - waitsForOptIn: Whether nothing is sent before the person's first choice.
  func next(at now: Date, interval: TimeInterval, waitsForOptIn: Bool = false) -> Step {
    guard let installation, maySpeak(waitsForOptIn: waitsForOptIn) else { return .rest }
    let interval = max(interval, Self.shortestInterval)
    guard let purpose = purpose(at: now, interval: interval) else {
      guard let recheckAt, !mustRecheck(at: now) else { return .rest }
      return .wait(recheckAt.timeIntervalSince(now))
    }
    if let pause = retry.pause(at: now) { return .wait(pause) }
    return .send(request(purpose, installation))
  }

  /// Whether anything may be sent at all, be it a removal.
  func maySpeak(waitsForOptIn: Bool) -> Bool { hasChosen || !waitsForOptIn }

  /// Whether reports may be sent.
  func maySend(waitsForOptIn: Bool) -> Bool {
    isOptedIn && maySpeak(waitsForOptIn: waitsForOptIn)
  }

  /// Whether the person has chosen that.
  func hasChosen(isIn: Bool) -> Bool { hasChosen && isOptedIn == isIn }

  /// Whether the server has done what the person chose.
  var isChoiceDone: Bool { isOptedIn ? confirmed != nil : !mayExist }

  func mustRecheck(at now: Date) -> Bool {
    guard let pause = recheckAt?.timeIntervalSince(now) else { return false }
    return pause <= 0 || pause > Self.recheckPause
  }

  private func purpose(at now: Date, interval: TimeInterval) -> ClientRequest.Purpose? {
    guard isOptedIn else {
      let isRefused = refused == ReportFields() && !isOver(refusedAt, at: now, interval)
      return mayExist && !isRefused || mustRecheck(at: now) ? .removal : nil
    }
    if hasBegun, let report = report(at: now, interval: interval) { return report }
    return failures.first.map { .failure($0.id) }
  }

  private func isOver(_ date: Date?, at now: Date, _ interval: TimeInterval) -> Bool {
    // A clock that was set back must not put it off for years.
    date.map { abs(now.timeIntervalSince($0)) >= interval } ?? true
  }

  private func report(at now: Date, interval: TimeInterval) -> ClientRequest.Purpose? {
    var wanted = wanted
    // Whom the server did not take is not named again without a new proof; nor does anybody else
    // stay on the device.
    if let unproven, unproven == wanted[.user]?["id"]?.string { wanted[.user] = .null }
    var fields = wanted
    var isWhole = true
    if let confirmed, !isOver(confirmedAt, at: now, interval), !mustRecheck(at: now) {
      isWhole = false
      fields = wanted.differing(from: confirmed)
      fields.values = fields.values.filter { leftOut.values[$0.key] != $0.value }
      if fields[.environment] != nil {
        // The tokens are of one environment: the server wants all of them with a new one.
        fields.values.merge(wanted.credentials.values) { $1 }
        for field in ReportField.toldAtLaunch { fields[field] = wanted[field] ?? .null }
      }
    } else {
      fields.values = fields.values.filter { !isKept($0.key) }
    }
    // The last person's go first.
    for field in ReportField.shared where fields[field] == .null { fields.forgetNames(of: field) }
    fields = fields.bounded
    let isRefused = fields == refused && !isOver(refusedAt, at: now, interval)
    guard !fields.values.isEmpty, !isRefused else { return nil }
    return .report(fields, isWhole: isWhole, at: reportTime(at: now))
  }

  /// Whether a whole report says nothing of a token: the server has it, and the system did not tell
  /// it again in this process. It may be dead meanwhile, and a report would bring it back into use.
  /// With another environment the server wants all of them.
  ///
  /// It says nothing of tags and attributes, too: what differs comes with the next report. Nor of a
  /// sign-out that the server has: meanwhile a backend may have named somebody.
  func isKept(_ place: ReportPlace) -> Bool {
    if ReportField.shared.contains(place.field) { return place.name != nil }
    if place.field == .user, wanted[.user] == .null, confirmed?[.user] == .null { return true }
    guard let confirmed, place.field.isToldOnChange, !told.places.contains(place),
      wanted.values[place] != .null
    else { return false }
    let environment = wanted[.environment]
    return confirmed.values[place] == wanted.values[place]
      && confirmed[.environment] ?? environment == environment
  }

  /// The time of a report: by the server's clock as far as it is known, and later than the last.
  private func reportTime(at now: Date) -> Date {
    let time = now.addingTimeInterval(-clockLead)
    return max(time, lastReportTime?.addingTimeInterval(0.001) ?? time)
  }

  private func request(_ purpose: ClientRequest.Purpose, _ installation: UUID) -> ClientRequest {
    let path = "installations/\(installation.uuidString.lowercased())"
    switch purpose {
    case .removal: return ClientRequest(method: .delete, path: path, body: nil, purpose: purpose)
    case .failure(let id):
      let failure = failures.first { $0.id == id }
      return ClientRequest(
        method: .post, path: "failures", body: failure?.report(installation: installation, wanted),
        purpose: purpose)
    case .report(let fields, let isWhole, let time):
      var body = fields.report
      body["reported_at"] = .string(ServerTime.text(time))
      if case .object(var user)? = body["user"], let proof {
        user["token"] = .string(proof)
        body["user"] = .object(user)
      }
      return ClientRequest(
        method: isWhole ? .put : .patch, path: path, body: body, purpose: purpose)
    }
  }
}
