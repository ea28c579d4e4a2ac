extension Limits {
  /// Time zones of an audience that are told apart, the most frequent: the IANA data has 600 names.
  /// Devices in other time zones count like devices that report no time zone.
  static let localTimeZones = 1000
  /// Days for which local times are asked, in seconds: from 1970, to a year that leaves the instant
  /// four digits in every time zone.
  static let localTimeDays: ClosedRange<Int64> = 0...253_370_764_800
}
