import Postgres

@testable import Registry

/// Whose a token is, and who may have it back: ``Takeovers`` on what is stored.
extension RegistryModel {
  /// The clock of the service, to which two times may be equal.
  private static let millisecond: UInt64 = 1_000_000

  /// What an installation that wants tokens may find: the owners of those that have one, with how
  /// the token changed hands. The first is the usual; there are others when it is not known whether
  /// the installation was there when the token was taken from it.
  func owners(
    of tokens: [TokenKey], for place: Int, _ state: RegistryState
  ) -> [[TokenKey: TokenOwner]] {
    var found: [[TokenKey: TokenOwner]] = [[:]]
    for holder in state.installations.compactMap({ $0 }) {
      for key in holder.tokenKeys where tokens.contains(key) {
        let known = state.takeovers[key] ?? .init()
        let own = known.formerOwners.first { $0.place == place }
        let answers = own.map { isStill($0, state.lives[place]) } ?? [false]
        found = found.flatMap { owners in
          answers.map { isStill in
            var owners = owners
            owners[key] = TokenOwner(
              id: holder.id, takeovers: takeovers(known, isStill ? place : nil))
            return owners
          }
        }
      }
    }
    return found
  }

  /// What is stored of owners.
  func holders(
    of owners: [TokenKey: TokenOwner], _ state: RegistryState
  ) -> [InstallationID: Installation] {
    let names = Set(owners.values.map(\.id))
    return state.installations.compactMap { $0 }.filter { names.contains($0.id) }
      .reduce(into: [:]) { $0[$1.id] = $1 }
  }

  /// All installations of the model are made at one time.
  private func takeovers(_ known: RegistryState.KnownTakeovers, _ still: Int?) -> Takeovers {
    let before = Timestamp(microseconds: Self.now.microseconds - 1)
    return Takeovers(
      count: known.count, since: Self.now,
      formerOwners: known.formerOwners.map {
        FormerOwner(id: ids[$0.place], until: $0.place == still ? Self.now : before)
      })
  }

  /// Whether the installation of now was made before the token was taken from the one of then, by
  /// the times at which both calls arrived.
  private func isStill(_ former: RegistryState.Former, _ life: RegistryState.Life?) -> [Bool] {
    guard let life else { return [false] }
    let isSame = life.maker == former.maker
    guard let made = arrivals[life.maker], let taken = arrivals[former.taker] else {
      return [isSame]
    }
    let (end, isNever) = taken.upperBound.addingReportingOverflow(Self.millisecond)
    let mayBeEarlier = isNever || made.lowerBound <= end
    let mayBeLater = made.upperBound >= taken.lowerBound
    let mayDiffer = isSame ? mayBeLater : mayBeEarlier
    return mayDiffer ? [isSame, !isSame] : [isSame]
  }

  /// Notes that a token changed hands.
  func note(
    _ entry: LedgerEntry, of operation: RegistryOperation, in next: inout RegistryState,
    from state: RegistryState
  ) {
    guard let takeovers = entry.takeovers else { return }
    let known = state.takeovers[entry.token.key]?.formerOwners ?? []
    let formerOwners = takeovers.formerOwners.compactMap { former -> RegistryState.Former? in
      guard let place = ids.firstIndex(of: former.id) else { return nil }
      guard former.id == entry.previousOwner else { return known.first { $0.place == place } }
      return RegistryState.Former(
        place: place, maker: state.lives[place]?.maker ?? 0, taker: operation.number)
    }
    next.takeovers[entry.token.key] = .init(count: takeovers.count, formerOwners: formerOwners)
  }
}
