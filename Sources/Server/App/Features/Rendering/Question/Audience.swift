internal import DeviceProfile
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// The receivers of a notification: the `to` of `POST …/render`, and of each recipient.
enum Audience: Sendable {
  /// One installation, which must be there.
  case installation(InstallationID)
  /// The installation that has this token.
  case token(DeviceToken)
  /// The installations of a person.
  case user(String)
  /// All installations that a filter lets through.
  case all(AudienceFilter)
}

/// Installations by the filters of the admin queries, or by lists of names.
struct AudienceFilter: Sendable {
  /// The filters, of no app yet.
  var filter = InstallationFilter(appID: 0)
  /// These installations only, each once; `nil` for no such list.
  var installations: [InstallationID]?
}

extension FieldReader {
  /// Reads an audience that is named in one of these ways.
  func audience(
    among names: [String] = [
      "installation", "installations", "user", "users", "token", "filter", "all",
    ]
  ) -> Audience? {
    let given = names.filter(has)
    guard given.count == 1 else {
      let detail = "One of: \(names.joined(separator: ", "))."
      if given.isEmpty {
        refuse(InputFault.missingField.problem(at: pointer, detail))
      } else {
        refuse(InputFault.tooMany.problem(at: pointer, "Only one. \(detail)"))
      }
      ignoreUnknownFields()
      return nil
    }
    switch given[0] {
    case "installation": return installationID("installation").value.map(Audience.installation)
    case "token": return requiredToken().map(Audience.token)
    case "user":
      return text("user", maximum: RegistryLimits.userIDBytes, minimum: 1).value.map(Audience.user)
    case "filter":
      return object("filter") { fields in
        AudienceFilter(filter: InstallationFilter(reading: fields))
      }.value.map(Audience.all)
    case "all":
      guard let isAll = flag("all").value else { return nil }
      if !isAll { refuse(.unknownValue, at: "all", "Only true names an audience.") }
      return .all(AudienceFilter())
    default: return list(given[0]).map(Audience.all)
    }
  }

  /// The lists keep their duplicates: comparing each of thousands of texts with all before it takes
  /// long, and the statement finds each row once.
  private func list(_ name: String) -> AudienceFilter? {
    var audience = AudienceFilter()
    switch name {
    case "installations":
      let names = texts(
        name, maximumCount: Limits.listedAudience, maximum: 64, isUnique: false
      ).value
      guard let names else { return nil }
      audience.installations = names.enumerated().compactMap { index, text in
        if let id = InstallationID(text) { return id }
        refuse(InputFault.invalidUUID.problem(at: "\(pointer(to: name))/\(index)", "A UUID."))
        return nil
      }
      audience.installations = audience.installations.map { Array(Set($0)) }
    default:
      audience.filter.userIDs =
        texts(
          name, maximumCount: Limits.listedAudience, maximum: RegistryLimits.userIDBytes,
          isUnique: false
        ).value
    }
    return audience
  }
}
