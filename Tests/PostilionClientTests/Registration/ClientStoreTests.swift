import Foundation
import Testing

@testable import PostilionClient

/// What outlives the process.
@Suite struct ClientStoreTests {
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("postilion client \(UUID().uuidString)")

  @Test func aFileIsReplacedAsAWhole() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = FileStore(url: directory.appendingPathComponent("deep/state"))
    #expect(try store.load() == nil)
    try store.save(Data("one".utf8))
    try store.save(Data("two".utf8))
    #expect(try store.load() == Data("two".utf8))
    let names = try FileManager.default.contentsOfDirectory(
      atPath: directory.appendingPathComponent("deep").path)
    #expect(names == ["state"])
  }

  /// The choice counts on the next phone; what names a device or a person does not come to it.
  @Test func onlyTheChoiceIsBackedUp() throws {
    #expect(try #require(ClientTools.choiceStore as? FileStore).isBackedUp)
    #expect(try !#require(ClientTools.file("state") as? FileStore).isBackedUp)
    #expect(try !#require(ClientTools.file("identity") as? FileStore).isBackedUp)
  }

  @Test func aDirectoryInThePlaceOfTheFileIsAnError() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let store = FileStore(url: directory)
    #expect(throws: (any Error).self) { try store.load() }
    #expect(throws: (any Error).self) { try store.save(Data()) }
  }

  @Test func anIdentityIsKept() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = FileStore(url: directory.appendingPathComponent("identity"))
    let store = StoredIdentity(store: file)
    #expect(try store.load() == nil)
    let identity = InstallationIdentity()
    try store.save(identity)
    #expect(try store.load() == identity)
    #expect(identity.secret.utf8.count == 43)
    #expect(identity != InstallationIdentity())
    try file.save(Data("{".utf8))
    #expect(try store.load() == nil)
  }
}
