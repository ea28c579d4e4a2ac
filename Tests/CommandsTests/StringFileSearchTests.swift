import CatalogFormats
import Foundation
import TestSupport
import Testing

@testable import Commands

/// String files, wherever Xcode puts them.
@Suite final class StringFileSearchTests: Sendable {
  private let directory = NSTemporaryDirectory() + "string files \(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func make(_ files: [String: String]) throws {
    for (path, text) in files {
      let url = URL(filePath: "\(directory)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
  }

  private func found(_ path: String = "", _ excluded: [String] = []) throws -> StringFiles {
    try StringFileSearch.found(
      at: path.isEmpty ? directory : "\(directory)/\(path)", excluding: excluded)
  }

  @Test(
    arguments: [
      ("Localizable.xcstrings", false, ["App"], .strings), ("fr.xliff", false, [], .strings),
      ("A.strings", false, ["fr.lproj"], .strings),
      ("A.stringsdict", false, ["fr.lproj"], .strings),
      ("A.strings", false, ["App"], .other), ("A.swift", false, ["fr.lproj"], .other),
      (".git", true, [], .other), ("Pods", true, [], .other), ("build", true, ["App"], .other),
      ("build", false, [], .other), ("Food.app", true, [], .other), ("fr.lproj", true, [], .folder),
      ("Food.xcodeproj", true, [], .project), ("fr.xcloc", true, [], .folder),
      ("Localized Contents", true, ["fr.xcloc"], .folder),
      ("Source Contents", true, ["fr.xcloc"], .other),
      ("contents.json", false, ["fr.xcloc"], .other),
      ("fr.xliff", false, ["fr.xcloc", "Localized Contents"], .strings),
    ] as [(String, Bool, [String], PathRole)])
  func roles(name: String, isFolder: Bool, folders: [String], role: PathRole) {
    #expect(PathRole(name, isFolder: isFolder, in: folders) == role)
  }

  @Test func aProjectHasFilesBuildAndLanguage() throws {
    try make([
      "App/en.lproj/Localizable.strings": "\"a\" = \"A\";",
      "App/fr.lproj/Localizable.stringsdict": "", "App/Localizable.xcstrings": "{}",
      "Pods/X/en.lproj/X.strings": "", "App/Settings.strings": "", ".git/en.lproj/a.strings": "",
      "Old/de.lproj/Old.strings": "",
      "Food.xcodeproj/project.pbxproj": """
      \t\tdevelopmentRegion = de;
      \t\t\t\tCURRENT_PROJECT_VERSION = 417;
      \t\t\t\tCURRENT_PROJECT_VERSION = "$(OTHER)";
      \t\t\t\tCURRENT_PROJECT_VERSION = 417;
      """,
    ])
    let found = try found("", ["Old"])
    #expect(
      found.files.map(\.path) == [
        "App/Localizable.xcstrings", "App/en.lproj/Localizable.strings",
        "App/fr.lproj/Localizable.stringsdict",
      ])
    #expect(found.shown("App/a") == "\(directory)/App/a")
    #expect(found.developmentLanguages == ["de"])
    #expect(try found.build(nil) == "417")
    #expect(try found.build("9") == "9")
    #expect(try self.found("Food.xcodeproj").files.count == 4)
  }

  /// As Xcode writes it, as far as it matters.
  private static func project(_ targets: [(name: String, type: String)]) -> String {
    targets.map { target in
      """
      \t\tAB12 /* \(target.name) */ = {
      \t\t\tisa = PBXNativeTarget;
      \t\t\tdependencies = (
      \t\t\t);
      \t\t\tname = "\(target.name)";
      \t\t\tproductName = Other;
      \t\t\tproductType = "com.apple.product-type.\(target.type)";
      \t\t};
      \t\tAB13 /* Debug */ = {
      \t\t\tisa = XCBuildConfiguration;
      \t\t\tname = Debug;
      \t\t};

      """
    }.joined()
  }

  static let targets: [(wanted: [String], files: [String], leftOut: [String])] = [
    ([], ["Food", "FoodKit", "Shared"], ["Food Widget", "FoodTests"]),
    (["Food"], ["Food", "Shared"], ["Food Widget", "FoodKit", "FoodTests"]),
    (["Food Widget"], ["Food/Food Widget", "Shared"], ["Food", "FoodKit", "FoodTests"]),
    (["Food", "FoodKit"], ["Food", "FoodKit", "Shared"], ["Food Widget", "FoodTests"]),
  ]

  @Test(arguments: targets)
  func filesOfOtherTargetsAreLeftOut(
    wanted: [String], files: [String], leftOut: [String]
  ) throws {
    var tree = [
      "Food.xcodeproj/project.pbxproj": Self.project([
        ("Food", "application"), ("Food Widget", "app-extension"), ("FoodKit", "framework"),
        ("FoodTests", "bundle.unit-test"),
      ])
    ]
    for folder in ["Food", "Food/Food Widget", "FoodKit", "FoodTests", "Shared"] {
      tree["\(folder)/en.lproj/Localizable.strings"] = "\"a\" = \"\(folder)\";"
    }
    try make(tree)
    let found = try StringFileSearch.found(at: directory, excluding: [], targets: wanted)
    #expect(
      found.files.map(\.path) == files.map { "\($0)/en.lproj/Localizable.strings" })
    #expect(found.leftOut.targets == leftOut)
    #expect(found.leftOut.files == leftOut.count)
  }

  @Test func aTargetMustBeThere() throws {
    try make(["App/en.lproj/A.strings": "\"a\" = \"A\";"])
    let none = #expect(throws: Exit.self) {
      try StringFileSearch.found(at: directory, excluding: [], targets: ["Food"])
    }
    #expect(none?.line.contains("There is no project that says what the target Food is") == true)
    try make(["B.xcodeproj/project.pbxproj": Self.project([("Food", "application")])])
    let other = #expect(throws: Exit.self) {
      try StringFileSearch.found(at: directory, excluding: [], targets: ["Fod"])
    }
    #expect(other?.line == "postilion: The project has no target Fod; it has Food.")
    #expect(other?.code == ExitCode.usage)
  }

  @Test func anExportHasOneFile() throws {
    try make([
      "fr.xcloc/Localized Contents/fr.xliff": "<xliff/>",
      "fr.xcloc/Source Contents/en.lproj/a.strings": "", "fr.xcloc/contents.json": "{}",
    ])
    let paths = ["fr.xcloc/Localized Contents/fr.xliff"]
    #expect(try found("fr.xcloc").files.map(\.path) == paths)
    #expect(try found("fr.xcloc/").files.map(\.path) == paths)
    #expect(try found().files.map(\.path) == paths)
  }

  private let list = """
    <?xml version="1.0"?><plist version="1.0"><dict><key>CFBundleVersion</key><string>418</string>
    <key>CFBundleDevelopmentRegion</key><string>en</string></dict></plist>
    """

  @Test(arguments: [("Food.app", "", ""), ("Mac.app", "Contents/", "Contents/Resources/")])
  func aBuiltAppHasItsOwnBuild(app: String, contents: String, resources: String) throws {
    try make([
      "\(app)/\(contents)Info.plist": list,
      "\(app)/\(resources)fr.lproj/Localizable.strings": "",
      "\(app)/PlugIns/X.appex/fr.lproj/Localizable.strings": "",
    ])
    let found = try found(app)
    #expect(found.files.map(\.path) == ["fr.lproj/Localizable.strings"])
    #expect(
      found.shown(found.files[0].path).hasSuffix("\(app)/\(resources)fr.lproj/Localizable.strings"))
    #expect(try found.build(nil) == "418")
  }

  @Test func anArchiveOfAnAppIsReadInPlace() throws {
    try make([
      "Food.xcarchive/Products/Applications/Food.app/Info.plist": list,
      "Food.xcarchive/Products/Applications/Food.app/de.lproj/A.strings": "",
    ])
    #expect(try found("Food.xcarchive").files.map(\.path) == ["de.lproj/A.strings"])
    let zip = ZipBuilder([
      ("Payload/Food.app/Info.plist", list),
      ("Payload/Food.app/fr.lproj/A.strings", "\"a\"=\"b\";"),
      ("Payload/Food.app/PlugIns/X.appex/fr.lproj/A.strings", ""),
      ("Payload/Food.app/Food", "code"),
    ])
    try Data(zip.bytes).write(to: URL(filePath: "\(directory)/Food.ipa"))
    let found = try found("Food.ipa")
    #expect(found.files.map(\.path) == ["fr.lproj/A.strings"])
    #expect(found.files.first?.bytes.count == 8)
    #expect(try found.build(nil) == "418")
  }

  /// A path, and what is left out as it is below it.
  static let exclusions: [(path: String, excluded: String)] = [
    ("", "App/ja.lproj/X.strings"), ("", "./App//ja.lproj/X.strings/"), ("App", "Old/"),
    ("App", "./Old"), ("App/ja.lproj", "X.strings"), ("fr.xcloc", "Localized Contents/X.xliff"),
    ("App.xcodeproj", "App/Old"), ("Food.app", "fr.lproj/X.strings"), ("Food.app", "de.lproj/"),
    ("Food.xcarchive", "Products/Applications/Food.app/fr.lproj/X.strings"),
    ("Food.ipa", "fr.lproj/X.strings"), ("Food.ipa", "./de.lproj"),
  ]

  @Test(arguments: exclusions)
  func whatIsExcludedIsLeftOutOfAnything(path: String, excluded: String) throws {
    let app = [
      ("Info.plist", list), ("fr.lproj/A.strings", ""), ("fr.lproj/X.strings", ""),
      ("de.lproj/A.strings", ""),
    ]
    var tree = [
      "App/ja.lproj/A.strings": "", "App/ja.lproj/X.strings": "", "App/Old/X.xcstrings": "{}",
      "App.xcodeproj/project.pbxproj": "", "fr.xcloc/Localized Contents/fr.xliff": "<xliff/>",
      "fr.xcloc/Localized Contents/X.xliff": "<xliff/>",
    ]
    for place in ["Food.app", "Food.xcarchive/Products/Applications/Food.app"] {
      for (name, text) in app { tree["\(place)/\(name)"] = text }
    }
    try make(tree)
    let zip = ZipBuilder(app.map { (path: "Payload/Food.app/\($0)", text: $1) })
    try Data(zip.bytes).write(to: URL(filePath: "\(directory)/Food.ipa"))
    let kept = try found(path, [excluded]).files.map(\.path)
    let all = try found(path).files.map(\.path)
    #expect(kept.count == all.count - 1)
    #expect(kept.allSatisfy { all.contains($0) })
  }

  /// It is a slip, after which more would be uploaded than is wanted.
  @Test(
    arguments: [
      ("App", "X.strings"), ("App", "../App/Old"), ("App", "."), ("App/A.xcstrings", "A.xcstrings"),
    ])
  func anExclusionOfNothingIsRefused(path: String, excluded: String) throws {
    try make(["App/ja.lproj/X.strings": "", "App/Old/X.xcstrings": "{}", "App/A.xcstrings": "{}"])
    let exit = #expect(throws: Exit.self) { try found(path, [excluded]) }
    #expect(exit?.code == ExitCode.usage)
    #expect(exit?.line.contains("--exclude \(excluded) leaves nothing out") == true)
  }

  @Test func aSingleFileKeepsItsLanguage() throws {
    try make(["App/fr.lproj/A.strings": "", "App/A.xcstrings": "{}"])
    let localized = try found("App/fr.lproj/A.strings")
    #expect(localized.files.map(\.path) == ["fr.lproj/A.strings"])
    #expect(localized.shown("fr.lproj/A.strings") == "\(directory)/App/fr.lproj/A.strings")
    #expect(try found("App/A.xcstrings").files.map(\.path) == ["A.xcstrings"])
  }

  /// The folder that is named is a part of the paths, as it names the language.
  @Test(arguments: ["App/ja.lproj", "App/ja.lproj/", "./App/ja.lproj/.", "App/../App/ja.lproj//"])
  func aLanguagesFolderKeepsItsName(path: String) throws {
    try make([
      "App/ja.lproj/A.strings": "", "App/ja.lproj/B.stringsdict": "",
      "App/ja.lproj/Sub/C.strings": "", "App/en.lproj/A.strings": "",
    ])
    let found = try found(path)
    #expect(
      found.files.map(\.path) == [
        "ja.lproj/A.strings", "ja.lproj/B.stringsdict", "ja.lproj/Sub/C.strings",
      ])
    let shown = found.shown("ja.lproj/A.strings")
    #expect(FileManager.default.fileExists(atPath: shown) && shown.hasSuffix("/ja.lproj/A.strings"))
    for inner in ["App/ja.lproj/Sub", "App/ja.lproj/Sub/C.strings"] {
      #expect(try self.found(inner).files.map(\.path) == ["ja.lproj/Sub/C.strings"])
    }
  }

  @Test func whereNothingIsNothingIsFound() throws {
    try make(["a.txt": "", "broken.ipa": "no zip"])
    #expect(throws: Exit.self) { try found() }
    #expect(throws: Exit.self) { try found("nowhere") }
    let error = #expect(throws: Exit.self) { try found("broken.ipa") }
    #expect(error?.code == ExitCode.data)
  }

  @Test func aBuildMustBeKnown() {
    var files = StringFiles()
    #expect(throws: Exit(ExitCode.usage, "No build number was found: give it by --build 417.")) {
      try files.build(nil)
    }
    files.builds = ["1", "2"]
    #expect(throws: Exit(ExitCode.usage, "There are the build numbers 1, 2: choose by --build.")) {
      try files.build(nil)
    }
  }

  @Test func filesBecomePartsOfAForm() {
    let files = [SourceFile(path: "a \"b\".xcstrings", bytes: Array("{}".utf8))]
    #expect(
      String(decoding: MultipartBody.bytes(files, boundary: "x"), as: UTF8.self)
        == "--x\r\nContent-Disposition: form-data; name=\"file\"; "
        + "filename=\"a %22b%22.xcstrings\"\r\n\r\n{}\r\n--x--\r\n")
  }
}
