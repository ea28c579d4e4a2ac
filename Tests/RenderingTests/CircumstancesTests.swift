import APNs
import DeviceProfile
import JSON
import Localization
import TestSupport
import Testing

@testable import Rendering

@Suite struct CircumstancesTests {
  private static let messages = [
    RendererTests.order,
    """
    {"alert": {"title": {"text": {"en": "Hi", "fr": "Salut"}},
               "body": {"key": "COUNT", "args": ["n"]}},
     "parameters": {"n": {"type": "integer"}}, "sound": {"critical": 1, "name": "a"}, "badge": 3}
    """,
    """
    {"alert": {"title": {"key": "PLAIN"}, "body": "{when} {n}"},
     "parameters": {"when": {"type": "date"}, "n": {"type": "decimal"}},
     "fallback_language": "fr", "interruption_level": "critical", "sound": "a"}
    """,
    """
    {"alert": {"body": {"key": "NUMBER", "args": ["n"]}}, "localization": "local",
     "parameters": {"n": {"type": "string", "from": "attributes.n", "default": "x"}}}
    """,
    #"{"content_available": true, "data": {"a": 1}}"#,
    #"{"withdraws": "a17"}"#,
  ]
  private static let arguments = [
    #"{"when": "17 h"}"#, #"{"n": 1234567}"#, #"{"when": 1700000000, "n": 1.5}"#, "{}", "{}", "{}",
  ]

  private func device(_ random: inout SplitMix64) -> Device {
    func one<Value>(of values: [Value]) -> Value {
      values[Int.random(in: values.indices, using: &random)]
    }
    var device = Device(
      platform: one(of: [.ios, .ipados, .macos, .watchos]),
      languages: one(of: [tags("fr-CA"), tags("de", "en"), tags("ja"), tags("en-GB", "fr")]),
      override: one(of: [nil, LanguageTag("fr")]))
    device.locale = one(of: [nil, "fr_CA", "en_IN", "ar_EG", "no tag at all"])
    device.timeZone = one(of: [nil, "Asia/Tokyo", "nowhere"])
    device.appBuild = one(of: [nil, "412", "9"])
    device.appVersion = one(of: [nil, "2.0"])
    device.osVersion = one(of: [
      nil, Version(2), Version(6), Version(7), Version(8, 1), Version(8, 2), Version(9, 3),
      Version(10), Version(10, 13), Version(10, 14), Version(17, 4, 1),
    ])
    device.localization = one(of: [.auto, .client, .server])
    device.capabilities = one(of: [
      [], [Device.locKeyCapability], [Device.localNotificationCapability, "other"],
      [Device.locKeyCapability, Device.localNotificationCapability],
    ])
    device.backgroundRefresh = one(of: [nil, .available, .denied])
    device.permissions.isDenied = one(of: [false, false, true])
    device.permissions.alert = one(of: [nil, true, false])
    device.permissions.sound = one(of: [nil, true, false])
    device.permissions.criticalAlert = one(of: [nil, true, false])
    device.attributes = one(of: [nil, #"{"n":"seven"}"#, #"{"n":7}"#])
    return device
  }

  /// What explains itself is rendered with all that is known of the device.
  @Test(arguments: messages.indices)
  func whatIsLeftOutMakesNoDifference(number: Int) throws {
    var scene = Scene(Self.messages[number])
    scene.arguments = Self.arguments[number]
    var random = SplitMix64(seed: UInt64(number))
    var modes: Set<Mode> = []
    for _ in 0..<400 {
      scene.device = device(&random)
      scene.options = RenderOptions(isVoIP: Int.random(in: 0..<5, using: &random) == 0)
      let content = try scene.render()
      let renderer = try scene.renderer()
      let isDenied = renderer.isDenied(by: scene.device.permissions)
      scene.options.explain = true
      var explained = try scene.render()
      explained.explanation = nil
      #expect(content == explained, "\(scene.device)")
      let reduced = renderer.circumstances(of: scene.device, catalogs: DeviceCatalogs()).device
      #expect(renderer.isDenied(by: reduced.permissions) == isDenied)
      modes.insert(content.mode)
    }
    #expect(modes.count > 1)
  }

  @Test func versionsOfASystemThatChangeNothingAreOne() throws {
    let renderer = try Scene(#"{"alert": {"key": "PLAIN"}}"#).renderer()
    func circumstances(_ platform: Platform, _ version: Version) -> Circumstances {
      var device = Device(platform: platform, languages: tags("fr"))
      device.osVersion = version
      return renderer.circumstances(of: device, catalogs: DeviceCatalogs())
    }
    let table: [(Platform, Version, Version, Bool)] = [
      (.ios, Version(10), Version(17, 4, 1), true), (.ios, Version(9, 3), Version(10), false),
      (.ios, Version(8, 2), Version(9, 3), true), (.ios, Version(8, 1), Version(8, 2), false),
      (.ios, Version(6), Version(7), false), (.macos, Version(10, 13), Version(10, 14), false),
      (.macos, Version(10, 14), Version(14), true), (.tvos, Version(1), Version(9), true),
    ]
    for (platform, one, other, areOne) in table {
      #expect(
        (circumstances(platform, one) == circumstances(platform, other)) == areOne,
        "\(platform) \(one) \(other)")
    }
  }
}
