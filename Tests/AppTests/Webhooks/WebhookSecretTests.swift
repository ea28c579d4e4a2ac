import Testing

@testable import App

/// Who signed, as the specification says.
@Suite struct WebhookSecretTests {
  /// The example of the libraries of Standard Webhooks.
  @Test func theSignatureIsThatOfTheSpecification() throws {
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let signature = secret.signature(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: #"{"test": 2432232314}"#)
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    #expect(secret.text == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
  }

  @Test(arguments: [23, 24, 64, 65]) func aSecretHasSoManyBytes(count: Int) {
    let bytes = [UInt8](repeating: 0xFB, count: count)
    let secret = WebhookSecret(bytes: bytes)
    #expect((secret != nil) == (24...64).contains(count))
    if let secret { #expect(WebhookSecret(secret.text) == secret) }
  }

  @Test(
    arguments: [
      "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_", "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ])
  func noSecrets(text: String) { #expect(WebhookSecret(text) == nil) }
}
