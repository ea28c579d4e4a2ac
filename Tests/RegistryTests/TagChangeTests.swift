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
    #expect(change.outcome(for: tags) == expected.map(TagChange.Outcome.changed) ?? .same)
    // The same change once more changes nothing.
    #expect(change.outcome(for: expected ?? tags) == .same)
  }

  @Test func moreThanAnInstallationMayHaveAreNotTaken() throws {
    let full = (1...RegistryLimits.tags).map { "t\($0)" }
    func outcome(_ json: String) throws -> TagChange.Outcome {
      try TagChange.decode(Array(json.utf8)).body.outcome(for: full)
    }
    #expect(try outcome(#"{"add": ["a", "t1"]}"#) == .tooMany(RegistryLimits.tags + 1))
    #expect(
      try outcome(#"{"add": ["a"], "remove": ["t1"]}"#) == .changed(full.dropFirst() + ["a"]))
    #expect(try outcome(#"{"add": ["t1"]}"#) == .same)
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
