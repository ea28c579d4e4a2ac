/// Whether an app's users must be proven by a signed token.
enum IdentityVerification: String, Sendable, CaseIterable, Codable {
  case off
  case required
}
