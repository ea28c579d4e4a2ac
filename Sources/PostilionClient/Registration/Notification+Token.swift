import Foundation

extension Notification.Name {
  /// The system gave a device token. `userInfo` has it under `token`, as ``Postilion/text(of:)``
  /// writes it.
  ///
  /// The library posts this for code of yours that wants the token for itself, on the thread that
  /// told it. Nothing here is needed for the registration.
  public static var postilionDidRegister: Self { Self("org.postilion.didRegister") }

  /// The system gave no device token. `userInfo` has the error under `error`.
  public static var postilionDidFailToRegister: Self { Self("org.postilion.didFailToRegister") }
}

extension Postilion {
  /// A token as servers write it: two lower-case hexadecimal digits a byte, such as `a1b2…`.
  public static func text(of token: Data) -> String { token.hexadecimal }
}
