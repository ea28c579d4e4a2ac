extension Configuration {
  /// The settings that say whether webhooks are called, and where they may be.
  static let webhookSettings = [
    Setting(
      variable: "POSTILION_WEBHOOKS",
      meaning: "whether this instance delivers to webhooks, on or off; off in a copy of production",
      standard: "on", commands: [.serve],
      take: storing(\.deliversToWebhooks) { ["on": true, "off": false][$0] }),
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
