public import ASCII

/// One string table of one localization: what a file such as `fr.lproj/Localizable.strings` says.
public struct StringTable: Sendable, Hashable {
  /// The localization in the spelling of its folder, without `.lproj`: `zh_Hans`, `Base`.
  public var localization: String
  /// The table's name, without extension: `Localizable`.
  public var name: String
  /// The entries by key.
  public var entries: [Spelling: Entry]
  /// Keys of which it is not certain what a device finds in its build, be there an entry or not:
  /// Xcode may compile the text, a part of it or nothing. They are never left to a device.
  public var uncertain: Set<Spelling>

  /// A table of the given entries.
  public init(
    localization: String, name: String, entries: [Spelling: Entry], uncertain: Set<Spelling> = []
  ) {
    self.localization = localization
    self.name = name
    self.entries = entries
    self.uncertain = uncertain
  }
}
