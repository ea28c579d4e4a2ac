/// A description of an API (OpenAPI 3.1), as far as a page shows it.
struct Contract {
  /// One operation, with the place where it stands.
  struct Operation {
    /// `GET`, and so on.
    let method: String
    /// The path's pattern.
    let path: String
    /// What the document says of it.
    let content: YAMLValue
    /// What it says of all operations of the path.
    let shared: [YAMLValue]

    /// Its `operationId`.
    var id: String { content["operationId"]?.text ?? "" }
    /// The group that it belongs to.
    var tag: String { content["tags"]?.elements.first?.text ?? "" }
    /// Where it stands on the page.
    var place: String { "operation-\(id)" }
    /// Its parameters, those of the path first.
    var parameters: [YAMLValue] { shared + (content["parameters"]?.elements ?? []) }
    /// The kinds of keys that may call it; `open` when it needs none.
    var keys: [String] {
      (content["x-postilion-keys"]?.text ?? "").split(separator: ",").map(String.init)
    }
  }

  /// The whole document.
  let content: YAMLValue
  /// All operations, in the order of the document.
  let operations: [Operation]

  init(_ content: YAMLValue) {
    self.content = content
    operations = (content["paths"]?.members ?? []).flatMap { path in
      path.value.members.filter { Self.methods.contains($0.name) }.map { member in
        Operation(
          method: member.name.uppercased(), path: path.name, content: member.value,
          shared: path.value["parameters"]?.elements ?? [])
      }
    }
  }

  private static let methods: Set = ["get", "put", "post", "patch", "delete"]

  /// The members of `components`, such as `schemas`.
  func components(_ group: String) -> [YAMLValue.Member] {
    content["components"]?[group]?.members ?? []
  }

  /// What a value leads to, if it is a reference, with the name that this has there.
  func resolved(_ value: YAMLValue) -> (name: String?, value: YAMLValue) {
    guard let reference = value["$ref"]?.text else { return (nil, value) }
    let parts = reference.split(separator: "/").dropFirst().map(String.init)
    let target = parts.reduce(content as YAMLValue?) { $0?[$1] }
    return (parts.last, target ?? .null)
  }

  /// Where a shared part of the document stands on the page: `schema-App` of
  /// `#/components/schemas/App`; nil for what is shown in place.
  static func place(of reference: String) -> String? {
    let parts = reference.split(separator: "/").map(String.init)
    guard parts.count == 4, let kind = kinds[parts[2]] else { return nil }
    return "\(kind)-\(parts[3])"
  }

  private static let kinds = ["schemas": "schema", "headers": "header", "responses": "answer"]

  /// The examples of a media type, with their values resolved.
  func examples(_ media: YAMLValue) -> [YAMLValue] {
    if let example = media["example"] { return [example] }
    return (media["examples"]?.members ?? []).compactMap { resolved($0.value).value["value"] }
  }
}
