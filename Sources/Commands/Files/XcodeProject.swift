/// What a `project.pbxproj` says about all of its targets.
///
/// Xcode writes a setting as a line of its own, `CURRENT_PROJECT_VERSION = 417;`, so the lines are
/// read and not the property list around them. A value that names another setting is passed over.
struct XcodeProject: Equatable {
  /// `developmentRegion`: the language that the app was written in.
  private(set) var developmentLanguage: String?
  /// Each value of `CURRENT_PROJECT_VERSION`, in order of appearance.
  private(set) var builds: [String] = []

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let (name, value) = Self.setting(line) else { continue }
      switch name {
      case "developmentRegion" where developmentLanguage == nil: developmentLanguage = value
      case "CURRENT_PROJECT_VERSION" where !value.contains("$") && !builds.contains(value):
        builds.append(value)
      default: continue
      }
    }
  }

  private static func setting(_ line: Substring) -> (name: Substring, value: String)? {
    let line = line.drop { $0 == " " || $0 == "\t" }
    let parts = line.split(separator: " = ", maxSplits: 1)
    guard parts.count == 2, parts[1].hasSuffix(";") else { return nil }
    var value = parts[1].dropLast()
    if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
      value = value.dropFirst().dropLast()
    }
    return value.isEmpty ? nil : (parts[0], String(value))
  }
}
