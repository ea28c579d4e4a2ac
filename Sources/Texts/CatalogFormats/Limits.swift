/// The bounds of an upload of string files, for the program that sends it and the one that takes
/// it.
public enum UploadLimits {
  /// Bytes of a body: the string files of a large app (100 languages of 300 KB). More are sent as
  /// one archive.
  public static let bodyBytes = 32 << 20

  /// Parts of a body: an app of 60 languages with 30 string tables each. More are sent as one
  /// archive.
  public static let parts = 2_000

  /// Bytes of one file. The largest string table seen is 0.5 MB; catalogs of all languages in
  /// one file stay below 10 MB.
  public static let fileBytes = 16 << 20

  /// Bytes of all files, those of archives unpacked. A server can hold that much in memory a few
  /// times over.
  public static let bytes = 64 << 20
}

/// The bounds of an import, each with its reason. Exceeding one is an error diagnostic.
enum Limits {
  /// Files of one upload. The largest app seen has about 500 (107 languages, a few tables each).
  static let files = 4096

  /// Entries of an archive, of which most may be of no interest: an export holds sources and notes.
  static let archiveEntries = 16_384

  /// Bytes of a path; file systems stop at 4096, sane projects long before.
  static let pathBytes = 1024

  /// Entries of one table. The largest apps have about 20,000.
  static let entries = 100_000

  /// UTF-8 bytes of a key. Keys may be whole sentences, not documents.
  static let keyBytes = 4096

  /// UTF-8 bytes of a text. A notification holds 4096 bytes; legal texts in tables run longer.
  static let textBytes = 65_536

  /// Nesting of dictionaries and arrays; CoreFoundation's own limit.
  static let nesting = 512

  /// Diagnostics of one file: more help nobody, and a hostile file makes one per few bytes.
  static let fileDiagnostics = 100

  /// Diagnostics of one import.
  static let importDiagnostics = 1000

  /// Variables of one entry. Four is the most seen; this bounds the walk through the references
  /// between variables.
  static let variables = 64

  /// Width variants of one entry. Apple's example has three; each is checked on its own.
  static let widths = 64

  /// Bytes of the variables of one entry if each device and width has a copy of those that it can
  /// show: answers have the copies. Four variables of 600 bytes for eight devices have 27 KB.
  static let copiedVariableBytes = 1 << 17

  /// Bytes that a copy of a variable takes besides its name and its texts.
  static let variableBytes = 256

  /// Unicode scalars of a name that a message quotes.
  static let quotedScalars = 80

  /// Values of one string catalog. A text takes four in at least 70 bytes, so a file of the largest
  /// size fits. Read as nodes, so many values take 100 MB at worst.
  static let catalogValues = 1 << 20

  /// Languages of one import, and of one string catalog: the most that a bundle's languages are
  /// matched against.
  static let languages = 512

  /// Keys times languages of all tables. A catalog has a place of 24 bytes for each, be it empty;
  /// 20,000 keys in 107 languages, the most seen of either, are half of it.
  static let cells = 4 << 20

  /// Tables outside of any `.lproj` times languages, as each counts in every language: 600 tables
  /// in 107 languages, the most seen.
  static let outsideTables = 1 << 16

  /// The number of an argument. Foundation's positions end here.
  static let argumentNumber = 127

  /// Bytes of a variable's specifier, which stands for each `%arg` of its texts: `lld`, `.2f`.
  static let specifierBytes = 16

  /// UTF-8 bytes of a word of a format: the name of an element, a state. The longest word that
  /// Xcode writes has 29. Of a longer word this much is kept, so that messages can quote it.
  static let wordBytes = 64

  /// UTF-8 bytes of a unit's id: a key, and the path of a text below it.
  static let identifierBytes = keyBytes + pathBytes

  /// Attributes of one XML element; each is compared with the others. XLIFF's root has five.
  static let attributes = 64

  /// Bytes of the name of an encoding. The longest that is read has 12.
  static let encodingNameBytes = 32

  /// Bytes of an XML declaration: three short attributes.
  static let declarationBytes = 256

  /// Bytes of an XML reference between `&` and `;`: `#x10FFFF` and some zeros.
  static let referenceBytes = 16

  /// Values of one property list. 100,000 entries with ten values each; shared objects let a
  /// small binary list stand for far more.
  static let propertyListValues = 1_000_000

  /// `<file>` elements of one XLIFF file, as many as files of an upload: each is one.
  static let exchangeFiles = 4096

  /// Units of one key. A text by six categories for eight devices has 48, Limits.variables of six
  /// 384.
  static let units = 512

  /// References to variables in one text and its cases, beyond which it is not compared with
  /// other languages. Real texts have three; each reference means reading the cases once more.
  static let comparedReferences = 8

  /// Names of states that are counted apart. XLIFF has ten.
  static let states = 32

  /// Placeholders of one text that are looked at; an entry with more is not compared. Real texts
  /// have six.
  static let comparedPlaceholders = 64
}
