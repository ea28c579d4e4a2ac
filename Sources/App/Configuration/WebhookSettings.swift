extension Configuration {
  /// The settings that say where webhooks may go.
  static let webhookSettings = [
    Setting(
      variable: "POSTILION_WEBHOOK_NETWORKS",
      meaning:
        "addresses and networks that webhooks may reach beside those of the public internet, "
        + "such as 10.0.0.0/8,::1",
      standard: "none", commands: [.serve, .demo],
      take: storing(\.webhookNetworks) { TrustedProxies.networks($0) }),
    Setting(
      variable: "POSTILION_WEBHOOK_PLAIN_HTTP",
      meaning: "whether webhooks may be reached by http, without TLS, true or false",
      standard: "false", commands: [.serve, .demo],
      take: storing(\.webhooksTakePlainHTTP) { Bool($0) }),
  ]
}
