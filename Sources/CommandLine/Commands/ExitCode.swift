/// Exit codes, those of sysexits.h but for one.
public enum ExitCode {
  /// All went well.
  public static let ok: Int32 = 0
  /// `postilion doctor` found something wrong.
  public static let unwell: Int32 = 1
  /// The command line is wrong.
  public static let usage: Int32 = 64
  /// What was given is wrong: a file, a body.
  public static let data: Int32 = 65
  /// What was named is not there.
  public static let noInput: Int32 = 66
  /// The service or the database cannot be reached.
  public static let unavailable: Int32 = 69
  /// Something cannot be made, or is there already.
  public static let cannotCreate: Int32 = 73
  /// Reading or writing failed.
  public static let transfer: Int32 = 74
  /// It may go better later.
  public static let temporary: Int32 = 75
  /// The key is not accepted, or must not do this.
  public static let noPermission: Int32 = 77
  /// The profiles cannot be used.
  public static let configuration: Int32 = 78

  /// What they are, for the manual page.
  public static let meanings: [(code: Int32, meaning: String)] = [
    (ok, "All went well."),
    (unwell, "postilion doctor found something wrong."),
    (usage, "The command line is wrong."),
    (
      data,
      "A file or a value is wrong, or does not fit the state of the service; of catalogs, a "
        + "diagnostic that --fail-on names."
    ),
    (noInput, "What was named is not there: a file, an app, a device."),
    (unavailable, "The service or the database cannot be reached."),
    (cannotCreate, "Something cannot be made, or is there already."),
    (transfer, "Reading or writing failed on the way."),
    (temporary, "There are too many calls, or too much goes on: try again later."),
    (noPermission, "The key is not accepted, or may not do this."),
    (configuration, "The file of profiles cannot be read, or other people can read it, too."),
  ]
}

/// Why a command ends early: its exit code and what is said on standard error.
public struct Exit: Error, Sendable, Equatable {
  /// One of ``ExitCode``.
  public let code: Int32
  /// A line, or several when several things are wrong; empty when all was said.
  public let line: String

  /// An end.
  public init(code: Int32, line: String) {
    self.code = code
    self.line = line
  }

  /// The end of a command: `postilion: ` and a sentence that says what to do.
  init(_ code: Int32, _ sentence: String) {
    self.init(code: code, line: "postilion: \(sentence)")
  }
}
