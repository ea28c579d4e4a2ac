import JSON
import Testing

@testable import Registry

/// Tags that are added and removed.
@Suite struct TagChangeTests {
  /// `pointer code` of every fault.
  private func faults(_ json: String) -> [String] {
    do {
      _ = try TagChange.decode(Array(json.utf8))
      return []
    } catch {
      return error.problems.map { "\($0.pointer) \($0.code)" }
    }
  }

  @Test(
    arguments: [
      (["a", "b"], #"{"add": ["c", "a"], "remove": ["b", "x"]}"#, ["a", "c"]),
      (["a", "b"], #"{"add": ["a"], "remove": ["x"]}"#, nil),
      (["a", "b"], #"{"add": [], "remove": []}"#, nil),
      (["a", "b"], #"{"remove": ["b", "a"]}"#, []),
      ([], #"{"add": ["b", "a", "b"]}"#, ["b", "a"]),
      (["a"], #"{"add": ["A", ""]}"#, ["a", "A", ""]),
    ] as [([String], String, [String]?)])
  func tagsBecome(_ tags: [String], _ json: String, _ expected: [String]?) throws {
    let change = try TagChange.decode(Array(json.utf8)).body
    #expect(change.newTags(from: tags) == expected.map(TagChange.NewTags.changed) ?? .same)
    // The same change once more changes nothing.
    #expect(change.newTags(from: expected ?? tags) == .same)
  }

  @Test func moreThanAnInstallationMayHaveAreNotTaken() throws {
    let full = (1...RegistryLimits.tags).map { "t\($0)" }
    func newTags(_ json: String) throws -> TagChange.NewTags {
      try TagChange.decode(Array(json.utf8)).body.newTags(from: full)
    }
    #expect(try newTags(#"{"add": ["a", "t1"]}"#) == .tooMany(RegistryLimits.tags + 1))
    #expect(
      try newTags(#"{"add": ["a"], "remove": ["t1"]}"#) == .changed(full.dropFirst() + ["a"]))
    #expect(try newTags(#"{"add": ["t1"]}"#) == .same)
  }

  @Test(
    arguments: [
      ("{}", [" missing_field"]),
      (#"{"add": null}"#, ["/add wrong_type"]),
      (#"{"add": "a"}"#, ["/add wrong_type"]),
      (#"{"remove": ["a", 1]}"#, ["/remove/1 wrong_type"]),
      (#"{"add": ["a", "b"], "remove": ["c", "b"]}"#, ["/remove in_both_lists"]),
      (#"{"add": ["a"], "tags": ["b"]}"#, ["/tags unknown_field"]),
      (#"{"add": ["a\u0000"]}"#, ["/add/0 contains_nul"]),
      ("{\"remove\": [\"\(String(repeating: "a", count: 129))\"]}", ["/remove/0 too_long"]),
      (
        "{\"add\": [\(Array(repeating: "\"a\"", count: 61).joined(separator: ","))]}",
        ["/add too_many"]
      ),
      ("[]", [" wrong_type"]),
    ] as [(String, [String])])
  func faultsAreToldWithTheirPlaces(json: String, expected: [String]) {
    #expect(faults(json) == expected)
  }
}
