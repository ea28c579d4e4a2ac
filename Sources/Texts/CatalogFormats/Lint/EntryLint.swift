internal import Localization

/// The findings about one entry, compared with the entry of the reference language.
struct EntryLint {
  /// A finding; `message` continues a sentence that begins with the key and its language.
  struct EntryFinding: Hashable {
    let code: Diagnostic.Code
    let message: String
    /// A cause that other entries of the file may have in common with this one, so that the first
    /// of them speaks for all: a file that lacks a plural category mostly lacks it everywhere.
    var commonCause: String?
  }

  /// The entry that others are compared with.
  struct Reference {
    var language: String
    var analysis: EntryAnalysis
  }

  let entry: Entry
  let analysis: EntryAnalysis
  /// Nil when the entry itself is the reference.
  let reference: Reference?
  /// The findings, in no order that matters.
  private(set) var findings: Set<EntryFinding> = []

  init(_ entry: Entry, _ analysis: EntryAnalysis, reference: Reference?) {
    self.entry = entry
    self.analysis = analysis
    self.reference = reference
  }

  mutating func add(_ code: Diagnostic.Code, _ message: String, commonCause: String? = nil) {
    findings.insert(EntryFinding(code: code, message: message, commonCause: commonCause))
  }

  /// Rules that look at the placeholders of the texts alone.
  mutating func checkPlaceholders() {
    let takesArguments =
      !analysis.summary.isEmpty || reference.map { !$0.analysis.summary.isEmpty } ?? false
    // Without arguments a text is shown as it is, percent signs and all.
    if let percentSign = analysis.percentSign, takesArguments {
      add(
        .unescapedPercent,
        "has a percent sign that starts no placeholder, '\(percentSign.quoted)': write %%.")
    }
    // If the reference has the same fault, it is told there.
    if let unsupported = analysis.unsupported, reference?.analysis.unsupported == nil {
      add(
        .unsupportedSpecifier, "has '\(unsupported.quoted)', which no notification can fill.")
    }
    if let spaced = analysis.spaced, reference?.analysis.spaced == nil {
      add(
        .spacedPlaceholder,
        "has a space within a placeholder, '\(spaced.quoted)': it shows the argument, "
          + "but no key of it can be sent.")
    }
    if analysis.hasMarkup {
      add(
        .inlineMarkup,
        "has markup, '^[…](…)', which no notification can apply: only its words are shown.",
        commonCause: "markup")
    }
    if analysis.mixesPositions, !(reference?.analysis.mixesPositions ?? false) {
      add(
        .mixedPositions,
        "mixes placeholders with and without a position, like %1$@ and %@, in one text.")
    }
  }

  /// Rules about variants that nothing shows.
  ///
  /// Of widths only the largest is shown here. That is no fault of the file: the app shows the
  /// others.
  mutating func checkVariants() {
    guard case .devices(let formats) = entry, formats.count == DeviceClass.allCases.count else {
      return
    }
    add(.unreachableVariant, "has a text for 'other' devices beside one for every named class.")
  }
}
