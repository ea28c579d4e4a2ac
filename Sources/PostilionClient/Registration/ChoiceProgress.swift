/// How far an opt-in or opt-out has come.
public enum ChoiceProgress: Hashable, Sendable {
  /// The server has done it: after an opt-out it has no installation, after an opt-in it has one.
  case done
  /// It is stored on the device, and is sent when it can be, also by a later process: without a
  /// network it ends here. So does an opt-in while the system has not told a token yet.
  case stored
  /// It is told, and not stored: the app has not started the library, or the device was not
  /// unlocked since it was switched on. Nothing of it survives the end of the process.
  case told
}
