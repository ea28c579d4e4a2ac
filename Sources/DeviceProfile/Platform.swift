/// The operating systems of the contract.
public enum Platform: String, Sendable, Hashable, CaseIterable {
  /// iOS on an iPhone.
  case ios
  /// iPadOS.
  case ipados
  /// macOS.
  case macos
  /// tvOS.
  case tvos
  /// watchOS.
  case watchos
  /// visionOS.
  case visionos
}
