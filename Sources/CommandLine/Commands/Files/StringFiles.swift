internal import CatalogFormats

/// The string files that were found, and what lay beside them.
struct StringFiles {
  /// The files, by their paths below the place that was named, in order.
  var files: [SourceFile] = []
  /// The build numbers that a project or a built app has.
  var builds: [String] = []
  /// The languages that they were written in.
  var developmentLanguages: [String] = []
  /// The targets of all projects.
  var targets: [XcodeProject.Target] = []
  /// What is not among the files, as it belongs to targets that are not wanted.
  private(set) var leftOut: (files: Int, targets: [String]) = (0, [])
  /// What stands before a path to make it one from here.
  var prefix = ""

  /// The path of a file as it can be opened from here.
  func shown(_ path: String) -> String { path.isEmpty ? prefix : prefix + path }

  /// Of all files.
  var bytes: Int { files.reduce(0) { $0 + $1.bytes.count } }

  mutating func add(_ project: XcodeProject) {
    for build in project.builds where !builds.contains(build) { builds.append(build) }
    add(language: project.developmentLanguage)
    targets += project.targets
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
    guard self.bytes <= UploadLimits.bytes else {
      throw Exit(
        ExitCode.data,
        "The string files have more than \(UploadLimits.bytes) bytes: name a folder further "
          + "in, or leave some out by --exclude.")
    }
  }

  /// Leaves out what the app does not read: files of other targets than those of these names, or
  /// without names, of extensions and tests.
  ///
  /// A file belongs to the target after which the innermost of its folders is named, as Xcode
  /// names the folders that it makes. What lies elsewhere may be anyone's, and stays.
  ///
  ///     Food/en.lproj/Localizable.strings          stays
  ///     FoodWidget/en.lproj/Localizable.strings    is left out: FoodWidget is an extension
  ///     Shared/en.lproj/Localizable.strings        stays
  ///
  /// - Throws: ``Exit`` when there is no such target.
  mutating func keep(targets wanted: [String]) throws(Exit) {
    let names = Set(targets.map(\.name))
    if let unknown = wanted.first(where: { !names.contains($0) }) {
      guard !names.isEmpty else {
        throw Exit(
          ExitCode.usage,
          "There is no project that says what the target \(unknown) is: name a folder further in, "
            + "or leave some out by --exclude.")
      }
      throw Exit(
        ExitCode.usage,
        "The project has no target \(unknown); it has \(names.sorted().joined(separator: ", ")).")
    }
    let unwanted =
      wanted.isEmpty
      ? Set(targets.filter { $0.kind == .apart }.map(\.name)) : names.subtracting(wanted)
    var found: Set<String> = []
    let kept = files.filter { file in
      let folders = file.path.split(separator: "/").dropLast().map(String.init)
      guard let target = folders.last(where: names.contains), unwanted.contains(target) else {
        return true
      }
      found.insert(target)
      return false
    }
    leftOut = (files.count - kept.count, found.sorted())
    files = kept
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
