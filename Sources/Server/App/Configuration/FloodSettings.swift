internal import HTTP

extension Configuration {
  static let floodSettings =
    [
      Setting(
        variable: "POSTILION_TRUSTED_PROXIES",
        meaning: "addresses and networks of proxies that may name the client's address, such as "
          + "10.0.0.0/8,::1",
        standard: "none", commands: [.serve, .demo],
        take: storing(\.proxies.networks) { TrustedProxies.networks($0) }),
      Setting(
        variable: "POSTILION_FORWARDED_FIELD",
        meaning: "the header in which proxies name it, x-forwarded-for or forwarded",
        standard: "x-forwarded-for", commands: [.serve, .demo],
        take: storing(\.proxies.field) { ForwardedField(rawValue: $0) }),
      limit("POSTILION_LIMIT_ADDRESS", "calls of an address with a client key or none", \.address),
      limit(
        "POSTILION_LIMIT_ADDRESS_GROWTH",
        "rows that an address adds to the database", \.addressGrowth),
      limit("POSTILION_LIMIT_KEY", "calls with one client key", \.key),
      limit(
        "POSTILION_LIMIT_KEY_GROWTH",
        "rows that are added to the database with one client key", \.keyGrowth),
      limit("POSTILION_LIMIT_INSTALLATION", "calls for one installation", \.installation),
      quota(
        "POSTILION_QUOTA_INSTALLATIONS", "installations of an app", \.installations),
      quota(
        "POSTILION_QUOTA_FAILURES", "failures that the devices of an app report in a day (UTC)",
        \.failuresPerDay),
      quota(
        "POSTILION_QUOTA_CATALOG_BYTES", "bytes of the files of an app's catalogs", \.catalogBytes),
    ]

  private typealias Place<Value> = any WritableKeyPath<FloodLimits, Value> & Sendable

  private static func limit(
    _ variable: String, _ meaning: String, _ place: Place<RateLimit?>
  ) -> Setting {
    Setting(
      variable: variable, meaning: "\(meaning), a second / at once after a rest; off: no limit",
      standard: FloodLimits()[keyPath: place].map { "\($0)" } ?? "off",
      commands: [.serve, .demo]
    ) { text, configuration in
      let limit = RateLimit(text)
      guard limit != nil || text == "off" else { return false }
      configuration.floods[keyPath: place] = limit
      return true
    }
  }

  private static func quota(
    _ variable: String, _ meaning: String, _ place: Place<Int>
  ) -> Setting {
    Setting(
      variable: variable, meaning: "\(meaning), 1 to 1,000,000,000,000",
      standard: "\(FloodLimits()[keyPath: place])", commands: [.serve, .demo]
    ) { text, configuration in
      guard let number = Int(text), (1...1_000_000_000_000).contains(number) else { return false }
      configuration.floods[keyPath: place] = number
      return true
    }
  }
}
