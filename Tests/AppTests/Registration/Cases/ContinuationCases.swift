import DeviceProfile

@testable import App
@testable import Registry

extension RegistrationCase {
  /// What an import made of the device before its app reported: token a1, the person u42, German by
  /// choice, and what was noted of them.
  static let imported = device {
    $0.id = other
    $0.secretHash = nil
    $0.credentials[.voip] = nil
    $0.languageOverride = "de"
  }

  private static let first = """
    "platform": "ios", "environment": "production", "credentials": {"apns": \(json("a1"))}
    """
  private static let ofOther = [key("a1"): TokenOwner(id: other)]

  /// Tokens of installations that an import or the backend made, and no app has claimed.
  static let continuations: [Self] = [
    continuation("the app's first report, under a name of its own", "{\(first)}") {
      $0.id == own && $0.userID == "u42" && $0.tags == ["beta"] && $0.languageOverride == "de"
        && $0.attributes == device.attributes && $0.languages == ["fr-CA"]
        && $0.appVersion == "3.2.0" && $0.secretHash == [9]
    },
    continuation(
      "what the report says itself counts",
      """
      {\(first), "user": {"id": "u42"}, "tags": [], "attributes": {"plan": "free"},
       "languages": ["en"], "app_version": null}
      """
    ) {
      $0.userID == "u42" && $0.tags.isEmpty && $0.attributes?.json == #"{"plan":"free"}"#
        && $0.languages == ["en"] && $0.appVersion == nil && $0.languageOverride == "de"
    },
    continuation("nobody is logged in", #"{\#(first), "user": null}"#) {
      $0.userID == nil && $0.languageOverride == nil && $0.languages == ["fr-CA"]
    },
    continuation("the person is named", #"{\#(first), "user": {"id": "u42"}}"#) {
      $0.userID == "u42" && $0.languageOverride == "de"
    },
    continuation("another language was chosen since", "{\(first)}", chosen: "it") {
      $0.userID == "u42" && $0.languageOverride == "it"
    },
    continuation(
      "the token comes with the second report", tokens(apns: "a1"),
      stored: device {
        $0.credentials = .init()
        ($0.userID, $0.tags, $0.attributes, $0.languages) = (nil, [], nil, ["en"])
      }
    ) {
      $0.userID == "u42" && $0.tags == ["beta"] && $0.languages == ["en"]
        && $0.languageOverride == "de"
    },
    Self(
      name: "the alerts of one and the calls of another", stored: nil,
      owners: [key("a1"): TokenOwner(id: other), key("b1", .voip): TokenOwner(id: third)],
      holders: [
        imported,
        device {
          $0.id = third
          $0.secretHash = nil
          $0.credentials[.apns] = nil
          $0.locale = "fr_CA"
        },
      ],
      report: """
        {"platform": "ios", "environment": "production",
         "credentials": {"apns": \(json("a1")), "voip": \(json("b1"))}}
        """, outcome: .created,
      claims: ["production/apns/a1 from other", "production/voip/b1 from third"],
      events: [
        "moved production/apns/a1 from other (continued)",
        "moved production/voip/b1 from third (continued)",
      ],
      check: { $0.userID == "u42" && $0.locale == "fr_CA" }),
    Self(
      name: "one that an app has claimed is another installation", stored: nil, owners: ofOther,
      holders: [device { $0.id = other }], report: "{\(first)}", outcome: .created,
      claims: ["production/apns/a1 from other"], events: ["moved production/apns/a1 from other"],
      check: { $0.userID == nil && $0.tags.isEmpty && $0.languages.isEmpty }),
    Self(
      name: "of another person nothing is taken but the token",
      stored: device {
        $0.credentials = .init()
        ($0.userID, $0.tags) = ("u7", [])
      }, owners: ofOther, holders: [imported], report: tokens(apns: "a1"), outcome: .updated,
      claims: ["production/apns/a1 from other"], events: ["moved production/apns/a1 from other"],
      check: { $0.userID == "u7" && $0.tags.isEmpty }),
    Self(
      name: "nor where the report names another person", stored: nil, owners: ofOther,
      holders: [imported], report: #"{\#(first), "user": {"id": "u7"}}"#, outcome: .created,
      claims: ["production/apns/a1 from other"], events: ["moved production/apns/a1 from other"],
      check: { $0.userID == "u7" && $0.tags.isEmpty && $0.languages.isEmpty }),
    Self(
      name: "what the backend reports is what it says", stored: nil, owners: ofOther,
      holders: [imported], source: .backend, report: "{\(first)}", outcome: .created,
      claims: ["production/apns/a1 from other"], events: ["moved production/apns/a1 from other"],
      check: { $0.userID == nil }),
  ]

  private static func continuation(
    _ name: String, _ report: String, stored: Installation? = nil, chosen: String? = nil,
    check: @escaping @Sendable (Installation) -> Bool
  ) -> Self {
    Self(
      name: name, stored: stored, owners: ofOther, holders: [imported], chosen: chosen,
      report: report, outcome: stored == nil ? .created : .updated,
      claims: ["production/apns/a1 from other"],
      events: ["moved production/apns/a1 from other (continued)"], check: check)
  }
}
