internal import CatalogFormats

/// The string files that were found, and what lay beside them.
struct StringFiles {
  /// The files, by their paths below the place that was named, in order.
  var files: [SourceFile] = []
  /// The build numbers that a project or a built app has.
  var builds: [String] = []
  /// The languages that they were written in.
  var developmentLanguages: [String] = []
  /// What stands before a path to make it one from here.
  var prefix = ""

  /// The path of a file as it can be opened from here.
  func shown(_ path: String) -> String { path.isEmpty ? prefix : prefix + path }

  /// Of all files.
  var bytes: Int { files.reduce(0) { $0 + $1.bytes.count } }

  mutating func add(_ project: XcodeProject) {
    for build in project.builds where !builds.contains(build) { builds.append(build) }
    add(language: project.developmentLanguage)
  }

  mutating func add(_ list: InfoPropertyList) {
    if let build = list.build, !builds.contains(build) { builds.append(build) }
    add(language: list.developmentLanguage)
  }

  private mutating func add(language: String?) {
    guard let language, !developmentLanguages.contains(language) else { return }
    developmentLanguages.append(language)
  }

  mutating func add(_ path: String, _ bytes: [UInt8]) throws(Exit) {
    files.append(SourceFile(path: path, bytes: bytes))
    guard self.bytes <= CommandLimits.uploadBytes else {
      throw Exit(
        ExitCode.data,
        "The string files have more than \(CommandLimits.uploadBytes) bytes: name a folder further "
          + "in, or leave some out by --exclude.")
    }
  }

  /// The build that is meant, if there is one and no other.
  /// - Throws: ``Exit`` that asks for it.
  func build(_ given: String?) throws(Exit) -> String {
    if let given { return given }
    guard let build = builds.first else {
      throw Exit(ExitCode.usage, "No build number was found: give it by --build 417.")
    }
    guard builds.count == 1 else {
      let list = builds.joined(separator: ", ")
      throw Exit(ExitCode.usage, "There are the build numbers \(list): choose by --build.")
    }
    return build
  }
}
