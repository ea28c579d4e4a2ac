extension Limits {
  /// Records that are decided and written together: more gain nothing per row and hold the loop for
  /// longer.
  static let importBatch = 256
  /// Installations in each of two generations that a dry run remembers: some 100 MB at most.
  static let dryRunInstallations = 32_768
  /// Why a token is out of use: a reason of APNs', or another service's word.
  static let reasonBytes = 128
}
