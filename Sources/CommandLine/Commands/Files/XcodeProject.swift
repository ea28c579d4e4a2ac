/// What a `project.pbxproj` says about all of its targets.
///
/// Xcode writes a setting as a line of its own, `CURRENT_PROJECT_VERSION = 417;`, so the lines are
/// read and not the property list around them. A value that names another setting is passed over.
struct XcodeProject: Equatable {
  /// What Xcode builds into a bundle of its own.
  struct Target: Equatable {
    /// What its bundle is to the app.
    enum Kind: Equatable {
      /// The app itself, whose strings a notification can name.
      case app
      /// A bundle that an app never reads strings from: of an extension, a test, an App Clip, a
      /// watch.
      case apart
      /// A framework, a library, a tool.
      case other

      /// - Parameter productType: As `com.apple.product-type.app-extension`.
      init(productType: String) {
        let words = ["extension", "bundle.unit-test", "bundle.ui-testing", "watch", "on-demand"]
        self =
          words.contains { productType.contains($0) }
          ? .apart : productType == "com.apple.product-type.application" ? .app : .other
      }
    }

    let name: String
    let kind: Kind
  }

  /// `developmentRegion`: the language that the app was written in.
  private(set) var developmentLanguage: String?
  /// Each value of `CURRENT_PROJECT_VERSION`, in order of appearance.
  private(set) var builds: [String] = []
  /// What it builds. Xcode writes a target's members by name, `isa` first.
  private(set) var targets: [Target] = []

  init(_ text: String) {
    var target: String?
    for line in text.split(whereSeparator: \.isNewline) {
      guard let (name, value) = Self.setting(line) else { continue }
      switch name {
      case "isa": target = value == "PBXNativeTarget" ? "" : nil
      case "name" where target == "": target = value
      case "productType":
        if let target, !target.isEmpty {
          targets.append(Target(name: target, kind: .init(productType: value)))
        }
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
