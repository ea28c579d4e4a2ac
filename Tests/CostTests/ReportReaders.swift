import Crypto

@testable import App
@testable import DeviceProfile
@testable import HTTP
@testable import JSON
@testable import Postgres
@testable import Registry

extension Reader {
  private static func body<Body: RequestBody>(
    _ name: String, upTo largest: Int, _ type: Body.Type, _ worst: @escaping (Int) -> String,
    _ use: @escaping (Body) -> Void = { _ in }
  ) -> Reader {
    Reader(name, upTo: largest) {
      Array(worst($0).utf8)
    } _: { bytes in
      if let body = try? Body.decode(bytes).body { use(body) }
    }
  }

  /// Elements of a list that differ at their end alone, so that comparing them takes long.
  private static func list(_ bytes: Int, _ start: String, of length: Int, _ end: String) -> String {
    let element = text(length - 4, "e", marks)
    return numbered(bytes, "\(start)[\"\"", "]\(end)") { ",\"\(element)\($0)\"" }
  }

  /// An installation with these tags and languages.
  private static func installation(_ report: RegistrationReport) -> Installation? {
    guard let id = InstallationID("9e3779b1-0000-4000-8000-000000000001") else { return nil }
    let time = Timestamp(microseconds: 0)
    var installation = Installation(
      appID: 1, id: id, revision: 1, platform: .ios, environment: .production, createdAt: time,
      updatedAt: time, lastSeenAt: time)
    ProfileField.forEach { $0.apply(report, &installation) }
    return installation
  }

  private static func filter(_ json: String) {
    guard case .object? = JSONValue(parsing: Array(json.utf8)) else { return }
    let value = try? JSONValue(body: Array(json.utf8)).read { fields in
      InstallationFilter(reading: fields)
    }
    if let filter = value?.body { _ = filter.condition(nil) }
  }

  private static func query(_ query: String, _ read: (inout QueryReader) -> Void) {
    guard let head = try? RequestHead(method: .get, target: "/?\(query)") else { return }
    let request = Request(
      head: head, parameters: PathParameters(names: [], values: []), requestID: "", peer: nil,
      now: Timestamp(microseconds: 0))
    guard var reader = try? QueryReader(request) else { return }
    read(&reader)
    try? reader.finish()
  }

  nonisolated(unsafe) static let reports: [Reader] = [
    body(
      "report: tags", upTo: RegistryLimits.tags * RegistryLimits.tagBytes, RegistrationReport.self
    ) { bytes in
      list(bytes, "{\"platform\":\"ios\",\"environment\":\"production\",\"tags\":", of: 100, "}")
    } _: { report in
      _ = installation(report)?.facets.count
    },
    body("report: languages", upTo: 3_000, RegistrationReport.self) { bytes in
      numbered(
        bytes, "{\"platform\":\"ios\",\"environment\":\"production\",\"languages\":[\"en\"", "]}"
      ) { ",\"en-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-\($0)\"" }
    } _: { report in
      _ = installation(report)?.facets.count
    },
    body("report: attributes", upTo: 4_096, RegistrationReport.self) { bytes in
      numbered(
        bytes, "{\"platform\":\"ios\",\"environment\":\"production\",\"attributes\":{",
        "\"a\":1.5}}"
      ) { "\"\(text(60, "", marks))\($0)\":1.5e-300," }
    } _: { report in
      _ = installation(report)?.facets.count
    },
    body("changes of tags", upTo: 14_000, TagChange.self) { bytes in
      let (add, remove) = ("{\"add\":", ",\"remove\":")
      return list(bytes / 2, add, of: 120, list(bytes / 2, remove, of: 120, "}"))
    } _: { change in
      _ = change.newTags(from: change.removed + change.added)
    },
    body("failures", upTo: Limits.failureBodyBytes, FailureReport.self) { bytes in
      text(bytes, "{\"kind\":\"apns\",\"error\":{\"domain\":\"", "\\u0323\\u0301", "\"}}")
    },
    body("answers of APNs", upTo: Limits.feedbackBodyBytes, FeedbackReport.self) { bytes in
      text(bytes, "{\"results\":[", "{\"token\":\"<0 0>\"},", "0]}")
    },
    body("lists of languages", upTo: 128 << 10, MatchLanguages.MatchRequest.self) { bytes in
      list(bytes, "{\"preferred\":[],\"available\":", of: 250, "}")
    },
    Reader("filters in filters", upTo: Limits.renderBodyBytes) { bytes in
      text(bytes, "{\"any\":[", "{\"any\":[{\"tag\":\"a\"},{\"not\":{\"user\":\"b\"}}]},", "{}]}")
    } _: {
      filter($0)
    },
    Reader("names of attributes in filters", upTo: Limits.renderBodyBytes) { bytes in
      text(bytes, "{\"attributes[[", flags, "]\":0}")
    } _: {
      filter($0)
    },
    Reader("filters in a query", upTo: 8_000) { bytes in
      numbered(bytes) { "attributes[\($0)]=\(text(24, "", "a"))&" }
    } _: { text in
      query(text) { _ = InstallationFilter(appID: 1, from: &$0) }
    },
    Reader("lists in a query", upTo: 4_096) { bytes in
      text(bytes, "tags[any]=[", "1,", "1]")
    } _: { text in
      query(text) { _ = InstallationFilter(appID: 1, from: &$0) }
    },
    Reader("proofs of users", upTo: RegistryLimits.userTokenBytes) { bytes -> String in
      let header = Base64URL.encode(Array("{\"alg\":\"HS256\"}".utf8))
      let claims = text(bytes * 3 / 4 - 64, "{\"sub\":\"", "\\u0323\\u0301", "\"}")
      let signed = "\(header).\(Base64URL.encode(Array(claims.utf8)))"
      let code = HMACSHA256.authenticationCode(of: Array(signed.utf8), key: Array("secret".utf8))
      return "\(signed).\(Base64URL.encode(code))"
    } _: { token in
      checkProof(token)
    },
  ]
}

/// Checks a proof of a person with the secret `secret`.
func checkProof(_ token: String) {
  guard let slug = AppSlug("a"), let bundleID = BundleID("a") else { return }
  let time = Timestamp(microseconds: 0)
  let app = AppRecord(
    id: 1, slug: slug, bundleID: bundleID, name: "", developmentLanguage: "en",
    identityVerification: .required, identitySecrets: ["secret"], localNotificationKey: "a",
    createdAt: time, updatedAt: time)
  _ = try? IdentityProof.check(token, of: "u", for: app, at: time)
}
