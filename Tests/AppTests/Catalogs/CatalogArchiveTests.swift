import AppTesting
import TestSupport
import Testing

/// A catalog that comes as an archive.
@Suite struct CatalogArchiveTests {
  private static func folders(_ method: ZipBuilder.Method) -> ZipBuilder {
    ZipBuilder(
      [
        ("en.lproj/Localizable.strings", #""READY" = "Ready";"#),
        ("fr.lproj/Localizable.strings", #""READY" = "Prêt";"#),
        ("__MACOSX/fr.lproj/._Localizable.strings", "junk"), (".DS_Store", "junk"),
      ], method)
  }

  @Test(arguments: Transport.allCases, ZipBuilder.Method.allCases)
  func itsStringsAreThoseOfTheBuild(transport: Transport, method: ZipBuilder.Method) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/catalogs/412"
    let uploaded = try await app.admin.upload(
      path, bytes: [(path: "strings.zip", bytes: Self.folders(method).bytes)])
    #expect(uploaded.status == 201, "\(uploaded.text)")
    #expect(uploaded.json["languages"] == ["en", "fr"])
    #expect(uploaded.json["diagnostics"] == [])
    let preview = try await app.admin.post(
      "\(app.path)/preview",
      [
        "message": ["alert": ["body": ["key": "READY"]]], "languages": ["fr-CA"],
        "app_version": "412",
      ])
    #expect(preview.json["languages"][0]["body"] == "Prêt", "\(preview.text)")

    // What is stored can be read again, and a broken archive replaces nothing.
    var broken = Self.folders(method)
    broken.entries[1].checksum ^= 1
    let refused = try await app.admin.upload(path, bytes: [(path: "new.zip", bytes: broken.bytes)])
    #expect(refused.status == 422)
    #expect(refused.json["errors"][0]["code"] == "malformed_archive")
    #expect(refused.json["errors"][0]["pointer"] == "new.zip:1:1")
    let strings = try await app.admin.items("\(path)/strings?language=fr")
    #expect(strings.map { $0["value"] } == ["Prêt"])
  }
}
