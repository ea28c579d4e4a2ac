import Testing

@testable import CatalogFormats

/// Which of the files that are there give way to others.
@Suite struct FileReplacementTests {
  struct Case: CustomTestStringConvertible {
    let stored: [String]
    let given: [String]
    /// The paths afterwards; those of given files have a `+`.
    let files: [String]
    var ambiguous: [String] = []

    var testDescription: String { "\(given) over \(stored)" }
  }

  static let cases = [
    Case(stored: [], given: ["a/A.strings"], files: ["+a/A.strings"]),
    Case(
      stored: ["a/A.strings", "b/A.strings"], given: ["b/A.strings"],
      files: ["a/A.strings", "+b/A.strings"]),
    Case(stored: ["App/a/A.strings"], given: ["a/A.strings"], files: ["+App/a/A.strings"]),
    Case(stored: ["a/A.strings"], given: ["App/a/A.strings"], files: ["+a/A.strings"]),
    // The end of a path begins with a folder.
    Case(
      stored: ["Appa/A.strings"], given: ["a/A.strings"],
      files: ["Appa/A.strings", "+a/A.strings"]),
    Case(
      stored: ["App/a/A.strings", "Clock/a/A.strings"], given: ["a/A.strings", "b/A.strings"],
      files: ["App/a/A.strings", "Clock/a/A.strings", "+b/A.strings"],
      ambiguous: ["a/A.strings"]),
    Case(
      stored: ["x/a/A.strings", "y/a/A.strings", "z/a/A.strings"], given: ["a/A.strings"],
      files: ["x/a/A.strings", "y/a/A.strings", "z/a/A.strings"], ambiguous: ["a/A.strings"]),
    // What has its own path is not meant by the end of another.
    Case(
      stored: ["App/a/A.strings", "a/A.strings"], given: ["a/A.strings"],
      files: ["App/a/A.strings", "+a/A.strings"]),
    Case(
      stored: ["App/a/A.strings"], given: ["App/a/A.strings", "a/A.strings"],
      files: ["+App/a/A.strings", "+a/A.strings"]),
  ]

  @Test(arguments: cases) func filesGiveWay(to test: Case) {
    let replacement = FileReplacement(
      of: test.stored.map { SourceFile(path: $0, bytes: []) },
      by: test.given.map { SourceFile(path: $0, bytes: [1]) })
    #expect(replacement.files.map { ($0.bytes.isEmpty ? "" : "+") + $0.path } == test.files)
    #expect(replacement.ambiguous.map(\.file.path) == test.ambiguous)
    #expect(replacement.ambiguous.allSatisfy { $0.paths.count == 2 })
  }
}
