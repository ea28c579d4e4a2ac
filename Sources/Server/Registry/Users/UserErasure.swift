package import JSON
package import Postgres

/// What was erased of a person.
package struct ErasedUser: JSONWritable, Sendable {
  package var installations: Int64 = 0
  /// Tokens that the ledger knew as theirs, now or before, and that nobody else has.
  package var tokens: Int64 = 0
  /// Events of their tokens, those of the erasure itself not counted.
  package var history: Int64 = 0
  package var failures: Int64 = 0

  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("failures", failures)
      writer.member("history", history)
      writer.member("installations", installations)
      writer.member("tokens", tokens)
    }
  }
}

extension Registrar {
  /// Erases a person: all installations on which they are logged in, with what is known of these.
  ///
  /// It goes portion by portion:
  ///
  /// 1. The installations of a portion give up their tokens.
  /// 2. Everything else that names these installations is deleted.
  /// 3. The installations themselves are deleted. An installation that has changed since step 1 is
  ///    taken once more, as something new may name it.
  ///
  /// So if this breaks off, the next call finds what is left, and of an installation that is gone
  /// nothing is left. A device that logs in meanwhile is erased, too, unless it comes after the
  /// last look: then it has begun anew.
  /// - Throws: ``RegistryFailure`` when there is no end of new devices; ``PostgresError``.
  package func erase(_ user: UserKey, at now: Timestamp) async throws -> ErasedUser {
    let cause = TokenEvent.Cause(.backend, removal: TokenEvent.Cause.erasure)
    var erased = ErasedUser()
    _ = try await database.write(.forgetLanguage(user: user))
    for _ in 0..<RegistryLimits.userPortions {
      let ids = try await database.read(.findUserInstallations(user: user))
      if ids.isEmpty { return erased }
      let emptied = try await revise(ids, of: user.appID, at: now, cause) { stored in
        stored.isOf(user) ? .write(stored.losing(stored.tokenKeys, at: now)) : .keep
      }
      var revisions: [InstallationID: Int64] = [:]
      for case .write(let stored) in emptied { revisions[stored.id] = stored.revision }
      let known = revisions

      let portion = UserPortion(appID: user.appID, ids: Array(known.keys))
      try await eraseTraces(of: portion, &erased)

      let done = try await revise(portion.ids, of: user.appID, at: now, cause) { stored in
        stored.revision == known[stored.id] ? .delete : .keep
      }
      for case .delete in done { erased.installations += 1 }
      // An instance that makes deliveries may have read what happened to them just before it was
      // erased.
      try await database.transaction { transaction in
        transaction.add(LockApps(ids: [user.appID]))
        transaction.add(.eraseDeliveries(portion: portion))
        transaction.add(.forgetOriginsOfDeliveries(portion: portion))
        transaction.add(.eraseSightings(portion: portion))
      }
    }
    throw RegistryFailure.outrun
  }

  /// Erases, in one transaction, everything that names these installations, except the
  /// installations themselves.
  private func eraseTraces(of portion: UserPortion, _ erased: inout ErasedUser) async throws {
    let (history, failures, tokens) = try await database.transaction { transaction in
      transaction.add(LockApps(ids: [portion.appID]))
      transaction.add(LockAppFor(.erasure, appID: portion.appID))
      transaction.add(.forgetOrigins(portion: portion))
      transaction.add(.eraseClaimCodes(portion: portion))
      let failures = transaction.add(.eraseFailures(portion: portion))
      let history = try await transaction.run(.eraseHistory(portion: portion))
      transaction.add(.eraseInstallationEvents(portion: portion))
      transaction.add(.eraseDeliveries(portion: portion))
      transaction.add(.forgetOriginsOfDeliveries(portion: portion))
      let past = history.map(\.token)
      transaction.add(LockTokens(tokens: past))
      transaction.add(ForgetPreviousOwners(tokens: past, portion: portion))
      transaction.add(.forgetRefusedTokens(appID: portion.appID))
      return (history, failures.rows, try await transaction.run(EraseTokens(tokens: past)))
    }
    erased.tokens += tokens.reduce(0, +)
    erased.history += history.reduce(0) { $0 + $1.events }
    erased.failures += failures.reduce(0, +)
  }
}
