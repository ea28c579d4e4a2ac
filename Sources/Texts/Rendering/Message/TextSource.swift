public import Localization

/// The text of a title, subtitle or body: one for everybody, or one for each word of a parameter.
public enum MessageText: Sendable, Hashable {
  /// One for everybody.
  case plain(TextSource)
  /// Texts of which the value of a parameter picks one.
  case choice(TextChoice)

  /// All texts with their words; the word is nil if there is only one text.
  var branches: [(word: String?, source: TextSource)] {
    switch self {
    case .plain(let source): [(nil, source)]
    case .choice(let choice): choice.sources.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// The languages of its own wordings.
  var languages: [String] {
    branches.flatMap { branch -> [String] in
      if case .literal(let text) = branch.source { text.languages } else { [] }
    }
  }

  /// The text that the arguments pick; nil when a word has none.
  func source(_ arguments: Arguments) -> TextSource? {
    switch self {
    case .plain(let source): source
    case .choice(let choice): choice.source(of: arguments.plainText(choice.parameter))
    }
  }
}

/// Texts by the words of a parameter: `female` → `READY_F`, `other` → `READY`.
public struct TextChoice: Sendable, Hashable {
  /// The word that stands for all words without a text of their own.
  public static let other = "other"

  /// The parameter, of type `choice`.
  public var parameter: String
  /// The texts by word.
  public var sources: [String: TextSource]

  /// The text of a word, or of ``other``.
  func source(of word: String?) -> TextSource? {
    word.flatMap { sources[$0] } ?? sources[Self.other]
  }
}

/// Where a text comes from.
public enum TextSource: Sendable, Hashable {
  /// A key into a string table.
  case key(KeyedText)
  /// The text itself.
  case literal(LiteralText)
}

/// A text named by its key, with the arguments of its placeholders.
public struct KeyedText: Sendable, Hashable {
  /// Which catalog holds the key.
  public enum CatalogChoice: String, Sendable, Hashable, CaseIterable {
    /// The catalog of the device's app build; the server's stands in for keys that it does not
    /// have.
    case app
    /// The server's own catalog.
    case server
  }

  public var key: String
  /// Names of parameters, in the order of the text's `%@`.
  public var arguments: [String] = []
  /// The string table, without extension; a device looks for keys only in `Localizable`.
  public var table = KeyedText.deviceTable
  public var catalog = CatalogChoice.app

  /// The table in which a device looks.
  public static let deviceTable = "Localizable"
}

/// A text that the message brings along, in one wording for all or one per language.
public struct LiteralText: Sendable, Hashable {
  /// The wording for everybody; nil when there is one per language.
  public var unlocalized: Template?
  /// The wordings by language.
  public var byLanguage: [String: Template]
  /// The languages of ``byLanguage``, sorted.
  public var languages: [String]

  /// One wording for everybody.
  public init(_ text: String) {
    unlocalized = Template(InlineMarkup.words(of: text))
    byLanguage = [:]
    languages = []
  }

  /// One wording per language.
  public init(_ texts: [LanguageTag: String]) {
    unlocalized = nil
    byLanguage = [:]
    for (tag, text) in texts { byLanguage[tag.text] = Template(InlineMarkup.words(of: text)) }
    languages = byLanguage.keys.sorted()
  }
}
