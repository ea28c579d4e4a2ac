package import DeviceProfile
import FoundationEssentials
import Localization
package import Postgres

/// The part of an installation that a notification depends on: whether its token can be used, and
/// what rendering must know.
package struct DeviceTraits: Sendable {
  /// Whether the token can be sent to; `nil` when there is none.
  package let usability: TokenUsability?
  package let device: Device

  private init(
    _ usability: TokenUsability?, _ environment: Environment?, _ installation: Installation
  ) {
    self.usability = usability
    var device = Device(
      platform: installation.platform,
      languages: installation.languages.compactMap { LanguageTag($0) },
      override: installation.languageOverride.flatMap { LanguageTag($0) })
    device.environment = environment
    device.startsActivitiesOften = usability == .startsOften
    ProfileField.forEachTrait { $0.trait?.set(installation, &device) }
    self.device = device
  }

  /// The columns that ``init(_:)`` reads after the status of the token. Columns of fields that make
  /// no difference are null.
  /// - Parameters:
  ///   - aspects: What makes a difference, as SQL for the bits of `DeviceAspects`.
  ///   - attributes: The names of the attributes that make a difference, as SQL for a list.
  static func columns(aspects: String, attributes: String, isSandbox: String) -> [String] {
    [
      "platform", "language_override",
      """
      CASE WHEN \(aspects) & \(DeviceAspects.environment.rawValue) = 0 THEN NULL
          WHEN \(isSandbox) THEN 'sandbox' ELSE 'production' END
      """,
    ]
      + ProfileField.traits.map { field in
        let name = field.column.name
        guard let trait = field.trait, !trait.aspects.isEmpty else { return name }
        let part = trait.part?(name, attributes) ?? name
        return "CASE WHEN \(aspects) & \(trait.aspects.rawValue) <> 0 THEN \(part) END"
      }
  }

  /// Reads the status of a token and ``columns(aspects:attributes:)``.
  package init(_ row: inout RawColumnReader) throws(PostgresError) {
    let usability = try TokenUsability(column: &row)
    guard let platform = try Platform(column: &row) else {
      throw PostgresError(.decoding, "an installation has no platform")
    }
    var installation = Installation(
      appID: 0, id: InstallationID(TimeCursor.start.id), revision: 0, platform: platform,
      environment: .production, createdAt: TimeCursor.start.time,
      updatedAt: TimeCursor.start.time, lastSeenAt: TimeCursor.start.time)
    installation.languageOverride = try row.nextOptional()
    let environment = try Environment(column: &row)
    try ProfileField.forEachTrait { field throws(PostgresError) in
      try field.loadRaw(&installation, &row)
    }
    self.init(usability, environment, installation)
  }
}
