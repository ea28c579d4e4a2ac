import AppTesting
import CatalogFormats
import Foundation
import TestSupport
import Testing
import Zip

/// `catalog push` of whatever Xcode makes, against a service.
@Suite struct CatalogCommandTests {
  private static let english = "\"READY\" = \"%@, your order is ready at %@.\";\n"
  private static let french = "\"READY\" = \"%@, votre commande est prête : %@.\";\n"
  private static let project = "\tdevelopmentRegion = en;\n\tCURRENT_PROJECT_VERSION = 417;\n"

  private func made(_ files: [String: String]) async throws -> ProgramCalls {
    let line = try await ProgramCalls()
    try line.make(files)
    return line
  }

  @Test func aProjectIsUploadedListedAndDeleted() async throws {
    let line = try await made([
      "App/en.lproj/Localizable.strings": Self.english,
      "App/fr.lproj/Localizable.strings": Self.french,
      "Food.xcodeproj/project.pbxproj": Self.project,
    ])
    let pushed = try await line.run(["catalog", "push", line.directory])
    #expect(pushed.status == 0, "\(pushed.errors)")
    let text =
      "build 417 of \(line.app.slug): 2 files, 2 languages, 1 key, 0 errors, 0 warnings.\n"
    #expect(pushed.output == "Uploaded " + text)
    #expect(pushed.errors.isEmpty)
    #expect(try await line.run(["catalog", "push", line.directory]).output == "Replaced " + text)

    let listed = try await line.run(["catalog", "list"])
    let rows = listed.output.split(separator: "\n")
    #expect(rows.first?.hasPrefix("BUILD  KEYS  LANGUAGES  WARNINGS  WRITTEN IN  UPLOADED") == true)
    #expect(rows.last?.hasPrefix("417    1     2          0         en          20") == true)
    let json = try await line.run(["catalog", "list", "--json"]).json
    #expect(json["items"][0]["version"] == "417")
    #expect(json["items"][0]["languages"] == ["en", "fr"])
    #expect(try await line.run(["catalog", "show", "417"]).output.contains("languages  "))
    #expect(try await line.run(["catalog", "delete", "417"]).status == 0)
    let none = try await line.run(["catalog", "list"])
    #expect(none.output.isEmpty && none.errors == "There are none.\n")
  }

  /// What an upload takes away is said, and `--add` takes nothing away.
  @Test func oneLanguageTakesNoneAwayUnlessItIsSaid() async throws {
    let line = try await made([
      "App/en.lproj/Localizable.strings": Self.english + "\"LATE\" = \"Late\";",
      "App/fr.lproj/Localizable.strings": Self.french,
      "App/ja.lproj/Localizable.strings": Self.french,
    ])
    let push = ["catalog", "push", "--build", "417"]
    #expect(try await line.run(push + [line.directory]).status == 0)
    try line.make(["fr.lproj/Localizable.strings": Self.french + "\"TEA\" = \"Thé\";"])
    let french = line.directory + "/fr.lproj/Localizable.strings"
    let added = try await line.run(push + [french, "--add"])
    #expect(added.status == 0, "\(added.errors)")
    #expect(added.errors == "")
    #expect(
      added.output == "Added to build 417 of \(line.app.slug): 1 file, 3 languages, 3 keys, "
        + "0 errors, 0 warnings.\n")

    let replaced = try await line.run(push + [french])
    #expect(
      replaced.output.hasPrefix("Replaced build 417 of \(line.app.slug): 1 file, 1 language"))
    let lines = replaced.errors.split(separator: "\n").map(String.init)
    #expect(
      lines.first == "warning: Build 417 lost the languages en, ja and 1 key (LATE). With --add "
        + "the other files of a build stay.")
    #expect(lines.last?.hasSuffix(" [development_language_missing]") == true)
  }

  /// What is odd about the other files of the build was said when they came.
  @Test func anAdditionSpeaksOfItsOwnFilesAlone() async throws {
    let odd = "\"READY\" = \"%@\";\n"
    let line = try await made([
      "App/en.lproj/Localizable.strings": Self.english,
      "App/fr.lproj/Localizable.strings": odd, "App/de.lproj/Localizable.strings": odd,
      "App/ja.lproj/Localizable.strings": odd,
    ])
    let push = ["catalog", "push", "--build", "417"]
    #expect(
      try await line.run(push + [line.directory + "/App"]).output.hasSuffix(
        "0 errors, 3 warnings.\n"))
    let added = try await line.run(push + [line.directory + "/App/ja.lproj/", "--add"])
    #expect(added.status == 0)
    let lines = added.errors.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasSuffix(" [argument_missing]"), "\(added.errors)")
    #expect(lines.first?.hasPrefix("\(line.directory)/App/ja.lproj/") == true, "\(added.errors)")
    #expect(added.output.hasSuffix("1 file, 4 languages, 1 key, 0 errors, 1 warning.\n"))
  }

  /// A form has at most 2,000 parts, so more files are one archive; and they come back.
  @Test func manyFilesAreOneArchive() async throws {
    let files = (0...UploadLimits.parts).map { ("en.lproj/T\($0).strings", "K = v;") }
    let line = try await made(Dictionary(uniqueKeysWithValues: files))
    let pushed = try await line.run(
      ["catalog", "push", line.directory, "--build", "5", "--json"])
    #expect(pushed.status == 0, "\(pushed.errors)")
    #expect(pushed.json["key_count"].whole == files.count)
    let file = line.directory + "/back.zip"
    let back = try await line.run(["catalog", "download", "5", "--output", file])
    #expect(back.status == 0 && back.errors == "Wrote \(file).\n")
    let archive = try ZipArchive([UInt8](Data(contentsOf: URL(filePath: file))), maximumCount: 5000)
    #expect(Set(archive.entries.map(\.path)) == Set(files.map(\.0)))
    #expect(try await line.run(["catalog", "download", "6"]).status == 66)
  }

  /// An app reads the strings of its own bundle alone, so those of its extensions are not its own.
  @Test func stringsOfOtherTargetsAreLeftOut() async throws {
    let target = "\tisa = PBXNativeTarget;\n\tname = %;\n\tproductType = \"com.apple.product-type"
    let line = try await made([
      "Food/en.lproj/Localizable.strings": Self.english,
      "Clock/en.lproj/Localizable.strings": "NOW = Now; \"READY\" = \"%@ is ready at %@.\";",
    ])
    let push = ["catalog", "push", line.directory, "--build", "1"]
    let place = "\(line.directory)/Food/en.lproj/Localizable.strings:1:1: "
    let both = try await line.run(push)
    #expect(
      both.errors == place + "warning: 'READY' in en differs from the text of "
        + "Clock/en.lproj/Localizable.strings, which counts. [duplicate_file]\n")
    let unknown = try await line.run(push + ["--target", "Food"])
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("There is no project that says what the target Food is"))

    try line.make([
      "Food.xcodeproj/project.pbxproj": target.replacing("%", with: "Food") + ".application\";\n"
        + target.replacing("%", with: "Clock") + ".app-extension\";\n"
    ])
    let told = " of the target Clock; --target chooses others.\n"
    let pushed = try await line.run(push)
    #expect(pushed.status == 0)
    let lost = "warning: Build 1 lost 1 key (NOW). With --add the other files of a build stay.\n"
    #expect(pushed.errors == "Left out 1 file" + told + lost)
    #expect(pushed.output.contains("1 file, 1 language, 1 key, 0 errors, 0 warnings.\n"))
    let other = try await line.run(push + ["--target", "Clock", "--dry-run"])
    #expect(other.errors.contains("Left out 1 file of the target Food;"))
    #expect(try await line.run(push + ["--target", "Fod"]).status == 64)
  }

  /// As a compiler says it, so that editors and CI services lead to the place.
  @Test func aWarningIsShownAndMayFailTheBuild() async throws {
    let line = try await made([
      "App/en.lproj/Localizable.strings": Self.english,
      "App/fr.lproj/Localizable.strings": "\n\"READY\" = \"Votre commande est prête : %@.\";\n",
    ])
    let push = ["catalog", "push", line.directory + "/App", "--build", "5"]
    let place = "\(line.directory)/App/fr.lproj/Localizable.strings:2:1: "
    let strict = try await line.run(push + ["--fail-on", "argument_missing"])
    #expect(strict.status == 65)
    #expect(strict.output.isEmpty)
    let lines = strict.errors.split(separator: "\n")
    #expect(lines.first?.hasPrefix(place + "error: 'READY' in fr ") == true, "\(strict.errors)")
    #expect(lines.first?.hasSuffix(" [argument_missing]") == true)
    #expect(lines.last == "postilion: 1 error, 0 warnings. Nothing was uploaded.")
    #expect(try await line.run(["catalog", "list", "--json"]).json["items"] == [])

    let dry = try await line.run(push + ["--dry-run"])
    #expect(dry.status == 0)
    #expect(dry.errors.contains("2 files would be uploaded as build 5 of \(line.app.slug).\n"))
    #expect(try await line.run(["catalog", "list", "--json"]).json["items"] == [])

    let pushed = try await line.run(push)
    #expect(pushed.status == 0)
    #expect(pushed.errors.hasPrefix(place + "warning: 'READY' in fr "))
    #expect(pushed.errors.split(separator: "\n").count == 1)
    #expect(pushed.output.hasSuffix("0 errors, 1 warning.\n"))
  }

  @Test func anErrorUploadsNothing() async throws {
    let line = try await made(["fr.lproj/Localizable.strings": "\"a\" = \"b\"\n\"c\" = \"d\";"])
    let pushed = try await line.run(["catalog", "push", line.directory, "--build", "5", "--json"])
    #expect(pushed.status == 65)
    #expect(pushed.output.isEmpty)
    #expect(pushed.errors.contains(/Localizable\.strings:1:10: error: .* \[missing_semicolon\]\n/))
    #expect(try await line.run(["catalog", "list", "--json"]).json["items"] == [])
  }

  /// The build is on phones already: what one text lacks is no reason to do without the others.
  @Test func anEntryThatCannotBeReadIsLeftOut() async throws {
    let line = try await made([
      "en.lproj/Localizable.strings": Self.english,
      "en.lproj/Localizable.stringsdict": "<plist><dict>\n<key>EGGS</key><dict/></dict></plist>",
    ])
    let push = ["catalog", "push", line.directory, "--build", "5"]
    let place = "\(line.directory)/en.lproj/Localizable.stringsdict:2:1: error: "
    for command in [push, push + ["--dry-run"], ["catalog", "check", line.directory]] {
      let strict = try await line.run(command + ["--fail-on", "error"])
      #expect(strict.status == 65)
      #expect(strict.errors.hasPrefix(place))
      #expect(strict.errors.contains("postilion: 1 error, 0 warnings, 1 entry left out."))
    }
    #expect(try await line.run(["catalog", "list", "--json"]).json["items"] == [])

    let checked = try await line.run(["catalog", "check", line.directory])
    #expect(checked.status == 0)
    #expect(checked.errors.hasSuffix("2 files, 1 error, 0 warnings, 1 entry left out.\n"))
    let pushed = try await line.run(push)
    #expect(pushed.status == 0, "\(pushed.errors)")
    #expect(pushed.errors.hasPrefix(place))
    #expect(pushed.errors.split(separator: "\n").count == 1)
    #expect(pushed.output.hasSuffix("1 key, 1 error, 0 warnings, 1 entry left out.\n"))
  }

  @Test func theOldNameOfALanguageIsTheLanguage() async throws {
    let line = try await made([
      "English.lproj/A.strings": "\"a\" = \"b\";",
      "A.xcodeproj/project.pbxproj": "\tdevelopmentRegion = English;\n",
    ])
    let pushed = try await line.run(["catalog", "push", line.directory, "--build", "1"])
    #expect(pushed.errors.isEmpty)
  }

  @Test func anExportAndABuiltAppAreUploaded() async throws {
    let unit = """
      <trans-unit id="READY"><source>%@ is ready</source><target>%@ est prêt</target></trans-unit>
      """
    let line = try await made([
      "fr.xcloc/Localized Contents/fr.xliff": """
      <?xml version="1.0" encoding="UTF-8"?><xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" \
      version="1.2"><file original="App/en.lproj/Localizable.strings" source-language="en" \
      target-language="fr" datatype="plaintext"><body>\(unit)</body></file></xliff>
      """
    ])
    let export = try await line.run(
      ["catalog", "push", line.directory + "/fr.xcloc", "--build", "7", "--json"])
    #expect(export.json["version"] == "7", "\(export.errors)")
    #expect(export.json["key_count"] == 1)

    let list = """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>CFBundleVersion</key><string>418</string></dict></plist>
      """
    let archive = ZipBuilder([
      ("Payload/Food.app/Info.plist", list),
      ("Payload/Food.app/fr.lproj/Localizable.strings", Self.french),
    ])
    let path = line.directory + "/Food.ipa"
    try Data(archive.bytes).write(to: URL(filePath: path))
    let built = try await line.run(["catalog", "push", path])
    #expect(built.output.hasPrefix("Uploaded build 418 of "), "\(built.errors)")
  }

  @Test func theAppsOwnLanguageCounts() async throws {
    let line = try await made([
      "de.lproj/A.strings": "\"a\" = \"b\";",
      "A.xcodeproj/project.pbxproj": "\tdevelopmentRegion = de;\n",
    ])
    let pushed = try await line.run(["catalog", "push", line.directory, "--build", "1"])
    #expect(pushed.status == 0)
    #expect(
      pushed.errors.contains(
        "warning: The project is written in de, the app \(line.app.slug) in en"))
  }

  @Test func aCheckNeedsNoService() async throws {
    let line = try await made([
      "en.lproj/A.strings": Self.english, "fr.lproj/A.strings": "\"READY\" = \"%@\";",
    ])
    let nobody = ["POSTILION_URL": "http://127.0.0.1:1", "POSTILION_KEY": ""]
    let check = ["catalog", "check", line.directory]
    let checked = try await line.run(check, nobody)
    #expect(checked.status == 0)
    #expect(checked.errors.hasSuffix("2 files, 0 errors, 1 warning.\n"))
    #expect(try await line.run(check + ["--fail-on", "warning"], nobody).status == 65)
    let unknown = try await line.run(check + ["--fail-on", "argument_mising"], nobody)
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("the nearest is argument_missing"))
  }
}
