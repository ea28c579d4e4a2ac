import DeviceProfile
import Foundation
import HTTP
import JSON
import Postgres
import Testing

@testable import App
@testable import Registry

@Suite struct FailureReportTests {
  private func decode(_ json: String) throws -> Decoded<FailureReport> {
    try FailureReport.decode(Array(json.utf8))
  }

  @Test func aMissingEntitlement() throws {
    let report = try decode(
      """
      {"installation_id": "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "kind": "apns",
       "error": {"domain": "NSCocoaErrorDomain", "code": 3000,
                 "message": "no valid “aps-environment” entitlement string found"},
       "environment": "sandbox", "platform": "ios", "app_version": "3.2.0",
       "os_version": "17.4.1", "device_model": "iPhone15,2",
       "occurred_at": "2026-05-02T19:32:41Z"}
      """
    ).body
    #expect(report.kind == .apns)
    #expect(report.domain == "NSCocoaErrorDomain")
    #expect(report.code == 3000)
    #expect(report.installationID?.text == "6f9619ff-8b86-d011-b42d-00cf4fc964ff")
    #expect(report.environment == .sandbox)
    #expect(report.occurredAt?.rfc3339 == "2026-05-02T19:32:41.000Z")
  }

  @Test func negativeCodesAndUnknownWordsAreTaken() throws {
    let decoded = try decode(
      #"{"kind": "voip", "error": {"domain": "NSURLErrorDomain", "code": -1009}, "mood": "sad"}"#)
    #expect(decoded.body.code == -1009)
    #expect(decoded.ignored.map(\.pointer) == ["/mood"])
  }

  @Test func aMessageBeyondItsLimitsIsLeftOut() throws {
    for message in [String(repeating: "m", count: 4097), #"\u0000"#] {
      let decoded = try decode(
        """
        {"kind": "apns", "error": {"domain": "d", "code": 1, "message": "\(message)"},
         "device_model": "\(String(repeating: "x", count: 65))"}
        """)
      #expect(decoded.body.message == nil)
      #expect(decoded.ignored.map(\.pointer) == ["/error/message", "/device_model"])
    }
  }

  @Test(
    arguments: [
      ("{}", ["/kind missing_field", "/error missing_field"]),
      (#"{"kind": "sms", "error": {"domain": "d", "code": 1}}"#, ["/kind unknown_value"]),
      (#"{"kind": "apns", "error": null}"#, ["/error wrong_type"]),
      (
        #"{"kind": "apns", "error": {"code": "3000"}}"#,
        ["/error/domain missing_field", "/error/code wrong_type"]
      ),
      (#"{"kind": "apns", "error": {"domain": "d", "code": 1.5}}"#, ["/error/code wrong_type"]),
      (#"{"kind": "apns", "error": {"domain": "d", "code": true}}"#, ["/error/code wrong_type"]),
      (#"{"kind": "apns", "error": {"domain": "", "code": 1}}"#, ["/error/domain too_short"]),
      (
        #"{"kind": "apns", "error": {"domain": "d", "code": 1}, "installation_id": "x"}"#,
        ["/installation_id invalid_uuid"]
      ),
    ] as [(String, [String])])
  func refused(json: String, faults: [String]) {
    #expect {
      try decode(json)
    } throws: { error in
      (error as? InputFailure)?.problems.map { "\($0.pointer) \($0.code)" } == faults
    }
  }

  @Test(
    arguments: [
      (nil, 100), (90, 90), (100, 100), (101, 100), (-1, 100),
    ] as [(Int64?, Int64)])
  func aDevicesClockIsBelievedWhenItCanBeRight(reported: Int64?, stored: Int64) {
    var report = FailureReport(kind: .apns, domain: "d", code: 1)
    report.occurredAt = reported.map { Timestamp(microseconds: $0) }
    let failure = RegistrationFailure(
      report, appID: 1, id: UUID(), now: Timestamp(microseconds: 100))
    #expect(failure.occurredAt.microseconds == stored)
  }
}
