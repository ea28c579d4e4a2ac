/// Whether an app's users must be proven by a signed token.
enum IdentityVerification: String, Sendable, CaseIterable {
  case off
  case required
}
