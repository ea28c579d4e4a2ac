extension Limits {
  /// A rendering: ten thousand recipients of 400 bytes each; more are lines.
  static let renderBodyBytes = 4 * 1024 * 1024

  /// Bytes of the files of catalogs that one rendering keeps to itself: a dozen large builds.
  /// Catalogs beyond this bound may be replaced while the rendering runs.
  static let pinnedCatalogBytes = 64 << 20

  /// Installations or users that an audience lists: as many as the statement takes in a few
  /// milliseconds.
  static let listedAudience = 6000
  /// Devices of a named audience that are read at once; more are streamed.
  static let fewDevices = 256
  /// Tokens of a line of groups: a sender takes as many at a time.
  static let groupTokens = 1000
  /// Bytes of tokens that wait for their lines to be full, some 67 each. 80 payloads can wait for
  /// full lines. With more payloads, or with longer tokens, the fullest line goes as it is.
  static let waitingTokenBytes = 80 * groupTokens * 67
  /// Bytes of different traits of an audience that are remembered: some 20,000 traits. In an app
  /// that anyone can register with, the traits of one device may have five thousand bytes.
  static let rememberedTraitBytes = 4 << 20
  /// Different circumstances of devices that are remembered: more than lines, because they include
  /// the circumstances of skipped devices.
  static let rememberedCircumstances = 4096
  /// Bytes of lines that are remembered, about: some 2,000 lines of usual messages. A real audience
  /// has a line for each language or, with dates, for each language in each time zone.
  static let rememberedLineBytes = 4 << 20
  /// Plans of a loop: a backend sends a few messages at a time.
  static let renderPlans = 8
  /// Bytes of the lines of a plan, about: 1,000 of usual messages.
  static let planLineBytes = 2 << 20
  /// Bytes of the traits that the lines of a plan are for: some 7,000 traits.
  static let planTraitBytes = 1 << 20
  /// How long a plan lasts: it holds on to catalogs that the rest of the service may have
  /// forgotten.
  static let renderPlanSeconds: Int64 = 60
  /// How long a rendering reads traits before other work of the loop has its turn: the traits of a
  /// portion may all be different.
  static let renderTurnNanoseconds: UInt64 = 1_000_000
  /// Lines of one piece that are made on the loop: a line with long arguments may take
  /// milliseconds, and a thread costs some 30 µs.
  static let linesMadeOnLoop = 8
  /// Recipients of a JSON body: a backend has as many at hand. More recipients come as lines.
  static let recipients = 10_000
  /// Bytes of a recipient's line: every argument as long as a payload takes, many times over.
  static let recipientLineBytes = 64 * 1024
  /// Recipients that are read, looked up and rendered together: a millisecond of each, and nothing
  /// to gain from more.
  static let recipientsPerPiece = 512
  /// Pieces whose devices are looked up while one piece is rendered: two statements are then under
  /// way, and no session of the database waits until the program reads rows.
  static let recipientPiecesAhead = 2
  /// Bytes of lines that are taken together.
  static let recipientPieceBytes = 64 * 1024
  /// Installations whose Live Activities are ended together: what one transaction takes.
  static let endedTogether = 256
  /// Devices of a recipient: a person has a handful, and an audience is asked for with `to`.
  static let recipientDevices = 256
  /// Devices of recipients that are in memory together, about: 1 MiB of rows.
  static let recipientRows = 2048
}
