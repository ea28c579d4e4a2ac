import DeviceProfile
import HTTP
import JSON

/// Installations from elsewhere, any number of them: our own export, or another service's.
enum Import {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/installations/import", "importInstallations", .admin, body: .streamed,
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
    let isDryRun = query.isDryRun()
    let parts = query.parts()
    if !parts.isEmpty, !isDryRun {
      query.refuse("filter", .unknownField, "Only a dry run counts what a filter lets through.")
    }
    try query.finish()
    return ImportOrder(
      app: request.app, format: format ?? .native, environment: environment ?? .production,
      isDryRun: isDryRun, condition: parts.first)
  }
}
