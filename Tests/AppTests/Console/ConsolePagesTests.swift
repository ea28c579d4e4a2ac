import AppTesting
import Console
import Foundation
import Testing

/// The files of the console come out of the program, and no page can make them do anything else.
@Suite struct ConsolePagesTests {
  private static let directory = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/Server/Console/Files")

  private static let paths = ["/"] + ConsoleFile.parts.map { "/console/\($0.name)" }

  @Test func everyFileIsServed() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
    let names = ConsoleFile.parts.map(\.name) + [ConsoleFile.page.name]
    #expect(names.sorted() == files.filter { !$0.hasPrefix(".") }.sorted())
    for file in ConsoleFile.parts + [.page] {
      let bytes = try Data(contentsOf: Self.directory.appending(path: file.name))
      #expect(file.bytes == [UInt8](bytes), "\(file.name)")
    }
  }

  /// A name that the search box does not know would be searched as that of an attribute.
  @Test func theSearchBoxKnowsEveryFilter() throws {
    let file = try #require(ConsoleFile.parts.first { $0.name == "devices.js" })
    let script = String(decoding: file.bytes, as: UTF8.self)
    let list = try #require(script.firstMatch(of: /const names = new Set\(\(([^)]+)\)/))
    let names = list.1.matches(of: /'([^']+)'/).flatMap { $0.1.split(separator: " ") }
    // Those with a name of the app's or of Apple's within have rules of their own.
    let filters = Contract.source.parameters(of: "listInstallations").filter {
      $0 != "sort" && $0 != "attributes" && !$0.hasPrefix("authorization[")
    }
    #expect(filters.count > 30)
    #expect(names.map(String.init).sorted() == filters.sorted())
  }

  @Test(arguments: Transport.allCases)
  func aBrowserGetsThePage(transport: Transport) async throws {
    let client = try await TestService.shared().client(transport, key: nil)
    for path in Self.paths {
      let reply = try await client.get(path)
      #expect(reply.status == 200, "\(path)")
      #expect(reply["cache-control"] == "no-cache")
      let policy = try #require(reply["content-security-policy"])
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
      #expect(!policy.contains("unsafe"))
      let tag = try #require(reply["etag"])
      let again = try await client.send("GET", path, fields: [("If-None-Match", tag)])
      #expect(again.status == 304, "\(path)")
    }
    let page = try await client.get("/")
    #expect(page["content-type"] == "text/html; charset=utf-8")
    #expect(page.text.hasPrefix("<!doctype html>"))
    #expect(try await client.get("/console/none.js").status == 404)
    #expect(try await client.send("POST", "/").status == 405)
  }

  @Test func itIsCompressedForThoseThatTakeIt() async throws {
    let client = try await TestService.shared().client(.socket, key: nil)
    let plain = try await client.get("/console/main.js")
    #expect(plain["content-encoding"] == nil)
    #expect(plain["vary"] == "Accept-Encoding")
    for (offer, isTaken) in [
      ("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0.8", true), ("GZIP", true),
      ("gzip;q=0", false), ("br, gzip; q=0.0", false), ("identity", false), ("xgzip", false),
    ] {
      let reply = try await client.send(
        "GET", "/console/main.js", fields: [("Accept-Encoding", offer)])
      #expect((reply["content-encoding"] == "gzip") == isTaken, "\(offer)")
      #expect((reply["etag"] == plain["etag"]) != isTaken, "\(offer)")
      #expect(reply.body.starts(with: [0x1F, 0x8B]) == isTaken, "\(offer)")
    }
  }

  /// What a person waits for: the whole console, and what it weighs on the wire.
  @Test func itIsLight() async throws {
    let client = try await TestService.shared().client(.inProcess, key: nil)
    var bytes = 0
    for path in Self.paths {
      bytes += try await client.send("GET", path, fields: [("Accept-Encoding", "gzip")]).body.count
    }
    #expect(bytes < 150_000, "\(bytes) bytes")
  }

  /// A policy without `unsafe-inline` is kept by writing nothing inline.
  @Test func nothingStandsInline() throws {
    let page = String(decoding: ConsoleFile.page.bytes, as: UTF8.self)
    #expect(
      page.ranges(of: "<script").count == page.ranges(of: #"<script type="module" src=""#).count)
    for text in ["<style", "style=", "onclick", "http:", "https:"] {
      #expect(!page.contains(text), "\(text)")
    }
    for file in ConsoleFile.parts where file.name.hasSuffix(".js") {
      let script = String(decoding: file.bytes, as: UTF8.self)
      for text in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        #expect(!script.contains(text), "\(file.name): \(text)")
      }
    }
  }
}
