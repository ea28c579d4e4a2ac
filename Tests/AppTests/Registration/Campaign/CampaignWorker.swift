import AppTesting
import Foundation

/// A task that reports for some of the installations, one operation after the other, each to any
/// instance of the service.
struct CampaignWorker: Sendable {
  var devices: [CampaignDevice]
  var dice: CampaignDice
  let app: TestApp
  let ports: [UInt16]
  /// How often what was answered: `PUT 200`, `PUT 409 conflict`.
  private(set) var answers: [String: Int] = [:]
  /// Answers that no caller should see.
  private(set) var faults: [String] = []

  init(devices: [CampaignDevice], dice: CampaignDice, app: TestApp, ports: [UInt16]) {
    self.devices = devices
    self.dice = dice
    self.app = app
    self.ports = ports
  }

  /// Runs so many operations; blocks its thread.
  mutating func run(_ operations: Int) throws {
    let wires = try ports.map { try Wire(port: $0) }
    for _ in 0..<operations {
      if dice.isLucky(8) {
        try feedBack(on: dice.pick(wires))
        continue
      }
      if dice.isLucky(3) {
        try importDevices(on: dice.pick(wires))
        continue
      }
      let index = dice.pick(Array(devices.indices))
      var device = devices[index]
      try step(&device, on: dice.pick(wires))
      devices[index] = device
    }
  }

  private mutating func step(_ device: inout CampaignDevice, on wire: Wire) throws {
    let operation = dice.operation(of: device)
    let path = app.installation(device.id)
    let reply: Reply
    switch operation {
    case .put(let report): reply = try send("PUT", path, report, device, wire)
    case .patch(let report): reply = try send("PATCH", path, report, device, wire)
    case .delete: reply = try send("DELETE", path, nil, device, wire)
    case .deleteCredential(let kind):
      reply = try send("DELETE", "\(path)/credentials/\(kind)", nil, device, wire)
    }
    learn(operation, reply, &device)
    guard reply.problem == "installation_claim_needed" else { return }
    let sender = CampaignDevice(id: "", isClient: false)
    let made = try send("POST", "\(path)/claim-code", nil, sender, wire)
    if made.status != 201 { faults.append("\(device.id): claim code \(made.text)") }
    device.claimCode = made.json["claim_code"].string
  }

  private mutating func feedBack(on wire: Wire) throws {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    let sender = CampaignDevice(id: "", isClient: false)
    let reply = try send("POST", "\(app.path)/feedback", dice.feedback(now: now), sender, wire)
    let decisions = reply.json["results"].elements.compactMap { $0["decision"].string }
    for decision in decisions { answers["feedback \(decision)", default: 0] += 1 }
    if reply.status != 200 { faults.append("feedback: \(reply.status) \(reply.text)") }
  }

  /// Imports some of its devices, and looks at what became of them.
  private mutating func importDevices(on wire: Wire) throws {
    let indices = devices.indices.filter { _ in dice.isLucky(50) }
    let lines = indices.map { dice.record(of: devices[$0]).text + "\n" }.joined()
    let reply = try send(
      "POST", "\(app.path)/installations/import", Array(lines.utf8),
      ["Authorization: Bearer \(app.keys["admin"] ?? "")", "Content-Type: application/x-ndjson"],
      wire)
    guard reply.status == 200 else {
      // As many imports run at once as the bound allows.
      if reply.problem != "overloaded" { faults.append("import: \(reply.text)") }
      return
    }
    for name in ["accepted", "updated", "unchanged", "rejected"] {
      answers["import \(name)", default: 0] += reply.json[name].whole ?? 0
    }
    for index in indices {
      let device = devices[index]
      let found = try send("GET", app.installation(device.id), nil, device, wire)
      if found.status == 404, device.acknowledged != nil { faults.append("\(device.id): lost") }
      if found.status == 200 { devices[index].acknowledged = found.json }
    }
  }

  /// Takes an answer for what it promises.
  private mutating func learn(
    _ operation: CampaignOperation, _ reply: Reply, _ device: inout CampaignDevice
  ) {
    let name = "\(operation)".prefix { $0 != "(" }
    answers["\(name) \(reply.status) \(reply.problem ?? "")", default: 0] += 1
    let wasThere = device.acknowledged != nil
    switch (operation, reply.status) {
    case (.put(let report), wasThere ? 200 : 201),
      (.patch(let report), 200) where wasThere:
      let answer = reply.json
      if answer["applied"] == true {
        device.lastReport = report
        faults += Self.missing(report, in: answer).map { "\(device.id): \($0)" }
      } else if !device.agrees(answer) {
        faults.append("\(device.id): not applied, and yet changed")
      }
      device.secret = answer["installation_secret"].string ?? device.secret
      if device.secret != nil { device.claimCode = nil }
      device.acknowledged = answer
    case (.delete, 204) where wasThere:
      device.acknowledged = nil
      device.secret = nil
      // A code is of no use for an installation that is made after it.
      device.claimCode = nil
      device.lastReport = nil
    case (.deleteCredential(let kind), 204) where wasThere:
      device.acknowledged?["credentials"][kind] = .absent
    case (.patch, 404), (.delete, 404):
      if wasThere { faults.append("\(device.id): lost") }
    case (.put, 422) where reply.json["errors"].elements.allSatisfy { Self.isMixUp($0) }: break
    case (.patch, 422) where reply.json["errors"].elements.allSatisfy { Self.isMixUp($0) }: break
    case (.put, 422) where !wasThere && operation.report?["platform"] == .absent: break
    case (.deleteCredential, 404): break
    case (_, 409) where reply.problem == "conflict": break
    case (.put, 429) where reply.problem == "token_takeovers_exceeded" && device.isClient: break
    case (.patch, 429) where reply.problem == "token_takeovers_exceeded" && device.isClient: break
    case (.put, 403) where Self.isUnclaimed(device, reply): break
    case (.patch, 403) where Self.isUnclaimed(device, reply): break
    default: faults.append("\(device.id): \(operation) \(reply.status) \(reply.text)")
    }
  }

  /// An app that comes to an installation that an import made.
  private static func isUnclaimed(_ device: CampaignDevice, _ reply: Reply) -> Bool {
    reply.problem == "installation_claim_needed" && device.isClient && device.secret == nil
      && device.claimCode == nil
  }

  private static func isMixUp(_ fault: JSON) -> Bool {
    fault["code"] == "token_kind_mismatch" || fault["code"] == "environment_needs_tokens"
  }

  /// What was told and is not in the answer.
  private static func missing(_ report: JSON, in answer: JSON) -> [String] {
    var missing: [String] = []
    func expect(_ name: String, _ told: JSON, _ shown: JSON) {
      let isCleared = told == .null && [.null, .absent, []].contains(shown)
      if told != .absent, told != shown, !isCleared {
        missing.append("\(name) was \(told) and is \(shown)")
      }
    }
    for name in ["environment", "attributes", "user", "tags"] {
      expect(name, report[name], answer[name])
    }
    for kind in report["credentials"].names {
      let told = report["credentials"][kind]
      expect(kind, told == .null ? .null : told["token"], answer["credentials"][kind]["token"])
      if told != .null { expect(kind, "active", answer["credentials"][kind]["status"]) }
    }
    return missing
  }

  private func send(
    _ method: String, _ path: String, _ json: JSON?, _ device: CampaignDevice, _ wire: Wire
  ) throws -> Reply {
    let body = json.map { Array($0.text.utf8) } ?? []
    let key = app.keys[
      device.isClient && (json != nil || device.secret != nil) ? "client" : "sender"]
    var fields = ["Authorization: Bearer \(key ?? "")"]
    if let secret = device.secret { fields.append("Postilion-Installation-Secret: \(secret)") }
    if let code = device.claimCode { fields.append("Postilion-Claim-Code: \(code)") }
    if json != nil { fields.append("Content-Type: application/json") }
    return try send(method, path, body, fields, wire)
  }

  private func send(
    _ method: String, _ path: String, _ body: [UInt8], _ fields: [String], _ wire: Wire
  ) throws -> Reply {
    let lines =
      ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.count)"] + fields
    try wire.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    return try wire.receive()
  }
}
