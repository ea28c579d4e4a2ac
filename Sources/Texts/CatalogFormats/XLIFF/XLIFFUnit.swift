internal import ASCII

/// A translation unit of an XLIFF file.
struct XLIFFUnit {
  /// The key, and the part of it that this is the text of.
  var identifier: XLIFFIdentifier
  /// The text in the source language; nil when there is none, as for a plural category, a device or
  /// a width that only the translation has.
  var source: String?
  /// The translation as it stands; nil when there is none.
  var target: String?
  /// Its state as the file spells it.
  var state: String?
  /// Where the unit starts.
  var offset: Int

  /// The state to count: an empty target without a state counts as missing.
  var countedState: String {
    guard let target, state != nil || !target.isEmpty else { return "missing" }
    return state ?? "translated"
  }

  /// The translation, if a build has it. Xcode passes over units in the state `new` and in states
  /// that begin with `needs-`. But a translation that waits for a review is in the build: Xcode
  /// ships the `needs_review` of a catalog, and exports it as `needs-review-l10n`.
  var importedTarget: String? {
    Self.passedOver.contains(countedState) ? nil : target
  }

  private static let passedOver: Set<Spelling> = [
    "missing", "needs-adaptation", "needs-l10n", "needs-review-adaptation",
    "needs-review-translation", "needs-translation", "new",
  ]

  /// Whether XLIFF 1.2 knows the state.
  var hasKnownState: Bool {
    guard let state else { return true }
    return Self.states.containsSpelling(state) || state.hasBytes(atStart: "x-")
  }

  private static let states = [
    "final", "needs-adaptation", "needs-l10n", "needs-review-adaptation", "needs-review-l10n",
    "needs-review-translation", "needs-translation", "new", "signed-off", "translated",
  ]
}
