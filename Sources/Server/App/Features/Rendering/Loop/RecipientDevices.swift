internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// Finds the devices of many recipients with few statements.
struct RecipientDevices: Sendable {
  /// The devices of a recipient.
  enum Found: Sendable {
    case devices([AudienceRow])
    /// The reason why the devices cannot be found.
    case fault(Problem)
  }

  let app: AppRecord
  let plan: RenderPlan
  let database: PostgresClient

  /// Finds the devices of the first recipients: of all recipients, unless they have too many
  /// devices together. If recipients name an activity, session or control of their own, a statement
  /// for each finds its devices.
  /// - Returns: The devices of each recipient, at least of the first one.
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

  /// The devices of recipients that one statement finds together; `nil` for the other recipients.
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
        // A token that has just been replaced gets nothing by the new token, unless the target has
        // one token of a device at most.
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
      .holders(of: tokens, plan.target.kind, app.id))
    return Dictionary(grouping: rows, by: \.token.bytes).mapValues { $0.map(\.id) }
  }

  private func devices(of ids: [InstallationID]) async throws -> [UUID: [AudienceRow]] {
    guard !ids.isEmpty else { return [:] }
    let rows = try await database.devices(plan.question(plan.target), of: ids, app.id)
    return Dictionary(grouping: rows, by: \.installationID)
  }

  /// The devices of each person, by the bytes of the id, as the database tells ids apart; `nil`
  /// when there are too many devices together.
  private func devices(of users: [String]) async throws -> [[UInt8]: [AudienceRow]]? {
    guard !users.isEmpty else { return [:] }
    let rows = try await database.read(
      .devicesOfUsers(
        plan.question(plan.target), users, app.id, limit: Limits.recipientRows + 1))
    guard rows.count <= Limits.recipientRows else { return nil }
    return Dictionary(grouping: rows, by: { Array($0.user.utf8) }).mapValues { $0.map(\.device) }
  }

  private func findAlone(
    _ address: Audience, _ target: CredentialTarget
  ) async throws -> Found {
    do {
      let selection = try await AudienceSelection(address, target, app, database)
      let rows = try await database.read(
        .devices(
          plan.question(selection.target), of: selection.filter, ids: selection.ids,
          limit: Limits.recipientDevices + 1))
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
