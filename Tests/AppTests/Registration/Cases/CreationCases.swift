import DeviceProfile

@testable import App
@testable import Registry

extension RegistrationCase {
  /// The first report of an installation.
  static let creations: [Self] = [
    Self(
      name: "first launch of a new app", stored: nil,
      report: """
        {"platform": "ios", "environment": "production",
         "credentials": {"apns": \(json("a1"))}}
        """,
      outcome: .created, claims: ["production/apns/a1"], events: ["registered production/apns/a1"],
      check: { $0.secretHash == [9] && $0.credentials[.apns]?.status == .active }),
    Self(
      name: "first launch with both tokens", stored: nil,
      report: """
        {"platform": "ios", "environment": "sandbox",
         "credentials": {"apns": \(json("a1")), "voip": \(json("b1"))}}
        """,
      outcome: .created, claims: ["sandbox/apns/a1", "sandbox/voip/b1"],
      events: ["registered sandbox/apns/a1", "registered sandbox/voip/b1"]),
    Self(
      name: "first launch without a token, which APNs still owes", stored: nil,
      report: #"{"platform": "macos", "environment": "production", "languages": ["de"]}"#,
      outcome: .created, check: { $0.credentials == ByPlace() && $0.languages == ["de"] }),
    Self(
      name: "an app that only takes calls", stored: nil,
      report: """
        {"platform": "ios", "environment": "production",
         "credentials": {"voip": \(json("b1"))}}
        """,
      outcome: .created, claims: ["production/voip/b1"], events: ["registered production/voip/b1"]),
    Self(
      name: "the backend makes an installation, which gets no secret", stored: nil,
      source: .backend,
      report: """
        {"platform": "ios", "environment": "production",
         "credentials": {"apns": \(json("a1"))}}
        """,
      outcome: .created, claims: ["production/apns/a1"], events: ["registered production/apns/a1"],
      check: { $0.secretHash == nil }),
    Self(
      name: "the app was deleted and installed again: new id, old token", stored: nil,
      owners: [key("a1"): TokenOwner(id: other)],
      report: """
        {"platform": "ios", "environment": "production",
         "credentials": {"apns": \(json("a1"))}}
        """,
      outcome: .created, claims: ["production/apns/a1 from other"],
      events: ["moved production/apns/a1 from other"]),
    Self(
      name: "the app lost its secret and begins anew, with all its tokens", stored: nil,
      owners: [key("a1"): TokenOwner(id: other), key("b1", .voip): TokenOwner(id: other)],
      report: """
        {"platform": "ios", "environment": "production", "user": {"id": "u42"},
         "credentials": {"apns": \(json("a1")), "voip": \(json("b1"))}}
        """,
      outcome: .created,
      claims: ["production/apns/a1 from other", "production/voip/b1 from other"],
      events: ["moved production/apns/a1 from other", "moved production/voip/b1 from other"],
      check: { $0.secretHash == [9] }),
    Self(
      name: "the id was deleted before: nothing of it is left", stored: nil,
      report: #"{"platform": "tvos", "environment": "sandbox", "credentials": {"voip": null}}"#,
      outcome: .created,
      check: { $0.revision == 1 && $0.userID == nil && $0.createdAt == time(60) }),
    Self(
      name: "created by a device whose clock is a year ahead", stored: nil,
      report: """
        {"platform": "ios", "environment": "production", "reported_at": "2036-01-01T00:00:00Z"}
        """,
      after: 0, outcome: .created, check: { $0.reportedAt == start }),
    Self(
      name: "created from the offline queue, long after it was reported", stored: nil,
      report: """
        {"platform": "ios", "environment": "production", "reported_at": "2026-01-01T00:00:00Z",
         "credentials": {"apns": \(json("a1"))}}
        """,
      outcome: .created, claims: ["production/apns/a1"], events: ["registered production/apns/a1"],
      check: {
        $0.reportedAt?.rfc3339 == "2026-01-01T00:00:00.000Z"
          && $0.credentials[.apns]?.presentedAt == time(60)
      }),
    Self(
      name: "null fields at creation", stored: nil,
      report: """
        {"platform": "ios", "environment": "production", "credentials": null,
         "languages": null, "localization": null, "user": null}
        """,
      outcome: .created, check: { $0.languages.isEmpty && $0.localization == .auto }),
  ]
}
