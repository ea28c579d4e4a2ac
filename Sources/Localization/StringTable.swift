/// One string table of one localization: what a file such as `fr.lproj/Localizable.strings` says.
public struct StringTable: Sendable, Hashable {
  /// The localization in the spelling of its folder, without `.lproj`: `zh_Hans`, `Base`.
  public var localization: String
  /// The table's name, without extension: `Localizable`.
  public var name: String
  /// The entries by key.
  public var entries: [String: Entry]

  /// A table of the given entries.
  public init(localization: String, name: String, entries: [String: Entry]) {
    self.localization = localization
    self.name = name
    self.entries = entries
  }
}
