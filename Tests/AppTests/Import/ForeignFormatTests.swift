import DeviceProfile
import Foundation
import JSON
import Postgres
import Testing

@testable import App
@testable import Commands
@testable import Registry

/// What other services' records become: `postilion import` makes native lines of them, and the
/// service reads those.
@Suite struct ForeignFormatTests {
  static let names = ForeignFormat.all.map(\.name)

  /// The rows of a format's table in `FORMATS.md`: `deviceToken /credentials/apns/token`.
  private func documented(_ name: String) throws -> Set<String> {
    let text = try Self.document()
    let section = try #require(
      text.components(separatedBy: "\n## ").first { $0.hasPrefix("`\(name)`\n") })
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
    return Set(
      rows.flatMap { row in
        let columns = row.split(separator: "|").map { column in
          column.matches(of: /`([^`]+)`/).map { String($0.output.1) }
        }
        return columns[0].map { name in ([name] + columns[1]).joined(separator: " ") }
      })
  }

  private static func document() throws -> String {
    let file = Sources.root.appending(path: "Sources/CommandLine/Commands/Import/FORMATS.md")
    return try String(contentsOf: file, encoding: .utf8)
  }

  private func format(_ name: String) throws -> ForeignFormat {
    try #require(ForeignFormat.all.first { $0.name == name })
  }

  @Test(arguments: names) func everyFieldIsInTheTable(name: String) throws {
    let format = try format(name)
    let fields = format.fields.map { ([$0.name] + $0.use.homes).joined(separator: " ") }
    #expect(Set(fields).count == fields.count)
    #expect(try documented(name) == Set(fields))
    for (index, field) in format.fields.enumerated() {
      #expect(format.fields.firstIndex { $0.covers(field.name) } == index, "none before takes it")
    }
  }

  /// A record as the service gets it, or why it does not get it; places are those of the file.
  private struct Row {
    var line: Int
    var record: Result<ImportRecord, InputFailure>
    var ignored: [InputProblem]
  }

  private func rows(_ name: String, _ body: String) throws -> [Row] {
    let format = try format(name)
    var conversion = ForeignConversion(
      format, app: "a", environment: .production, now: RegistrationCase.start.microseconds)
    try conversion.append(Array(body.utf8))
    try conversion.finish()
    var rows: [Row] = []
    while let row = try conversion.nextRow() {
      switch row.record {
      case .failure(let failure):
        rows.append(Row(line: row.line, record: .failure(failure), ignored: row.ignored))
      case .success(let members):
        var writer = JSONWriter()
        writer.value(.object(members))
        var source = ImportSource()
        try source.append(writer.bytes)
        source.finish()
        let native = try #require(try source.next())
        let ignored = native.ignored.map { $0.moved(to: format.origin) }
        rows.append(
          Row(
            line: row.line,
            record: native.record.mapError { failure in
              InputFailure(failure.problems.map { $0.moved(to: format.origin) })
            },
            ignored: row.ignored + ignored))
      }
    }
    return rows
  }

  private func faults(_ row: Row) -> [String] {
    guard case .failure(let failure) = row.record else { return [] }
    return failure.problems.map { "\($0.pointer) \($0.code)" }
  }

  /// What was imported before is found again, whatever the version of the program.
  @Test func namesOfInstallationsNeverChange() throws {
    let token = #"[{"deviceToken": "\#(Self.hex.uppercased())", "deviceType": "iPhone"}]"#
    let id = #"{"installationId": "i1", "deviceType": "ios", "deviceToken": "\#(Self.hex)"}"#
    #expect(
      try rows("aerogear", token)[0].record.get().id.text == "d8adb2d4-e8ef-8fca-b49b-12a5dad046d2"
    )
    #expect(
      try rows("parse", id)[0].record.get().id.text == "44f25444-8d75-8b12-b9f9-86c6a7e36352")
  }

  /// The same token in all its spellings names the same installation, as the service reads them.
  @Test func spellingsOfATokenAreOneInstallation() throws {
    let pairs = stride(from: 0, to: 64, by: 2).map { Self.hex.dropFirst($0).prefix(2) }
    let spellings = [
      Self.hex, Self.hex.uppercased(), "<\(Self.hex)>", pairs.joined(separator: "-"),
      pairs.joined(separator: ":"), " \(pairs.joined(separator: " ")) ",
    ]
    let records = try spellings.map { spelling in
      try rows("aerogear", #"[{"deviceToken": "\#(spelling)", "deviceType": "iPhone"}]"#)[0]
        .record.get()
    }
    #expect(Set(records.map(\.id)).count == 1)
    #expect(Set(records.map { $0.report.credentials.brought[.apns]?.token.hex }) == [Self.hex])
  }

  @Test(
    arguments: [
      ("2022-01-01T12:23:45+02:00", "2022-01-01T12:23:45+02:00"),
      ("2022-01-01 12:23:45.678", "2022-01-01 12:23:45.678Z"),
      ("2022-01-01T12:23:45", "2022-01-01T12:23:45Z"),
      // psql, Rails, BigQuery and SQL Server.
      ("2018-05-23 02:56:06.446039+00", "2018-05-23 02:56:06.446039+00:00"),
      ("2018-05-23 02:56:06-03", "2018-05-23 02:56:06-03:00"),
      ("2018-05-23 02:56:06+0530", "2018-05-23 02:56:06+05:30"),
      ("2018-05-23 02:56:06 +0530", "2018-05-23 02:56:06+05:30"),
      ("2018-05-23 02:56:06 UTC", "2018-05-23 02:56:06Z"),
      ("2018-05-23 02:56:06.446039 UTC", "2018-05-23 02:56:06.446039Z"),
      ("2018-05-23 02:56:06.4460390 +05:30", "2018-05-23 02:56:06.4460390+05:30"),
      ("2018-05-23 02:56:06 CEST", nil), ("2018-05-23 02:56:06+5", nil), ("2018-05-23", nil),
      // Milliseconds and seconds: PHP's `time()`, MySQL's `UNIX_TIMESTAMP`, `extract(epoch …)`.
      ("1641039825678", "2022-01-01T12:23:45.678Z"), ("1641039825", "2022-01-01T12:23:45.000Z"),
      ("1641039825.678000", "2022-01-01T12:23:45.678Z"), ("-1", "1969-12-31T23:59:59.000Z"),
      ("100000000000", "1973-03-03T09:46:40.000Z"), ("99999999999", "5138-11-16T09:46:39.000Z"),
      ("0", "1970-01-01T00:00:00.000Z"), ("9223372036854775807", nil), ("1e300", nil),
      ("nan", nil), ("inf", nil), ("yesterday", nil),
    ] as [(String, String?)])
  func timesAreReadAsOthersWriteThem(text: String, expected: String?) {
    #expect(ForeignTime(text)?.rfc3339 == expected)
    #expect(expected.map { Timestamp(rfc3339: $0) != nil } ?? true)
  }

  static let hex = String(repeating: "ab", count: 32)

  /// Names that begin alike are different fields.
  @Test func anUnknownFieldIsNotTakenForALongerOne() throws {
    let row = try #require(
      try rows(
        "parse",
        """
        {"deviceType": "ios", "deviceToken": "\(Self.hex)", "plan": "pro", "plans": "many", \
        "planName": "Pro", "plan2": "none"}
        """
      ).first)
    let attributes = try #require(try row.record.get().report.attributes.value)
    #expect(
      JSONValue(parsing: Array(attributes.json.utf8))
        == .object([
          "plan": .string("pro"), "plans": .string("many"), "planName": .string("Pro"),
          "plan2": .string("none"),
        ]))
  }

  @Test func aeroGear() throws {
    let rows = try rows(
      "aerogear",
      """
      [{"deviceToken": "\(Self.hex.uppercased())", "deviceType": "iPad", "operatingSystem": "iOS",
        "osVersion": "16.1", "alias": "zoë", "categories": ["a", "b"], "enabled": true, "x": 1},
       {"deviceToken": "\(Self.hex.prefix(32)) \(Self.hex.suffix(32))", "deviceType": "iPad1,1",
        "enabled": false, "x": 2},
       {"deviceToken": ""}, {"alias": "a"}, {"deviceToken": "zz", "deviceType": "iPhone"},
       {"deviceToken": "x", "operatingSystem": "Android"}]
      """)
    let first = try rows[0].record.get()
    let second = try rows[1].record.get()
    #expect(first.id == second.id, "the same token")
    #expect(first.report.platform == .ios)
    #expect(first.report.osVersion == .set("16.1"))
    #expect(first.report.deviceModel == .set("iPad"))
    #expect(first.report.user == .set(ReportedUser(id: "zoë")))
    #expect(first.report.tags == .set(["a", "b"]))
    #expect(first.credentials[CredentialPlace(.apns)]?.status == .active)
    #expect(first.time == nil)
    #expect(second.report.platform == .ipados)
    #expect(second.credentials[CredentialPlace(.apns)]?.status == .quarantined)
    #expect(second.credentials[CredentialPlace(.apns)]?.reason == "disabled")
    #expect(rows.map { $0.ignored.map(\.pointer) } == [["/x"], [], [], [], [], []])
    #expect(
      rows.dropFirst(2).map(faults) == [
        ["/deviceToken missing_token"], ["/deviceToken missing_token"],
        ["/deviceToken token_not_hex"], ["/operatingSystem unsupported_platform"],
      ])
  }

  @Test func parse() throws {
    let rest = try rows(
      "parse",
      """
      {"results": [
        {"objectId": "o1", "installationId": "i1", "deviceType": "ios",
         "deviceToken": "\(Self.hex)",
         "channels": ["", "giants"], "localeIdentifier": "zh-HK", "timeZone": "GMT+99",
         "appVersion": "42", "badge": 3, "createdAt": "2022-01-01T12:23:45.678Z",
         "updatedAt": "2024-06-01T08:00:00.000Z", "favorite": "blue",
         "user": {"__type": "Pointer", "className": "_User", "objectId": "u1"}},
        {"objectId": "o2", "deviceType": "android", "deviceToken": "x", "pushType": "gcm"},
        {"objectId": "o3", "deviceType": "ios"}], "count": 3}
      """)
    let exported = try rows(
      "parse",
      """
      {"_id": "o1", "installationId": "i1", "deviceType": "ios", "deviceToken": "\(Self.hex)", \
      "_p_user": "_User$u1", "_created_at": {"$date": {"$numberLong": "1641039825678"}}, \
      "_updated_at": {"$date": "2024-06-01T08:00:00Z"}, "badge": {"$numberLong": "0"}}
      """)
    let record = try rest[0].record.get()
    let other = try exported[0].record.get()
    #expect(record.id == other.id)
    #expect(record.report.languages == .set(["zh-HK"]))
    #expect(record.report.locale == .set("zh_HK"))
    #expect(record.report.appBuild == .set("42"))
    #expect(record.report.tags == .set(["giants"]))
    #expect(record.report.attributes.value?.json == #"{"favorite":"blue"}"#)
    #expect(record.report.user.value?.id == "u1")
    #expect(other.report.user.value?.id == "u1")
    #expect(record.createdAt?.rfc3339 == "2022-01-01T12:23:45.678Z")
    #expect(other.createdAt == record.createdAt)
    #expect(other.updatedAt == record.updatedAt)
    #expect(rest[0].ignored.map { "\($0.pointer) \($0.code)" } == ["/timeZone unknown_time_zone"])
    #expect(faults(rest[1]) == ["/deviceType unsupported_platform"])
    #expect(faults(rest[2]) == ["/deviceToken missing_token"])
  }

  /// The other service's own names of apps say no bundle id, but whether it is one app.
  @Test(
    arguments: [
      (
        "sns",
        #"{"EndpointArn": "arn:aws:sns:eu-west-1:1:endpoint/%/1", "Attributes": {"Token": "@"}}"#,
        ["APNS/food", "APNS_SANDBOX/food-dev", "APNS/other", "APNS/food", "APNS_SANDBOX/food"],
        "/EndpointArn", [2, 4]
      ),
      (
        "pinpoint", #"{"ChannelType": "APNS", "Address": "@", "ApplicationId": "%"}"#,
        ["a1", "a1", "b2"], "/ApplicationId", [2]
      ),
      (
        "braze", #"{"push_tokens": [{"app": "%", "platform": "iOS", "token": "@"}]}"#,
        ["Food iOS", "Other iOS"], "/push_tokens/app", [1]
      ),
    ] as [(String, String, [String], String, [Int])])
  func recordsOfAnotherAppAreRefused(
    name: String, record: String, apps: [String], place: String, refused: [Int]
  ) throws {
    let lines = apps.map { record.replacing("%", with: $0).replacing("@", with: Self.hex) }
    let rows = try rows(
      name,
      name == "sns"
        ? "{\"Endpoints\": [\(lines.joined(separator: ","))]}" : lines.joined(separator: "\n"))
    for (index, row) in rows.enumerated() {
      #expect(faults(row) == (refused.contains(index) ? ["\(place) other_app"] : []))
    }
    #expect(rows.count == apps.count)
  }

  @Test func aSystemOfPinpointThatIsNoneOfApplesIsTold() throws {
    let row = try rows(
      "pinpoint",
      #"{"ChannelType": "APNS", "Address": "\#(Self.hex)", "Demographic": {"Platform": "x"}}"#)[0]
    #expect(try row.record.get().report.platform == .ios)
    #expect(
      row.ignored.map { "\($0.pointer) \($0.code)" }
        == ["/Demographic/Platform unsupported_platform"])
  }

  /// As Parse's libraries call them.
  @Test(
    arguments: [
      ("ios", .ios), ("osx", .macos), ("tvos", .tvos), ("applewatch", .watchos),
    ] as [(String, Platform)])
  func systemsOfParse(type: String, platform: Platform) throws {
    let row = try rows("parse", #"{"deviceType": "\#(type)", "deviceToken": "\#(Self.hex)"}"#)[0]
    #expect(try row.record.get().report.platform == platform)
  }

  @Test func oneSignal() throws {
    let rows = try rows(
      "onesignal",
      """
      \u{FEFF}id,identifier,device_type,language,timezone,device_os,tags,created_at,last_active,\
      invalid_identifier,notification_types,timezone_id,test_type\r
      1,\(Self.hex),0,pt,-10800,17.4,"{""plan"":""pro, \r
      plus""}",2022-01-01 12:23:45.678,2024-06-01 08:00:00,f,1,America/Sao_Paulo,1\r
      2,\(Self.hex),0,xx,,16,{},2022-02-01 00:00:00,2023-01-01 00:00:00,t,-2,,\r
      3,,0,,,,,,,,,,\r
      4,x,1,,,,,,,,,,\r
      5,x,0\r
      6,\(Self.hex),9,en,,x,{,yesterday,,f,-9,,\r

      """)
    let first = try rows[0].record.get()
    #expect(first.report.environment == .sandbox)
    #expect(first.report.languages == .set(["pt"]))
    #expect(first.report.timeZone == .set("America/Sao_Paulo"))
    #expect(first.report.attributes == .keep, "a line break is no JSON in a string")
    #expect(first.report.authorization.value?.json == #"{"status":"authorized"}"#)
    #expect(first.createdAt?.rfc3339 == "2022-01-01T12:23:45.678Z")
    #expect(first.time?.rfc3339 == "2024-06-01T08:00:00.000Z")
    let second = try rows[1].record.get()
    #expect(second.credentials[CredentialPlace(.apns)]?.status == .active)
    #expect(second.report.authorization.value?.json == #"{"status":"denied"}"#)
    #expect(second.report.environment == .production)
    let last = try rows[5].record.get()
    #expect(last.report.platform == .macos)
    #expect(last.report.authorization == .keep)
    #expect(
      rows[5].ignored.map { "\($0.pointer) \($0.code)" } == [
        "/created_at invalid_timestamp", "/tags malformed_json", "/device_os unreadable_version",
      ])
    #expect(rows.map(\.line) == [2, 4, 5, 6, 7, 8])
    #expect(
      rows.map(faults) == [
        [], [], ["/identifier missing_token"], ["/device_type unsupported_platform"],
        [" wrong_columns"], [],
      ])
  }

  /// The token of somebody who is not subscribed any more is good, unless the app got none.
  @Test(
    arguments: [
      ("f", "31", "authorized", .active), ("f", "-2", "denied", .active), ("f", "", nil, .active),
      ("t", "", "denied", .active), ("t", "-2", "denied", .active), ("t", "31", "denied", .active),
      ("t", "-19", "denied", .active), ("t", "-13", nil, .invalid), ("t", "-16", nil, .invalid),
      ("f", "-16", nil, .active),
    ] as [(String, String, String?, CredentialStatus)])
  func subscriptionsOfOneSignal(
    invalid: String, types: String, permission: String?, status: CredentialStatus
  ) throws {
    let record = try rows(
      "onesignal",
      "identifier,device_type,invalid_identifier,notification_types\n"
        + "\(Self.hex),0,\(invalid),\(types)\n"
    )[0].record.get()
    #expect(record.credentials[CredentialPlace(.apns)]?.status == status)
    #expect(record.report.authorization.value?.json == permission.map { #"{"status":"\#($0)"}"# })
  }

  /// Its libraries before 5 send `CFBundleVersion`.
  @Test func aVersionOfOneSignalWithoutADotIsABuild() throws {
    let rows = try rows(
      "onesignal",
      "identifier,device_type,game_version\n\(Self.hex),0,412\n\(Self.hex),0,3.2.0\n")
    let (build, version) = (try rows[0].record.get().report, try rows[1].record.get().report)
    #expect(build.appBuild == .set("412") && build.appVersion == .keep)
    #expect(version.appBuild == .keep && version.appVersion == .set("3.2.0"))
  }

  @Test func pinpoint() throws {
    let csv = try rows(
      "pinpoint",
      """
      ChannelType,Address,Id,OptOut,Demographic.Platform,Demographic.Locale,User.UserId,\
      User.UserAttributes.interests,User.UserAttributes.interests,Attributes.plan,Metrics.sessions
      APNS,\(Self.hex),e1,ALL,iOS,fr_CA,u1,music,sports,pro,12
      GCM,x,e2,NONE,android,,,,,,
      """)
    let json = try rows(
      "pinpoint",
      """
      {"ChannelType": "APNS", "Address": "\(Self.hex)", "Id": "e1", "OptOut": "ALL", \
      "Demographic": {"Platform": "iOS", "Locale": "fr_CA"}, "User": {"UserId": "u1", \
      "UserAttributes": {"interests": ["music", "sports"]}}, "Attributes": {"plan": ["pro"]}, \
      "Metrics": {"sessions": 12.0}}
      {"ChannelType": "APNS_VOIP_SANDBOX", "Address": "\(Self.hex)", "Id": "e3"}
      {"ChannelType": "APNS", "Address": "xyz", "Id": "e3"}
      """)
    let record = try csv[0].record.get()
    #expect(try json[0].record.get() == record)
    #expect(record.report.languages == .set(["fr-CA"]))
    #expect(record.report.locale == .set("fr_CA"))
    #expect(record.report.authorization.value?.json == #"{"status":"denied"}"#)
    #expect(
      record.report.attributes.value?.json
        == #"{"metrics.sessions":12,"plan":"pro","user.interests":"music,sports"}"#)
    #expect(faults(csv[1]) == ["/ChannelType unsupported_platform"])
    let voip = try json[1].record.get()
    #expect(voip.report.environment == .sandbox)
    #expect(voip.report.credentials.brought[.voip]?.token.hex == Self.hex)
    #expect(faults(json[2]) == ["/Address token_not_hex"])
  }

  @Test func azure() throws {
    let rows = try rows(
      "azure",
      """
      [{"installationId": "i1", "userId": "u1", "pushChannel": "\(Self.hex.uppercased())",
        "pushChannelExpired": false, "platform": "apns", "tags": ["lang:fr-CA", "gold"],
        "expirationTime": "9999-12-31T23:59:59.9999999Z", "pushVariables": {"first": "Zoë"},
        "templates": {"t": {"body": "{}", "tags": ["x"]}},
        "lastUpdate": "2024-01-01T00:00:00.1234567Z"},
       {"installationId": "i2", "pushChannel": "\(Self.hex)", "platform": "apns",
        "pushChannelExpired": true},
       {"installationId": "i3", "pushChannel": "\(Self.hex)", "platform": "apns",
        "expirationTime": "2020-01-01T00:00:00Z"},
       {"installationId": "i4", "pushChannel": "https://x", "platform": "wns"}]
      """)
    let first = try rows[0].record.get()
    #expect(first.report.languages == .set(["fr-CA"]))
    #expect(first.report.tags == .set(["lang:fr-CA", "gold"]))
    #expect(first.report.attributes.value?.json == #"{"first":"Zoë"}"#)
    #expect(first.report.user.value?.id == "u1")
    #expect(first.time?.rfc3339 == "2024-01-01T00:00:00.123Z")
    #expect(first.credentials[CredentialPlace(.apns)]?.status == .active)
    #expect(try rows[1].record.get().credentials[CredentialPlace(.apns)]?.status == .invalid)
    let expired = try rows[2].record.get().credentials[CredentialPlace(.apns)]
    #expect(expired?.status == .invalid)
    #expect(expired?.invalidatedAt?.rfc3339 == "2020-01-01T00:00:00.000Z")
    #expect(faults(rows[3]) == ["/platform unsupported_platform"])
    #expect(rows.flatMap(\.ignored) == [])
  }

  /// A sample that `docs/moving.md` imports; the `README.md` beside it names its documentation.
  private func sample(_ name: String) throws -> String {
    try String(
      contentsOf: Sources.root.appending(path: "Tests/Fixtures/Moving/\(name)"), encoding: .utf8)
  }

  @Test func sns() throws {
    let rows = try rows("sns", try sample("sns.json"))
    let first = try rows[0].record.get()
    #expect(first.report.environment == .production)
    #expect(first.report.credentials.brought[.apns] != nil)
    #expect(first.report.attributes.value?.json == #"{"custom_user_data":"kim"}"#)
    #expect(first.credentials[CredentialPlace(.apns)]?.status == .active)
    let second = try rows[1].record.get()
    #expect(second.report.environment == .sandbox)
    #expect(second.credentials[CredentialPlace(.apns)]?.status == .quarantined)
    #expect(second.credentials[CredentialPlace(.apns)]?.reason == "disabled")
    let call = try rows[2].record.get()
    #expect(call.report.credentials.brought[.voip] != nil)
    #expect(call.report.credentials.brought[.apns] == nil)
    #expect(faults(rows[3]) == ["/EndpointArn unsupported_platform"])
    #expect(rows.flatMap(\.ignored) == [])
    let mac = try #require(
      try self.rows(
        "sns",
        """
        {"Endpoints": [{"EndpointArn": "arn:aws:sns:eu-west-1:1:endpoint/MACOS_SANDBOX/food/1",
          "Attributes": {"Token": "\(Self.hex)"}}]}
        """
      ).first?.record.get())
    #expect(mac.report.platform == .macos && mac.report.environment == .sandbox)
  }

  @Test func airship() throws {
    let pages = try ["airship-1.json", "airship-2.json"].map { try sample($0) }.joined()
    let rows = try rows("airship", pages)
    let first = try rows[0].record.get()
    #expect(first.report.languages == .set(["fr-CA"]))
    #expect(first.report.locale == .set("fr_CA"))
    #expect(first.report.timeZone == .set("America/Toronto"))
    #expect(first.report.appVersion == .set("3.2.0"))
    #expect(first.report.osVersion == .set("17.4.1"))
    #expect(first.report.deviceModel == .set("iPhone15,2"))
    #expect(first.report.tags == .set(["news"]))
    #expect(first.report.attributes.value?.json == #"{"loyalty":"gold,early"}"#)
    #expect(first.report.user.value?.id == "lea")
    #expect(first.report.authorization.value?.json == #"{"status":"authorized"}"#)
    #expect(first.createdAt?.rfc3339 == "2022-08-17T23:29:52.000Z")
    #expect(first.time?.rfc3339 == "2026-10-18T17:57:31.000Z")
    #expect(
      rows.map(faults) == [
        [], ["/push_address missing_token"], ["/device_type unsupported_platform"],
      ])
    #expect(rows.flatMap(\.ignored) == [])
    let gone = try #require(
      try self.rows(
        "airship",
        #"{"device_type": "ios", "push_address": "\#(Self.hex)", "installed": false, "#
          + #""opt_in": false, "alias": "a", "tag_groups": {"ua_locale_language": ["fr"], "#
          + #""ua_locale_country": ["Unknown"], "ua_ios_version": ["17.4.X"]}}"#
      ).first?.record.get())
    #expect(gone.credentials[CredentialPlace(.apns)]?.reason == "uninstalled")
    #expect(gone.report.authorization.value?.json == #"{"status":"denied"}"#)
    #expect(gone.report.user.value?.id == "a")
    #expect(gone.report.osVersion == .set("17.4"))
    #expect(gone.report.languages == .set(["fr"]))
    let unknown = try #require(
      try self.rows(
        "airship",
        #"{"device_type": "ios", "push_address": "\#(Self.hex)", "tag_groups": "#
          + #"{"ua_locale_language": ["Unknown"], "ua_locale_country": ["CA"]}}"#
      ).first?.record.get())
    #expect(unknown.report.languages == .keep && unknown.report.locale == .keep)
  }

  /// A person is as many records as there are tokens, each with the device and the app of its own.
  @Test func braze() throws {
    let rows = try rows("braze", try sample("braze.json"))
    let first = try rows[0].record.get()
    #expect(first.report.platform == .ios)
    #expect(first.report.user.value?.id == "max")
    #expect(first.report.languages == .set(["fr"]))
    #expect(first.report.timeZone == .set("America/Toronto"))
    #expect(first.report.deviceModel == .set("iPhone15,2"))
    #expect(first.report.osVersion == .set("17.4.1"))
    #expect(first.report.appVersion == .set("3.2.0"))
    #expect(first.report.attributes.value?.json == #"{"orders":7,"plan":"pro"}"#)
    #expect(first.report.authorization.value?.json == #"{"status":"authorized"}"#)
    #expect(first.createdAt?.rfc3339 == "2024-05-02T19:32:41.000Z")
    #expect(first.time?.rfc3339 == "2026-10-01T08:00:00.000Z")
    #expect(faults(rows[1]) == ["/push_tokens/platform unsupported_platform"])
    let second = try rows[2].record.get()
    #expect(second.report.authorization.value?.json == #"{"status":"denied"}"#)
    #expect(second.time == nil)
    // Nobody of the third line has a token.
    #expect(rows.map(\.line) == [1, 1, 2])
    #expect(rows.flatMap(\.ignored) == [])
  }

  @Test func customerIO() throws {
    let rows = try rows("customerio", try sample("customerio.json"))
    let first = try rows[0].record.get()
    #expect(first.report.user.value?.id == "ola")
    #expect(first.report.languages == .set(["fr-CA"]))
    #expect(first.report.locale == .set("fr_CA"))
    #expect(first.report.timeZone == .set("America/Toronto"))
    #expect(first.report.deviceModel == .set("iPhone15,2"))
    #expect(first.report.osVersion == .set("17.4.1"))
    #expect(first.report.appVersion == .set("3.2.0"))
    #expect(first.report.attributes.value?.json == #"{"plan":"pro","unsubscribed":false}"#)
    #expect(first.report.authorization.value?.json == #"{"status":"authorized"}"#)
    #expect(first.time?.rfc3339 == "2026-10-01T08:00:00.000Z")
    #expect(faults(rows[1]) == ["/devices/platform unsupported_platform"])
    #expect(rows.count == 2 && rows.flatMap(\.ignored) == [])
    // Not every answer has each person in a member of their own.
    let flat = try self.rows(
      "customerio",
      #"{"customers": [{"id": "pia", "devices": [{"id": "\#(Self.hex)", "platform": "ios"}]}]}"#)
    #expect(try flat[0].record.get().report.user.value?.id == "pia")
  }

  @Test(arguments: ["braze", "customerio"])
  func theMessageOfAnErrorIsNoPersonWithoutDevices(format: String) throws {
    let people = try rows(
      format,
      """
      {"errors": [{"detail": "too many requests", "status": "429"}]}
      {"external_id": "eml", "id": "eml"}
      {}
      """)
    #expect(people.map(\.line) == [1, 3])
    for person in people { #expect(faults(person) == [" missing_field"]) }
  }

  @Test func aHeaderThatIsNoneIsRefused() throws {
    for (name, body) in [("onesignal", "a,b\n1,2"), ("pinpoint", "Id\n1")] {
      #expect(throws: Exit.self) { try rows(name, body) }
    }
  }

  @Test func codesAreDescribed() throws {
    let text = try Self.document()
    for fault in ForeignFault.allCases { #expect(text.contains("`\(fault.rawValue)`")) }
  }
}
