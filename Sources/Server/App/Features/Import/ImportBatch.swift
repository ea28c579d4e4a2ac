import JSON
import Postgres
import Registry

/// The result for a record of an import.
enum RecordResult: Sendable, Hashable {
  /// The installation is new.
  case accepted
  /// The installation existed and changed.
  case updated
  /// The installation is as the record says, or newer.
  case unchanged
  case rejected([InputProblem])

  var isRejected: Bool {
    if case .rejected = self { true } else { false }
  }
}

/// Records of an import, and what they change, decided one after the other: each decision sees the
/// changes by the records before. So a token can go from record to record, and of two records of
/// one installation the newer one counts, or the later one if they have no times.
struct ImportBatch: Sendable {
  /// The change by one or more records of an installation.
  struct Change: Sendable {
    /// The places of the records.
    var places: [Int]
    var content: ChangeSet
  }

  /// The result for each record.
  private(set) var results: [RecordResult] = []
  private(set) var changes: [Change] = []
  /// The index of the last change of each installation.
  private var latest: [InstallationID: Int] = [:]
  /// The installations of the records, and the installations that hold their tokens.
  private var installations: [InstallationID: Installation]
  private var owners: [TokenKey: TokenOwner]
  private let languages: [UserKey: String]
  private let app: AppRecord
  private let now: Timestamp

  /// - Parameters:
  ///   - installations: The stored installations that the records are about.
  ///   - languages: The languages that were chosen for persons.
  init(
    _ installations: [InstallationID: Installation], owners: [TokenKey: TokenOwner],
    languages: [UserKey: String], of app: AppRecord, at now: Timestamp
  ) {
    self.installations = installations
    self.owners = owners
    self.languages = languages
    self.app = app
    self.now = now
  }

  /// Decides on the next record.
  mutating func add(_ record: ImportRecord, firstRevision: () -> Int64) {
    do throws(InputFailure) {
      guard let change = try change(by: record, firstRevision) else {
        results.append(.unchanged)
        return
      }
      results.append(change.isOfNewInstallation ? .accepted : .updated)
      guard !join(change, of: record.id) else { return }
      for transition in change.transitions {
        note(transition)
        if let id = transition.key?.id { latest[id] = changes.count }
      }
      changes.append(Change(places: [results.count - 1], content: change))
    } catch {
      results.append(.rejected(error.problems))
    }
  }

  private func change(
    by record: ImportRecord, _ firstRevision: () -> Int64
  ) throws(InputFailure) -> ChangeSet? {
    try app.checkBundleID(of: record.report)
    let stored = installations[record.id]
    var basis = Registration.Basis(
      appID: app.id, id: record.id, stored: stored, now: now, source: .import)
    if stored == nil { basis.firstRevision = firstRevision() }
    for token in Registration.newTokenKeys(stored: stored, report: record.report) {
      // If the holder of a token is gone, the token is treated as nobody's, like in `Registrar`.
      guard let owner = owners[token], let holder = installations[owner.id] else { continue }
      basis.owners[token] = owner
      basis.holders[owner.id] = holder
    }
    func key(_ user: String) -> UserKey { UserKey(appID: app.id, id: user) }
    let user = record.report.user.applied(to: ReportedUser(id: stored?.userID))?.id
    basis.languageOverride = user.flatMap { languages[key($0)] }
    guard let decision = try ImportDecision.decide(basis, record) else { return nil }
    let newUser = Registration.newUser(stored: stored, report: record.report)
    return ChangeSet(decision, from: basis, newUser: newUser.map(key))
  }

  /// Joins this change with the last change of the installation, unless tokens move. If the joined
  /// change leaves the stored state as it was, both changes are dropped. So a repeated import
  /// changes nothing, even if records of one installation differ.
  /// - Returns: Whether the two changes were joined.
  private mutating func join(_ change: ChangeSet, of id: InstallationID) -> Bool {
    guard let index = latest[id], let first = changes[index].content.transitions.first,
      first.key?.id == id, change.transitions.count == 1, let next = change.transitions.first,
      next.ledgerEntries.isEmpty, var after = next.after
    else { return false }
    changes[index].places.append(results.count - 1)
    guard !after.isSame(as: first.before) else {
      for place in changes[index].places { results[place] = .unchanged }
      changes[index].content = ChangeSet()
      installations[id] = first.before
      latest[id] = nil
      return true
    }
    after.revision = first.after?.revision ?? after.revision
    var joined = first
    joined.after = after
    changes[index].content.transitions[0] = joined
    changes[index].content.takeSightings(of: change)
    installations[id] = after
    return true
  }

  private mutating func note(_ transition: Transition) {
    guard let after = transition.after else { return }
    installations[after.id] = after
    for entry in transition.ledgerEntries { owners[entry.token.key] = entry.nextOwner }
  }

  /// The number of records whose installation meets a condition after the records. Rejected records
  /// do not count.
  func count(_ records: [ImportRecord], _ condition: InstallationCondition) -> Int {
    zip(records, results).count { record, result in
      !result.isRejected && installations[record.id].map { condition.holds(for: $0) } ?? false
    }
  }
}
