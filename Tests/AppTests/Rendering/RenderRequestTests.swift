import JSON
import Testing

@testable import App

@Suite struct RenderRequestTests {
  private static let message = """
    {"alert": "Hello {name}", "parameters": {"name": {"type": "string"}}}
    """
  private static let to = #""to": {"installation": "5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee"}"#

  @Test(
    arguments: [
      ("{}", ["/message missing_field", "/to missing_field"]),
      (
        #"{"message": {"badge": -1, "alert": 1}, "arguments": {"a": 1}, "to": {}, "when": 1}"#,
        [
          "/message/alert wrong_type", "/message/badge out_of_range",
          "/arguments/a unknown_argument", "/to missing_field", "/when unknown_field",
        ]
      ),
      ("{\"message\": \(message), \(to)}", ["/arguments/name missing_argument"]),
      (
        "{\"message\": \(message), \"arguments\": {\"name\": \"\\u0000\"}, \(to), \"explain\": 1}",
        ["/arguments/name contains_nul", "/explain wrong_type"]
      ),
      ("{\"message\": \(message), \"arguments\": [], \(to)}", ["/arguments wrong_type"]),
      // What a parameter takes is not known when it cannot be read.
      (
        #"{"message": {"parameters": {"n": {"type": "int"}}}, "arguments": {"n": 1}, "# + "\(to)}",
        ["/message/parameters/n/type unknown_value"]
      ),
      (
        #"{"message": {}, "to": {"user": "a", "all": true}, "shape": "x", "credential": "mail"}"#,
        ["/to too_many", "/credential unknown_value", "/shape unknown_value"]
      ),
      (
        #"{"message": {}, "to": {"filter": {"tags": "a", "platform": "tv", "token": "12"}}}"#,
        [
          "/to/filter/platform unknown_value", "/to/filter/token unknown_value",
          "/to/filter/tags unknown_field",
        ]
      ),
      (#"{"message": {}, "to": {"all": false}}"#, ["/to/all unknown_value"]),
      (#"{"message": {}, "to": {"filter": {}}}"#, ["/to/filter missing_field"]),
      (
        #"{"message": {}, "to": {"filter": {"user": null, "tag": "beta"}}}"#,
        ["/to/filter/user wrong_type"]
      ),
      (
        #"{"message": {}, "to": {"installations": ["x", "x"]}}"#,
        ["/to/installations/0 invalid_uuid", "/to/installations/1 invalid_uuid"]
      ),
      (#"{"message": {}, "to": {"token": "xyz"}}"#, ["/to/token token_not_hex"]),
    ] as [(String, [String])])
  func allFaultsOfARequestAreToldAtOnce(body: String, expected: [String]) {
    let failure = #expect(throws: InputFailure.self) {
      try RenderRequest.decode(Array(body.utf8))
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }
}
