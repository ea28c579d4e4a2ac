internal import Foundation

/// A service with an app, its keys, a catalog and installations: what the rows about registrations
/// and renders measure.
struct Stage: Sendable {
  /// How many installations there are before the clock starts, unless a row wants more.
  static let installations = 200_000
  /// Those that are read and reported unchanged; the others are changed.
  static let unchanged = 1...100_000
  static let changed = 100_001...200_000
  static let path = "/v1/apps/bench"

  let service: Service
  let database: Database
  let directory: WorkDirectory
  let senderKey: String
  /// The app's row.
  let app: Int
  /// The file of ``Profiles``.
  let reports: String
  /// How many installations there were at the start.
  let count: Int
  /// What they are like.
  let profiles: Profiles

  /// Starts and fills the service.
  /// - Parameter name: Tells it from others of the same size.
  static func start(
    installations: Int = installations, _ profiles: Profiles, _ name: String = "stage"
  ) throws(Fault) -> Stage {
    let directory = try WorkDirectory("\(name)-\(installations)")
    let service = try Service.start(in: directory)
    do throws(Fault) {
      let database = try Database(of: service, directory: directory)
      try database.checkDurability()
      let connection = try HTTPConnection(port: service.port)
      defer { connection.close() }
      let key = try setUp(connection)
      guard let app = Int(try database.query("SELECT id FROM app WHERE slug = 'bench'")) else {
        throw Fault("the app is not in the database")
      }
      let reports = directory.file("reports")
      let lines = profiles.lines
      try write(lines.joined(separator: "\n") + "\n", to: reports)
      try register(lines, connection, key: key)
      try database.run(file: "bench/profiles.sql", ["app": app])
      try database.run(file: "bench/seed.sql", ["app": app, "count": installations])
      return Stage(
        service: service, database: database, directory: directory, senderKey: key, app: app,
        reports: reports, count: installations, profiles: profiles)
    } catch {
      service.stop()
      throw error
    }
  }

  func stop() { service.stop() }

  /// Lets the service store one installation of each profile.
  private static func register(
    _ profiles: [String], _ connection: HTTPConnection, key: String
  ) throws(Fault) {
    for (number, line) in profiles.enumerated() {
      let body = ReportFormat(line).body(
        token: Spelling.seededToken(number), version: "3.2.0", user: number)
      let answer = try connection.send(
        "PUT", "\(path)/installations/\(Spelling.seededID(number))", key: key, body: body)
      guard answer.status == 201 else {
        throw Fault("PUT profile \(number): \(answer.status) \(answer.body)")
      }
    }
  }

  /// Creates app, key and catalog; returns a sender's key.
  private static func setUp(_ connection: HTTPConnection) throws(Fault) -> String {
    let app = try connection.send(
      "PUT", path, key: Service.rootKey,
      body: """
        {"bundle_id": "com.example.bench", "name": "Bench", "development_language": "en"}
        """)
    guard app.status == 201 else { throw Fault("PUT app: \(app.status) \(app.body)") }
    let sender = try connection.send(
      "POST", "\(path)/keys", key: Service.rootKey,
      body: #"{"kind": "sender", "label": "bench"}"#)
    let created = try? JSONDecoder().decode(CreatedKey.self, from: Data(sender.body.utf8))
    guard sender.status == 201, let created else {
      throw Fault("POST key: \(sender.status) \(sender.body)")
    }
    let catalog = try connection.send(
      "PUT", "\(path)/catalogs/server", key: Service.rootKey,
      type: "multipart/form-data; boundary=\(CatalogUpload.boundary)", body: CatalogUpload.body)
    guard catalog.status == 201 else {
      throw Fault("PUT catalog: \(catalog.status) \(catalog.body)")
    }
    return created.key
  }

  private struct CreatedKey: Decodable {
    let key: String
  }
}
