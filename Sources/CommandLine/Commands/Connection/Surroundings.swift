internal import Foundation
internal import Glibc

/// What a command finds around it; only the program reads the real ones.
public struct Surroundings: Sendable {
  /// The variables of the environment.
  public var environment: [String: String]
  /// The release, which calls tell the service.
  public var version: String
  /// Where it writes.
  public var terminal: Terminal

  /// Surroundings.
  public init(environment: [String: String], version: String, terminal: Terminal) {
    self.environment = environment
    self.version = version
    self.terminal = terminal
  }

  /// The file of profiles; `nil` without a home.
  var profilesFile: String? {
    if let directory = environment["XDG_CONFIG_HOME"], directory.hasPrefix("/") {
      return directory + "/postilion/profiles.json"
    }
    return environment["HOME"].map { $0 + "/.config/postilion/profiles.json" }
  }

  /// The profiles; none when there is no file.
  /// - Throws: ``Exit`` when others may read the file, or it cannot be read.
  func profiles() throws(Exit) -> [String: Profile] {
    guard let file = profilesFile else { return [:] }
    var status = stat()
    guard stat(file, &status) == 0 else { return [:] }
    guard status.st_mode & 0o077 == 0 else {
      throw Exit(
        ExitCode.configuration,
        "\(file) can be read by others, and it holds keys: chmod 600 \(file).")
    }
    return try Profile.all(
      try InputFile.bytes(file, limit: CommandLimits.smallFileBytes), file: file)
  }
}
