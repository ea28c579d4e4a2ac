import Testing

@testable import PostilionClient

struct SystemValueTests {
  @Test(arguments: [
    (0, NotificationAuthorization.Status.notDetermined), (1, .denied), (2, .authorized),
    (3, .provisional), (4, .ephemeral), (5, .authorized),
  ])
  func statusIsRead(_ value: Int, _ status: NotificationAuthorization.Status) {
    #expect(NotificationAuthorization.Status(systemValue: value) == status)
  }

  @Test(arguments: [(0, nil), (1, false), (2, true), (3, nil)] as [(Int, Bool?)])
  func switchIsRead(_ value: Int, _ isOn: Bool?) {
    #expect(NotificationAuthorization.isOn(systemValue: value) == isOn)
  }
}
