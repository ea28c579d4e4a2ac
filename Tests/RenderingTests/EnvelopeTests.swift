import APNs
import DeviceProfile
import JSON
import Localization
import Rendering
import Testing

@Suite struct LocalNotificationTests {
  private func scene(_ message: String) -> Scene {
    var scene = Scene(message)
    scene.options.localization = .local
    scene.device.capabilities = [Device.localNotificationCapability]
    return scene
  }

  @Test func aLocalNotificationIsSilentAndKeepsEverythingElseInside() throws {
    var scene = scene(RendererTests.order)
    scene.arguments = #"{"when": "17 h"}"#
    scene.name = "order"
    scene.app.messageTypeKey = "type"
    scene.app.localNotificationKey = "notification"
    let content = try scene.render()
    #expect(
      content.payloadText
        == #"{"aps":{"content-available":1},"notification":{"aps":{"#
        + #""alert":{"body":"À prendre à 17 h","title":"Boutique"},"thread-id":"orders"},"#
        + #""id":"order-A17","list":["{order}","noA17"],"n":1,"order":"A17","type":"order"},"#
        + #""type":"order"}"#)
    #expect(content.headers.pushType == .background)
    #expect(content.headers.priority == 5)
    #expect(content.headers.topic == "com.example.shop")
    #expect(content.headers.collapseID == "order-A17")
    #expect(content.headers.expiration == 1_700_003_600)
    #expect(content.language == "fr")
    #expect(content.codes == [])
  }

  @Test(arguments: [
    (#""id": 1"#, #""id":1}"#), (#""id": "call-{n}""#, #""id":"call-7"}"#),
    (#""id": "a", "collapse_id": "b""#, #""id":"a"}"#),
    (#""collapse_id": "b-{n}""#, #""id":"b-7"}"#),
    (#""data": {"id": 5}, "collapse_id": "b""#, #""id":5}"#),
    (#""id": "{e}""#, #"{"alert":"x"}}"#),
  ])
  func aLocalNotificationHasTheIdThatTheAppReplacesItBy(members: String, expected: String) throws {
    var scene = scene(
      """
      {"alert": "x", "parameters": {"n": {"type": "integer", "default": 7},
       "e": {"type": "string", "default": ""}}, \(members)}
      """)
    #expect(try scene.render().payloadText.hasSuffix(expected + "}"))
    scene.options.localization = .server
    #expect(try scene.render().payloadText.contains(#""id""#) == members.contains("data"))
  }

  /// Without an app that reads it, the collapse id is what a device replaces a notification by.
  @Test(
    arguments: [
      (#""id": 1"#, "1"), (#""id": "call-{n}""#, "call-7"),
      (#""id": "a", "collapse_id": "b""#, "b"),
      (#""id": "{e}""#, nil), (#""badge": 1"#, nil),
    ] as [(String, String?)])
  func theSameIdReplacesItWhereTheSystemShowsIt(members: String, expected: String?) throws {
    var scene = scene(
      """
      {"alert": {"key": "PLAIN"}, "parameters": {"n": {"type": "integer", "default": 7},
       "e": {"type": "string", "default": ""}}, \(members)}
      """)
    scene.device.capabilities.insert(Device.locKeyCapability)
    for (mode, localization) in [(Mode.server, LocalizationRequest.server), (.client, .client)] {
      scene.options.localization = localization
      let content = try scene.render()
      #expect(content.mode == mode)
      #expect(content.headers.collapseID == expected)
      #expect(content.codes == [])
    }
  }

  @Test(arguments: [
    (#""mutable_content": 1"#, ["mutable_content_ignored"]),
    (#""priority": 10"#, ["priority_changed"]),
  ])
  func aLocalNotificationHasNothingThatOnlyARemoteOneCanUse(members: String, codes: [String]) throws
  {
    let content = try scene(#"{"badge": 3, "content_available": 1, \#(members)}"#).render()
    #expect(
      content.payloadText
        == #"{"aps":{"content-available":1},"payload":{"aps":{"badge":3}}}"#)
    #expect(content.codes == codes)
  }
}

/// Header fields carry visible ASCII: every other id has a form in it, the same for the same text.
@Suite struct EncodedIDTests {
  /// An id as JSON has it, and its SHA-256 if that stands in.
  static let rows: [(id: String, digest: String?)] = [
    ("order-17", nil), ("a", nil), ("!#$%&'()*+,-./:;<=>?@[]^_`|~", nil),
    (String(repeating: "x", count: 64), nil),
    (
      String(repeating: "x", count: 65),
      "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"
    ),
    ("chat-日本語", "16b7a1cdc14e5e62d4a3fbf87fd0d033ca8ef964f3827d5752f8404095d1b216"),
    ("é", "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"),
    ("a b", "c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65"),
    (" a", "7de598b3ff8a99638e1f9bf49260baa0d98e069dde32d1f2e153adb5ce478242"),
    (#"a\r\nx: y"#, "a727fc4e26ae15b5c5e2799a0d7b9a3daaf044ddd14f0652d129bb9076f6688b"),
    (#"a\u007F"#, "c5791af439fe7995107aba250c140cfd948cb08812c78ade269703c4b82c35fa"),
  ]

  @Test(arguments: rows.indices)
  func anIdThatIsNoHeaderFieldBecomesOne(row index: Int) throws {
    let (id, digest) = Self.rows[index]
    for member in ["collapse_id", "id"] {
      let content = try Scene(#"{"alert": "x", "\#(member)": "\#(id)"}"#).render()
      #expect(content.headers.collapseID == digest ?? id)
      #expect(content.codes == (digest == nil ? [] : ["collapse_id_encoded"]))
    }
  }

  /// A device knows a notification by its collapse id, and one that the app made by its id.
  @Test(arguments: [
    (#"{"alert": "x", "id": "{id}""#, "id"), (#"{"alert": "x", "collapse_id": "{id}""#, "id"),
    (#"{"withdraws": "{id}""#, "withdraws"),
  ])
  func theFormIsTheSameInAllModesAndForAWithdrawal(message: String, member: String) throws {
    let (id, digest) = Self.rows[5]
    for isVoIP in [false, true] {
      var scene = Scene(message + #", "parameters": {"id": {"type": "string"}}}"#)
      scene.arguments = #"{"id": "\#(id)"}"#
      scene.device.capabilities = [Device.localNotificationCapability]
      scene.options = RenderOptions(localization: .local, isVoIP: isVoIP)
      let content = try scene.render()
      #expect(content.payloadText.contains(#""\#(member)":"\#(digest ?? "")""#))
      #expect(content.codes.contains("collapse_id_encoded"))
    }
  }
}

@Suite struct WithdrawalTests {
  /// However the withdrawn notification got there, the app finds it by its id.
  @Test func aWithdrawalIsSilentAndTellsTheAppWhichNotificationGoes() throws {
    var scene = Scene(
      """
      {"withdraws": "mail-{n}", "parameters": {"n": {"type": "integer", "default": 7}},
       "data": {"unread": 3}}
      """)
    scene.name = "mail_read"
    scene.app.messageTypeKey = "type"
    scene.device.capabilities = [Device.localNotificationCapability]
    for localization in LocalizationRequest.allCases {
      scene.options.localization = localization
      let content = try scene.render()
      #expect(
        content.payloadText
          == #"{"aps":{"content-available":1},"payload":{"type":"mail_read","unread":3,"#
          + #""withdraws":"mail-7"},"type":"mail_read"}"#)
      #expect(content.headers.pushType == .background && content.headers.priority == 5)
      #expect(content.mode == .local && content.refusal == nil)
      #expect(content.codes == (localization == .client ? ["withdrawal"] : []))
    }
    scene.options = RenderOptions(isVoIP: true)
    let call = try scene.render()
    #expect(call.payloadText == #"{"type":"mail_read","unread":3,"withdraws":"mail-7"}"#)
    #expect(call.headers.pushType == .voip && call.codes == ["voip_without_call_id"])
  }

  @Test func aWithdrawalNeedsAnAppThatListensAndAPayloadThatFits() throws {
    var scene = Scene(#"{"withdraws": 7}"#)
    scene.options.explain = true
    let content = try scene.render()
    #expect(content.payloadText == #"{"aps":{"content-available":1},"payload":{"withdraws":7}}"#)
    #expect(content.codes == ["local_not_declared"])
    #expect(content.explanation?.mode == .withdrawal)
    let long = String(repeating: "x", count: 4096)
    scene.message = #"{"withdraws": 7, "data": {"d": "\#(long)"}}"#
    #expect(try scene.render().refusal?.cause == .payloadTooLarge)
  }
}

@Suite struct MessageTypeTests {
  @Test func theTypeIsItsOwnOrElseTheNameAndDataOfThatNameCountsFirst() throws {
    var scene = Scene(#"{"alert": "x", "message_type": "greeting"}"#)
    scene.app.messageTypeKey = "messageType"
    #expect(try scene.render().payloadText == #"{"aps":{"alert":"x"},"messageType":"greeting"}"#)
    scene.name = "stored"
    #expect(try scene.render().payloadText.contains(#""messageType":"greeting""#))
    scene.message = #"{"alert": "x", "message_type": "t", "data": {"messageType": 5}}"#
    #expect(try scene.render().payloadText.contains(#""messageType":5"#))
    scene.app.messageTypeKey = nil
    scene.message = #"{"alert": "x", "message_type": "t"}"#
    #expect(try scene.render().payloadText == #"{"aps":{"alert":"x"}}"#)
  }
}

@Suite struct VoIPTests {
  private func scene(_ message: String) -> Scene {
    var scene = Scene(message)
    scene.options.isVoIP = true
    return scene
  }

  @Test(
    arguments: [
      (#"{"alert": "x", "call": {"id": "{c}"}}"#, #"{"aps":{"alert":"x"},"#, []),
      (#"{"call": {"id": "{c}"}, "push_type": "voip"}"#, "{", []),
      (
        #"{"call": {"id": "{c}"}, "content_available": 1}"#, #"{"aps":{"content-available":1},"#, []
      ),
      (#"{"call": {"id": "{c}"}, "priority": 5}"#, "{", ["priority_changed"]),
    ] as [(String, String, [String])])
  func aCallHasItsPayloadAtTheTop(message: String, aps: String, codes: [String]) throws {
    let parameters = #", "parameters": {"c": {"type": "string", "default": "7F"}}}"#
    let content = try scene(message.dropLast() + parameters).render()
    #expect(content.payloadText == aps + #""call":{"id":"7F","time":1700000000}}"#)
    #expect(content.mode == .voip)
    #expect(content.headers.topic == "com.example.shop.voip")
    #expect(content.headers.pushType == .voip)
    #expect(content.headers.priority == 10)
    #expect(content.headers.expiration == 0)
    #expect(content.codes == codes)
  }

  @Test func aCallHasNoCollapseIdAndATimeToLiveOnlyOnDemand() throws {
    let content = try scene(
      #"{"alert": "x", "collapse_id": "c", "ttl": 5, "call": {"id": "1"}}"#
    ).render()
    #expect(content.headers.collapseID == nil)
    #expect(content.headers.expiration == 1_700_000_005)
    #expect(content.payloadText.contains(#""id":"c""#))
  }

  @Test func aCallWithoutAnIdIsAProblem() throws {
    #expect(try scene(#"{"alert": "x"}"#).render().codes == ["voip_without_call_id"])
    #expect(
      try scene(
        #"{"call": {"id": "{c}"}, "parameters": {"c": {"type": "string", "default": ""}}}"#
      ).render().codes == ["voip_without_call_id"])
    #expect(try scene(#"{"alert": "x", "data": {"call": {"id": "1"}}}"#).render().codes == [])
  }

  @Test func aCallIgnoresItsTrigger() throws {
    let content = try scene(
      #"""
      {"alert": "x", "call": {"id": "1"},
       "trigger": {"type": "time_interval", "seconds": 60, "repeats": false}}
      """#
    ).render()
    #expect(content.codes == ["trigger_ignored"])
    #expect(!content.payloadText.contains("trigger"))
  }
}

@Suite struct CriticalAlertTests {
  @Test(arguments: [
    (
      #""sound": {"name": "siren.caf", "volume": 1}, "interruption_level": "critical""#,
      #""sound":"siren.caf"}"#
    ),
    (#""sound": {"critical": true}"#, #""sound":"default"}"#),
    (#""interruption_level": "critical""#, #""alert":"x"}"#),
    (#""sound": {"name": "a", "volume": 1, "critical": true}"#, #""sound":"a"}"#),
    (
      #""sound": {"critical": 1}, "interruption_level": "active""#,
      #""interruption-level":"active","sound":"default"}"#
    ),
  ])
  func aCriticalAlertBecomesAnOrdinaryOneWhereItIsNotAllowed(members: String, expected: String)
    throws
  {
    var scene = Scene(#"{"alert": "x", \#(members)}"#)
    let untouched = try scene.render()
    #expect(untouched.payloadText.contains("critical"))
    #expect(untouched.codes == [])
    scene.device.permissions.criticalAlert = false
    let content = try scene.render()
    #expect(content.payloadText.hasSuffix(expected + "}"))
    #expect(!content.payloadText.contains("critical"))
    #expect(content.codes == ["critical_sound_not_allowed"])
    scene.device.permissions.criticalAlert = true
    #expect(try scene.render().payloadText == untouched.payloadText)
  }

  /// Only who says `critical` breaks through the mute switch.
  @Test(
    arguments: [
      (#"{"name": "a.caf", "volume": 0.5}"#, "a.caf", ["volume_ignored"]),
      (#"{"name": "a.caf"}"#, "a.caf", []), (#"{"volume": 1}"#, "default", ["volume_ignored"]),
      ("{}", "default", []), (#"{"name": "a.caf", "critical": false}"#, "a.caf", []),
      (#"{"name": "a.caf", "critical": 0, "volume": 1}"#, "a.caf", ["volume_ignored"]),
      (#"{"name": "a.caf", "critical": null}"#, "a.caf", []),
    ] as [(String, String, [String])])
  func aDictionaryWithoutCriticalIsItsName(sound: String, name: String, codes: [String]) throws {
    let content = try Scene(#"{"alert": "x", "sound": \#(sound)}"#).render()
    #expect(content.payloadText == #"{"aps":{"alert":"x","sound":"\#(name)"}}"#)
    #expect(content.codes == codes)
  }

  @Test func anOrdinarySoundIsLeftAlone() throws {
    var scene = Scene(#"{"sound": {"critical": 0, "name": "a"}, "interruption_level": "active"}"#)
    scene.device.permissions.criticalAlert = false
    #expect(try scene.render().codes == [])
  }
}

@Suite struct DenialTests {
  private static let critical = #"{"sound": {"critical": 1}}"#

  @Test(
    arguments: [
      (#"{"alert": "x", "sound": "a", "badge": 1}"#, [\.alert, \.sound, \.badge], true),
      (#"{"alert": "x", "sound": "a", "badge": 1}"#, [\.alert, \.sound], false),
      (#"{"alert": "x"}"#, [\.alert], true), (#"{"alert": "x"}"#, [\.sound, \.badge], false),
      (#"{"badge": 0}"#, [\.badge], true), (#"{"sound": "a"}"#, [\.sound], true),
      // What shows nothing is no matter of permission.
      (#"{"content_available": 1}"#, [\.alert, \.sound, \.badge], false),
      (#"{"push_type": "alert", "data": {"a": 1}}"#, [\.alert, \.sound, \.badge], false),
      // A critical sound is played in spite of the others, unless it is denied itself.
      (critical, [\.sound], false), (critical, [\.sound, \.criticalAlert], true),
      (#"{"sound": "a", "interruption_level": "critical"}"#, [\.sound], false),
      (#"{"sound": {"critical": 0}}"#, [\.sound], true),
      (#"{"alert": "x", "interruption_level": "critical"}"#, [\.alert, \.sound], true),
    ] as [(String, [any WritableKeyPath<Permissions, Bool?> & Sendable], Bool)])
  func aNotificationIsDeniedWhenAllThatItShowsOrPlaysIs(
    message: String, denied: [any WritableKeyPath<Permissions, Bool?> & Sendable], expected: Bool
  ) throws {
    var permissions = Permissions()
    permissions.criticalAlert = true
    for path in denied { permissions[keyPath: path] = false }
    #expect(try Scene(message).renderer().isDenied(by: permissions) == expected)
  }

  @Test(arguments: [
    (#"{"alert": "x"}"#, false, true), (critical, false, true),
    (#"{"content_available": 1}"#, false, false), (#"{"push_type": "alert"}"#, false, false),
    (#"{"alert": "x"}"#, true, false),
  ])
  func noToEverythingDeniesAllThatIsShownExceptCalls(message: String, isVoIP: Bool, expected: Bool)
    throws
  {
    var scene = Scene(message)
    scene.options.isVoIP = isVoIP
    var permissions = Permissions()
    permissions.isDenied = true
    #expect(try scene.renderer().isDenied(by: permissions) == expected)
  }
}
