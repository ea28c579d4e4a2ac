/// Finds the entry of a key in a catalog along a chain of localizations.
public struct Lookup: Sendable {
  /// A found entry, its origin, and the problems on the way to it.
  public struct Result: Sendable, Hashable {
    /// The entry; nil when there is none.
    public let entry: Entry?
    /// The localization it came from, as its folder spells it; nil for a literal or nothing.
    public let localization: String?
    /// One problem for each step that was needed beyond the first.
    public let problems: [LocalizationProblem]
  }

  /// What the device's own lookup finds.
  public enum DeviceResult: Sendable, Hashable {
    /// The localization its bundle picks has the key.
    case entry(Entry, localization: String)
    /// The same, but it is not certain what Xcode compiles: the entry as the server takes it.
    case uncertain(Entry?, localization: String)
    /// The localization its bundle picks has the table but not the key. The device then looks
    /// nowhere else: it shows the literal, or the raw key.
    case keyMissing(localization: String)
    /// No localization of the chain has the table.
    case tableMissing
  }

  public let catalog: Catalog

  public init(_ catalog: Catalog) {
    self.catalog = catalog
  }

  /// What the server shows: the localizations of `chain` in order, then the development language,
  /// then `literal`; never the raw key.
  ///
  /// - Parameter fault: the fault that keeps an entry of a localization from being shown, such as
  ///   an empty text: it is told, and the entry counts as missing.
  public func entry(
    for key: String, table: String = "Localizable", chain: [String], literal: String? = nil,
    fault: (Entry, _ localization: String) -> LocalizationProblem? = { _, _ in nil }
  ) -> Result {
    var problems: [LocalizationProblem] = []
    let development = catalog.developmentLanguage
    let localizations = chain.contains(development) ? chain : chain + [development]
    for (step, place) in catalog.places(of: table, along: localizations).enumerated() {
      let localization = place.localization
      guard let entry = catalog.entry(key, table: table, at: place) else {
        if !place.isBase {
          problems.append(LocalizationProblem(.keyNotInLocalization, detail: localization))
        }
        continue
      }
      if let fault = fault(entry, localization) {
        problems.append(fault)
        continue
      }
      if step > 0, localization == development {
        problems.append(LocalizationProblem(.developmentLanguageUsed, detail: development))
      }
      return Result(entry: entry, localization: localization, problems: problems)
    }
    if let literal, !literal.isEmpty {
      problems.append(LocalizationProblem(.literalUsed, detail: key))
      return Result(entry: .text(literal), localization: nil, problems: problems)
    }
    problems.append(LocalizationProblem(.missingKey, detail: key))
    return Result(entry: nil, localization: nil, problems: problems)
  }

  /// What the device finds: the first localization of `chain` that has the table decides, or
  /// `Base`, and a key missing there is searched nowhere else. Source: CFBundle_Strings.c.
  public func deviceResult(
    for key: String, table: String = "Localizable", chain: [String]
  ) -> DeviceResult {
    guard let place = catalog.firstPlace(of: table, along: chain) else { return .tableMissing }
    let localization = place.localization
    let entry = catalog.entry(key, table: table, at: place)
    if catalog.isUncertain(key, table: table, at: place) {
      return .uncertain(entry, localization: localization)
    }
    return entry.map { .entry($0, localization: localization) }
      ?? .keyMissing(localization: localization)
  }
}
