import AppTesting
import Testing

/// What most tests of messages need: an app with the strings of its build 412, devices of that
/// build, and a message that shows both strings; each test says what it changes.
struct Scene {
  /// The strings of the build; the last language has only one of them.
  static let files = [
    (
      path: "en.lproj/Localizable.strings",
      text:
        "\"FOOD_ORDERED\" = \"New order\";\n\"FOOD_PICKUP\" = \"Pick %2$@ up at %1$@ (100%%)\";\n"
    ),
    (
      path: "fr.lproj/Localizable.strings",
      text:
        "\"FOOD_ORDERED\" = \"Nouvelle commande\";\n\"FOOD_PICKUP\" = \"%@ : %@ vous attend\";\n"
    ),
    (path: "zh_Hant.lproj/Localizable.strings", text: "\"FOOD_ORDERED\" = \"新訂單\";\n"),
  ]

  static let message: JSON = [
    "alert": [
      "title": ["key": "FOOD_ORDERED"], "body": ["key": "FOOD_PICKUP", "args": ["when", "what"]],
    ],
    "parameters": ["when": ["type": "string"], "what": ["type": "string"]],
    "sound": "default", "category": "ORDER", "thread_id": "orders", "collapse_id": "order-{what}",
    "ttl": 3600, "data": ["what": "{what}"],
  ]

  static let arguments: JSON = ["when": "12:30", "what": "Soup"]

  let app: TestApp
  /// The installation ids of the devices, in their order.
  private(set) var ids: [String] = []
  /// The tokens for notifications of the same devices.
  private(set) var tokens: [String?] = []

  /// Makes the app, uploads its strings and registers its devices.
  /// - Parameters:
  ///   - service: The shared one when none is given.
  ///   - devices: What the report of each says besides its token and versions, or instead of them.
  init(
    _ transport: Transport, service: TestService? = nil,
    files: [(path: String, text: String)] = Scene.files, devices: [[String: JSON]] = []
  ) async throws {
    if let service {
      app = try await service.app(transport)
    } else {
      app = try await TestApp.make(transport)
    }
    let uploaded = try await app.admin.upload("\(app.path)/catalogs/412", files)
    try #require(uploaded.status == 201)
    for device in devices {
      var report = Sample.report()
      report["app_build"] = "412"
      report["app_version"] = "3.2.0"
      report["os_version"] = "17.4"
      for (name, value) in device { report[name] = value }
      let id = Sample.id()
      let registered = try await app.client.put(app.installation(id), report)
      let told = report["platform"] == "watchos" ? ["/bundle_id topic_assumed"] : []
      try #require(registered.status == 201 && registered.ignored == told)
      ids.append(id)
      tokens.append(report["credentials"]["apns"]["token"].string)
    }
  }

  /// The first device, as an audience.
  var first: JSON { ["installation": .string(ids[0])] }

  /// Renders for the first device; null arguments are none.
  func render(
    _ message: JSON = Scene.message, arguments: JSON = Scene.arguments, more: [String: JSON] = [:]
  ) async throws -> Reply {
    var body: JSON = ["message": message, "to": first]
    if arguments != .null { body["arguments"] = arguments }
    for (name, value) in more { body[name] = value }
    return try await app.sender.post("\(app.path)/render", body)
  }

  /// Renders for an audience.
  /// - Returns: The lines of the answer, or its one document.
  func lines(
    to audience: JSON, shape: String = "requests", accept: String = "application/x-ndjson",
    more: [String: JSON] = [:]
  ) async throws -> [JSON] {
    var body: JSON = [
      "message": Self.message, "arguments": Self.arguments, "to": audience,
      "shape": .string(shape),
    ]
    for (name, value) in more { body[name] = value }
    let reply = try await app.sender.send(
      "POST", "\(app.path)/render", json: body, fields: [("Accept", accept)])
    #expect(reply.status == 200)
    return reply.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
  }
}
