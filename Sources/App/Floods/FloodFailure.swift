/// A call that is turned away, so that there is room for others.
enum FloodFailure: Error, Sendable, Equatable {
  /// A bucket is empty.
  case tooMany(FloodGuard.Limit, RateLimit, retryAfterSeconds: Int)
  /// An app has all that it may have.
  case quota(AppUsage.Quota, limit: Int)
}
