/// What bounds the commands, each with its reason.
enum CommandLimits {
  /// Bytes of an answer that is read whole: the largest page of a list has a few.
  static let answerBytes = 64 << 20
  /// Bytes of a line of a list: an item is bounded by the service, far below.
  static let lineBytes = 16 << 20
  /// Values of one answer that is shown as text.
  static let shownValues = 1 << 20
  /// Rows that decide how wide the columns of a table are; the others come as they are read.
  static let measuredRows = 500
  /// Columns of a cell: a longer text is cut on a terminal.
  static let cellColumns = 60
  /// Bytes of the file of profiles, of a key file.
  static let smallFileBytes = 1 << 20
  /// Files and folders that are looked at for string files: the largest checkouts have as many.
  static let walkedEntries = 1_000_000
  /// Keys that went with an upload and are named in a line.
  static let namedKeys = 5
  /// Bytes of an .ipa, which is read whole.
  static let archiveBytes = 1 << 30
  /// Bytes of an output file that are written at a time.
  static let pieceBytes = 1 << 18
  /// Entries of a page of a list that `tail` reads; the service has at most a thousand in a page.
  static let tailEntries = 200
  /// Pages of a list that one look of `tail` reads: 20,000 entries.
  static let tailPages = 100
  /// Times that a change is tried when others change the same: each try may lose to one of theirs.
  static let changeTries = 10
  /// Microseconds before the second try; before each further one they are as many more. The service
  /// shows a change to all a moment after it is made.
  static let changePauseMicroseconds: UInt32 = 200_000
  /// Entries of an .ipa: large games have some ten thousand.
  static let archiveEntries = 65_535
  /// Bytes of a project file; the largest seen has 3 MB.
  static let projectBytes = 32 << 20
  /// Lines of a table among which that with the names of its columns is, and their bytes: programs
  /// write a title in front of it.
  static let tableHeadLines = 20
  static let tableHeadBytes = 64 * 1024
  /// Rows of a table that are compared with later ones: some 30 MB.
  static let tableRows = 250_000
}
