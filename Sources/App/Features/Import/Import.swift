import DeviceProfile
import HTTP
import JSON

/// Installations from elsewhere, any number of them: our own export, or another service's.
enum Import {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/installations/import", "importInstallations", .admin,
      body: .streamed, isLong: true,
      decode: order,
      perform: { order, call in
        var run = ImportRun(order, call)
        return try await run.run(call.bodyReader)
      },
      encode: { summary, _ in .json(summary) })
  ]

  private static func order(_ request: Request) throws -> ImportOrder {
    var query = try QueryReader(request)
    let formats = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
    let format = query.parsed(
      "format", .unknownValue, "format is one of: \(formats).", ImportFormat.init(rawValue:))
    let environment = query.parsed(
      "environment", .unknownValue, "environment is production or sandbox.",
      Environment.init(rawValue:))
    let table = tableFormat(&query, format)
    let isDryRun = query.isDryRun()
    let parts = query.parts()
    if !parts.isEmpty, !isDryRun {
      query.refuse("filter", .unknownField, "Only a dry run counts what a filter lets through.")
    }
    try query.finish()
    return ImportOrder(
      app: request.app, format: table == nil ? format ?? .native : .table,
      environment: environment ?? .production, isDryRun: isDryRun, condition: parts.first,
      table: table)
  }

  /// `map` and `default`: which column of a table of one's own is what.
  private static func tableFormat(
    _ query: inout QueryReader, _ format: ImportFormat?
  ) -> TableFormat? {
    func texts(_ name: String) -> [String: String]? {
      guard let value = query.json(name) else { return nil }
      var texts: [String: String] = [:]
      if case .object(let members) = value {
        for (target, text) in members {
          guard TableFormat.isTarget(target), case .string(let text) = text else {
            let targets = TableFormat.targets.keys.sorted().joined(separator: ", ")
            query.refuse(
              "\(name)/\(target)", .unknownField,
              "\(name) gives texts to: \(targets), attributes.NAME.")
            continue
          }
          texts[target] = text
        }
      } else {
        query.refuse(name, .wrongType, "\(name) is a JSON object.")
      }
      return texts
    }
    let (columns, defaults) = (texts("map"), texts("default"))
    guard columns != nil || defaults != nil || format == .table else { return nil }
    if format ?? .table != .table {
      query.refuse("map", .unknownField, "Only a table of one's own has map and default.")
    } else if columns?["token"] == nil {
      query.refuse("map", .missingField, "map names the column of the token.")
    }
    return TableFormat(
      columns: (columns ?? [:]).mapValues(TableFormat.name), defaults: defaults ?? [:])
  }
}
