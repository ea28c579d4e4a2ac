extension Configuration {
  /// The settings that say where webhooks may go.
  static let webhookSettings = [
    Setting(
      variable: "POSTILION_WEBHOOK_NETWORKS",
      meaning:
        "addresses and networks that webhooks may reach beside those of the public internet, "
        + "such as 10.0.0.0/8,::1",
      standard: "none", commands: [.serve, .demo]
    ) { text, configuration in
      guard let networks = TrustedProxies.networks(text) else { return false }
      configuration.webhookNetworks = networks
      return true
    },
    Setting(
      variable: "POSTILION_WEBHOOK_PLAIN_HTTP",
      meaning: "whether webhooks may be reached by http, without TLS, true or false",
      standard: "false", commands: [.serve, .demo]
    ) { text, configuration in
      guard let flag = Bool(text) else { return false }
      configuration.webhooksTakePlainHTTP = flag
      return true
    },
  ]
}
