internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// Finds the devices of many recipients with few statements.
struct RecipientDevices: Sendable {
  /// The devices of a recipient.
  enum Found: Sendable {
    case devices([AudienceRow])
    /// Why they cannot be found.
    case fault(Problem)
  }

  let app: AppRecord
  let plan: RenderPlan
  let database: PostgresClient

  /// Finds the devices of the first recipients: of all, unless they have too many together. With a
  /// statement for each, if each names an activity, session or control of its own.
  /// - Returns: What was found of each, at least of the first.
  func find(_ recipients: [AddressedRecipient]) async throws -> [Found] {
    let targets = recipients.map { plan.ownTarget(of: $0.recipient) }
    let together =
      targets.contains { $0 != nil }
      ? recipients.map { _ in nil } : try await findTogether(recipients.map(\.address))
    var found: [Found] = []
    found.reserveCapacity(recipients.count)
    var rows = 0
    for ((recipient, target), known) in zip(zip(recipients, targets), together) {
      if let known {
        found.append(known)
        continue
      }
      guard rows <= Limits.recipientRows else { break }
      let one = try await findAlone(recipient.address, target ?? plan.target)
      if case .devices(let devices) = one { rows += devices.count }
      found.append(one)
    }
    return found
  }

  /// Those that are found with one statement for all; `nil` for the others.
  private func findTogether(_ addresses: [Audience]) async throws -> [Found?] {
    var ids: [InstallationID] = []
    var tokens: [DeviceToken] = []
    var users: [String] = []
    for address in addresses {
      switch address {
      case .installation(let id): ids.append(id)
      case .token(let token): tokens.append(token)
      case .user(let user): users.append(user)
      case .all: break
      }
    }
    let holders = try await self.holders(of: tokens)
    ids += holders.values.flatMap(\.self)
    let devices = try await self.devices(of: ids)
    let userDevices = try await self.devices(of: users)
    return addresses.map { address in
      switch address {
      case .installation(let id): return .devices(devices[id.uuid] ?? [])
      case .token(let token):
        // One that has just been replaced gets nothing by the new one, unless it has columns.
        let rows = (holders[token.bytes] ?? []).flatMap { devices[$0.uuid] ?? [] }
        return .devices(plan.target.isOne ? rows : rows.filter { $0.token?.bytes == token.bytes })
      case .user(let user): return userDevices.map { limited($0[Array(user.utf8)] ?? []) }
      case .all: return nil
      }
    }
  }

  private func holders(
    of tokens: [DeviceToken]
  ) async throws -> [[UInt8]: [InstallationID]] {
    guard !tokens.isEmpty else { return [:] }
    let rows = try await database.read(
      FindHoldersOfTokens(appID: app.id, kind: plan.target.kind, tokens: tokens))
    return Dictionary(grouping: rows, by: \.token.bytes).mapValues { $0.map(\.id) }
  }

  private func devices(of ids: [InstallationID]) async throws -> [UUID: [AudienceRow]] {
    guard !ids.isEmpty else { return [:] }
    let rows = try await database.read(
      DevicesOfInstallations(
        appID: app.id, ids: ids, target: plan.target, aspects: plan.aspects,
        attributes: plan.attributes))
    return Dictionary(grouping: rows, by: \.installationID)
  }

  /// Of each person by the bytes of the id, as the database tells ids apart; `nil` when they are
  /// too many together.
  private func devices(of users: [String]) async throws -> [[UInt8]: [AudienceRow]]? {
    guard !users.isEmpty else { return [:] }
    let rows = try await database.read(
      DevicesOfUsers(
        appID: app.id, userIDs: users, target: plan.target, aspects: plan.aspects,
        attributes: plan.attributes, limit: Limits.recipientRows + 1))
    guard rows.count <= Limits.recipientRows else { return nil }
    return Dictionary(grouping: rows, by: { Array($0.user.utf8) }).mapValues { $0.map(\.device) }
  }

  private func findAlone(
    _ address: Audience, _ target: CredentialTarget
  ) async throws -> Found {
    do {
      let selection = try await AudienceSelection(address, target, app, database)
      let rows = try await database.read(
        StreamAudience(
          filter: selection.filter, ids: selection.ids, target: selection.target,
          aspects: plan.aspects, attributes: plan.attributes, limit: Limits.recipientDevices + 1))
      return limited(rows)
    } catch let problem as Problem where problem.kind == .tokenNotFound {
      return .devices([])
    } catch let failure as InputFailure {
      return .fault(Problem(failure))
    }
  }

  private func limited(_ rows: [AudienceRow]) -> Found {
    guard rows.count > Limits.recipientDevices else { return .devices(rows) }
    return .fault(
      Problem(
        .audienceTooLarge,
        "A recipient has at most \(Limits.recipientDevices) devices; more are an audience, `to`."))
  }
}
