import DeviceProfile
import JSON
import Postgres
import Registry

/// Records of one installation with the same tokens, by their places in the batch. They are decided
/// one after the other and make one change together.
typealias ImportGroup = [Int]

/// Groups that can be decided at once, as no two of them have an installation or a token in common.
struct ImportRound: Sendable {
  /// The groups.
  let groups: [ImportGroup]
  /// The records that must wait for them, in their order.
  let rest: [Int]

  /// Takes as many records as possible from those that are left of a batch.
  ///
  ///     A with token 1, B with token 2, A with token 1, C with token 2, C with token 3
  ///     groups    A A, B        C is left, as B has its token
  ///     rest      C C
  init(_ records: [ImportRecord], _ left: [Int]) {
    var groups: [ImportGroup] = []
    var places: [InstallationID: Int] = [:]
    var tokens: Set<DeviceToken> = []
    var rest: [Int] = []
    var restIDs: Set<InstallationID> = []
    var restTokens: Set<DeviceToken> = []
    for index in left {
      let record = records[index]
      let brought = record.report.tokens
      let mustWait = restIDs.contains(record.id) || !restTokens.isDisjoint(with: brought)
      if !mustWait, let place = places[record.id],
        records[groups[place][0]].report.tokens == brought
      {
        groups[place].append(index)
      } else if !mustWait, places[record.id] == nil, tokens.isDisjoint(with: brought) {
        places[record.id] = groups.count
        groups.append([index])
        tokens.formUnion(brought)
      } else {
        rest.append(index)
        restIDs.insert(record.id)
        restTokens.formUnion(brought)
      }
    }
    self.groups = groups
    self.rest = rest
  }

  /// Whether no installation and no token is in both batches.
  static func haveNothingInCommon(_ batch: [ImportRecord], _ other: [ImportRecord]) -> Bool {
    let ids = Set(other.map(\.id))
    let tokens = Set(other.flatMap(\.report.tokens))
    return batch.allSatisfy {
      !ids.contains($0.id) && tokens.isDisjoint(with: $0.report.tokens)
    }
  }
}

/// What the records of a group change: all of it is written or nothing.
struct ImportChange: Sendable {
  var group: ImportGroup
  /// What became of each record of the group.
  var results: [RecordResult]
  /// The installation's own change, and those of installations that lose tokens to it.
  var transitions: [Transition]
  /// Times of reports: if newer ones are known, nothing of this is written.
  var times: [InstallationTimes]
  var ledgerEntries: [LedgerEntry]
  /// The languages of the persons whom its records name, as they were read.
  var languages: [UserKey: String?]
  /// The installations on which the rejection of a record depends: its own, and the owners of its
  /// tokens. Empty when no record was rejected.
  var rejectedFor: [InstallationKey]

  /// The installations that it changes.
  var keys: [InstallationKey] { transitions.compactMap(\.key) }

  /// Puts the results in their places in the batch.
  func note(in all: inout [RecordResult]) {
    for (index, result) in zip(group, results) { all[index] = result }
  }
}

/// The changes of a round that one transaction writes.
struct JointChanges: Sendable {
  let changes: [ImportChange]
  /// Groups that cannot be among them and are decided again, one record after the other: another
  /// group changes the same installation, moves the same token, or changes an installation for
  /// which a record was rejected.
  let colliding: [ImportGroup]
  /// What is written.
  var rows = BinaryRows()
  let transitions: Int
  let hasNew: Bool
  let hasKnown: Bool
  let entries: [LedgerEntry]
  let events: (ofTokens: [TokenEvent], ofInstallations: [InstallationEvent])

  /// - Parameter isDryRun: Whether no rows are needed.
  init(_ decided: [ImportChange], isDryRun: Bool) {
    var writes: [InstallationKey: Int] = [:]
    var moves: [OwnedToken: Int] = [:]
    for key in decided.flatMap(\.keys) { writes[key, default: 0] += 1 }
    let rejectedFor = Set(decided.flatMap(\.rejectedFor))
    for entry in decided.flatMap(\.ledgerEntries) { moves[entry.token, default: 0] += 1 }
    func collides(_ change: ImportChange) -> Bool {
      change.keys.contains { writes[$0, default: 0] > 1 || rejectedFor.contains($0) }
        || change.rejectedFor.contains { writes[$0] != nil }
        || change.ledgerEntries.contains { moves[$0.token, default: 0] > 1 }
    }
    changes = decided.filter { !$0.transitions.isEmpty && !collides($0) }
    colliding = decided.filter(collides).map(\.group)
    let transitions = isDryRun ? [] : changes.flatMap(\.transitions)
    for transition in transitions {
      guard let after = transition.after else { continue }
      rows.append(after, isNew: transition.before == nil)
    }
    self.transitions = transitions.count
    hasNew = transitions.contains { $0.before == nil }
    hasKnown = transitions.contains { $0.before != nil }
    entries = changes.flatMap(\.ledgerEntries)
    events = transitions.events
  }
}

extension RegistrationReport {
  /// The tokens that it brings.
  fileprivate var tokens: [DeviceToken] {
    CredentialKind.withColumns.compactMap { credentials[$0]?.value }
      + otherCredentials.brought.sorted { $0.key < $1.key }.map(\.value.token)
  }
}
