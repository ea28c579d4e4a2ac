/// An operation as a command for a shell, with an example of the contract as its body.
///
/// `$POSTILION_URL` and `$POSTILION_KEY` are the service and the key, as for `postilion` itself;
/// each parameter of the path is a variable, too: `{key_id}` is `$KEY_ID`.
struct CurlCommand {
  /// The command, in lines.
  let text: String

  /// - Parameter body: Media type and example; nil without a body.
  init(_ operation: Contract.Operation, body: (type: String, example: YAMLValue)?) {
    var address = "$POSTILION_URL"
    for part in operation.path.split(separator: "/") {
      let isParameter = part.first == "{"
      address += "/" + (isParameter ? "$" + part.dropFirst().dropLast().uppercased() : String(part))
    }
    if operation.path == "/" { address += "/" }
    var options: [String] = []
    let usual = body == nil ? "GET" : "POST"
    if operation.method != usual { options.append("-X \(operation.method)") }
    if operation.keys != ["open"] {
      options.append("-H \"Authorization: Bearer $POSTILION_KEY\"")
    }
    if let body { options += Self.options(of: body.type, body.example) }
    text = (["curl \"\(address)\""] + options).joined(separator: " \\\n  ")
  }

  private static func options(of type: String, _ example: YAMLValue) -> [String] {
    switch type {
    case "application/json": return ["--json \(quoted(ExampleText.text(example)))"]
    case "multipart/form-data":
      return example.members.map { "-F \"\($0.name)=@$FILE;filename=$FILE\"" }
    default:
      return ["-H 'Content-Type: \(type)'", "--data-binary \(quoted(ExampleText.text(example)))"]
    }
  }

  /// A word of a shell, whatever it holds.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
