import Foundation
import Testing

@testable import EventLoop

@Suite struct SystemMemoryTests {
  /// Pages of mapped files that are in memory (proc(5), statm: the third number).
  private func filePages() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return try #require(Int(text.split(separator: " ")[2]))
  }

  @Test func theProgramGivesItsPagesBackAndGoesOn() throws {
    let before = try filePages()
    SystemMemory.trimProgram()
    #expect(try filePages() < before)
    // A part that the test has not run before is mapped again.
    #expect(Date(timeIntervalSince1970: 0).formatted(.iso8601) == "1970-01-01T00:00:00Z")
  }
}
