/// What became of a payload: `UIBackgroundFetchResult` as a value.
///
/// The system counts time and power against it, so it should be true.
public enum FetchResult: Sendable, Hashable, CaseIterable {
  /// There was something new.
  case newData
  /// There was nothing new.
  case noData
  /// It could not be fetched.
  case failed

  /// One result of several: `newData` if any is that; else `failed` if any is that; else, and of
  /// none, `noData`.
  public static func combined(_ results: some Sequence<FetchResult>) -> FetchResult {
    results.reduce(.noData) { combined, result in
      switch (combined, result) {
      case (.newData, _), (_, .newData): .newData
      case (.failed, _), (_, .failed): .failed
      case (.noData, .noData): .noData
      }
    }
  }
}
