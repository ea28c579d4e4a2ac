import AppTesting
import Testing

/// Payloads that well-known articles and libraries for apps show, each out of a render call.
@Suite struct KnownPayloadTests {
  static let rows: [(message: JSON, arguments: JSON, wish: String, payload: String)] = [
    (
      ["alert": "Breaking News!", "sound": "default", "data": ["link_url": "https://example.com"]],
      [:], "auto",
      #"{"aps":{"alert":"Breaking News!","sound":"default"},"link_url":"https://example.com"}"#
    ),
    (
      ["alert": "hello world", "data": ["id": 1]], [:], "auto",
      #"{"aps":{"alert":"hello world"},"id":1}"#
    ),
    (
      [
        "alert": ["title": "Save The Princess!"],
        "data": ["coords": ["latitude": 37.33182, "longitude": -122.03118]],
      ], [:], "auto",
      #"{"aps":{"alert":{"title":"Save The Princess!"}},"#
        + #""coords":{"latitude":37.33182,"longitude":-122.03118}}"#
    ),
    (
      [
        "alert": [
          "title": ["key": "FOOD_ORDERED"], "body": ["key": "FOOD_PICKUP_TIME", "args": ["when"]],
        ],
        "parameters": ["when": ["type": "string"]], "literal_fallback": false,
      ],
      ["when": "2022-05-02T19:32:41Z"], "client",
      #"{"aps":{"alert":{"loc-args":["2022-05-02T19:32:41Z"],"#
        + #""loc-key":"FOOD_PICKUP_TIME","title-loc-key":"FOOD_ORDERED"}}}"#
    ),
    (
      [
        "alert": ["title": "Greeting", "body": "Hello, friend", "action_key": "PLAY"], "badge": 5,
        "data": ["messageType": "greeting", "message": "Hello, friend", "title": "Greeting"],
      ], [:], "auto",
      #"{"aps":{"alert":{"action-loc-key":"PLAY","body":"Hello, friend","title":"Greeting"},"#
        + #""badge":5},"message":"Hello, friend","messageType":"greeting","title":"Greeting"}"#
    ),
    (
      [
        "alert": ["title": "T", "subtitle": "S", "body": "B"], "sound": "chime.caf", "badge": 0,
        "category": "NEWS", "thread_id": "news", "target_content_id": "w", "mutable_content": true,
      ], [:], "auto",
      #"{"aps":{"alert":{"body":"B","subtitle":"S","title":"T"},"badge":0,"category":"NEWS","#
        + #""mutable-content":1,"sound":"chime.caf","target-content-id":"w","thread-id":"news"}}"#
    ),
    (["content_available": true], [:], "auto", #"{"aps":{"content-available":1}}"#),
    (
      ["alert": "hello world", "id": 1], [:], "local",
      #"{"aps":{"content-available":1},"payload":{"aps":{"alert":"hello world"},"id":1}}"#
    ),
    (["alert": "hello world", "id": 1], [:], "voip", #"{"aps":{"alert":"hello world"},"id":1}"#),
    (
      [
        "alert": ["title": "Greeting", "body": "Hello, friend", "action_key": "PLAY"], "badge": 5,
        "data": ["type": "greeting", "message": "Hello, friend", "title": "Greeting"],
      ], [:], "auto",
      #"{"aps":{"alert":{"action-loc-key":"PLAY","body":"Hello, friend","title":"Greeting"},"#
        + #""badge":5},"message":"Hello, friend","title":"Greeting","type":"greeting"}"#
    ),
    (
      [
        "alert": [
          "title": "16:8 Eats", "subtitle": "My Notification", "body": "Notification Body",
        ],
        "sound": "default", "data": ["imageName": "abc.jpg"], "id": "{id}",
        "trigger": ["type": "calendar", "at": "date"],
        "parameters": ["date": ["type": "date"], "id": ["type": "string"]],
      ],
      ["date": "2022-05-02T19:32:41Z", "id": "E0C5"], "auto",
      #"{"aps":{"content-available":1},"payload":{"aps":{"alert":{"body":"Notification Body","#
        + #""subtitle":"My Notification","title":"16:8 Eats"},"sound":"default"},"id":"E0C5","#
        + #""imageName":"abc.jpg","trigger":{"date":{"day":2,"hour":15,"minute":32,"month":5,"#
        + #""second":41,"year":2022},"repeats":false,"type":"calendar"}}}"#
    ),
  ]

  @Test(arguments: 0..<rows.count)
  func aPayloadComesOutAsShown(row index: Int) async throws {
    let row = Self.rows[index]
    let app = try await TestApp.make(.socket)
    var report = Sample.report()
    report["languages"] = ["en"]
    report["os_version"] = "17.4"
    report["time_zone"] = "America/Toronto"
    report["credentials"] = [
      "apns": ["token": .string(Sample.token())], "voip": ["token": .string(Sample.token())],
    ]
    let id = Sample.id()
    _ = try await app.client.put(app.installation(id), report)
    let reply = try await app.sender.post(
      "\(app.path)/render",
      [
        "message": row.message, "arguments": row.arguments, "to": ["installation": .string(id)],
        "localization": .string(row.wish == "voip" ? "auto" : row.wish),
        "credential": .string(row.wish == "voip" ? "voip" : "apns"),
      ])
    #expect(reply.status == 200)
    // Byte for byte: keys are sorted, and nothing is escaped or reordered on the way.
    #expect(reply.text.contains(#""payload":"# + row.payload + #","payload_bytes""#))
  }
}
