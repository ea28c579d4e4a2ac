package import JSON

/// Why the registry did not take a change.
package enum RegistryFailure: Error, Sendable {
  /// A report cannot be applied to what is stored: `missing_field`, `token_kind_mismatch`.
  case input(InputFailure)
  /// The environment changes, and not all tokens come along or are given up.
  case environmentNeedsTokens
  /// The token changed hands too often; after so many seconds it may again.
  case takeovers(retryAfterSeconds: Int64)
  /// Other writers were faster again and again. Nothing was written; a later call may succeed.
  case outrun
}
