import AppTesting
import Testing

/// What becomes of devices is counted: how they got their text, what it fell back to, and why they
/// got nothing.
@Suite struct RenderCounterTests {
  @Test(arguments: Transport.allCases)
  func devicesAreCountedByModeProblemAndReason(transport: Transport) async throws {
    let service = try await TestService.start()
    let scene = try await Scene(
      transport, service: service,
      devices: [
        ["languages": ["fr"]], ["languages": ["en"]],
        ["languages": ["en"], "capabilities": ["loc-key"]],
        ["authorization": ["status": "denied"]], ["credentials": .null],
      ])
    let (app, ids) = (scene.app, scene.ids.map(JSON.string))
    // Two texts have the same problem; each device has it once.
    let message: JSON = [
      "alert": [
        "title": ["key": "FOOD_ORDERED"], "subtitle": ["key": "NOWHERE"],
        "body": ["key": "NOWHERE"],
      ]
    ]
    func render(to audience: JSON) async throws {
      let reply = try await app.sender.post(
        "\(app.path)/render", ["message": message, "to": audience])
      #expect(reply.status < 500)
    }
    try await render(to: ["all": true])
    try await render(to: ["installations": .array(ids + [.string(Sample.id())])])
    try await render(to: ["installation": ids[0]])
    try await render(to: ["installation": ids[4]])

    let metrics = try await service.client(transport).get("/metrics").text
    for line in [
      "# TYPE postilion_renders_total counter",
      #"postilion_renders_total{mode="server"} 7"#,
      "# TYPE postilion_render_skipped_total counter",
      #"postilion_render_skipped_total{reason="denied"} 2"#,
      #"postilion_render_skipped_total{reason="no_credential"} 3"#,
      #"postilion_render_skipped_total{reason="installation_not_found"} 1"#,
      #"postilion_render_problems_total{code="missing_key"} 7"#,
    ] {
      #expect(metrics.contains("\(line)\n"), "\(line)")
    }
    let keyed: JSON = ["alert": ["key": "FOOD_ORDERED"]]
    _ = try await app.sender.post(
      "\(app.path)/render", ["message": keyed, "to": ["installation": ids[2]]])
    let after = try await service.client(transport).get("/metrics").text
    #expect(after.contains(#"postilion_renders_total{mode="client"} 1"# + "\n"))
    await service.stop()
  }
}
