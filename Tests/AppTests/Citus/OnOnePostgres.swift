import AppTesting
import Testing

extension Trait where Self == ConditionTrait {
  /// The test has SQL of its own that Citus refuses, such as a trigger on a table that it spreads,
  /// or looks at plans or processes of one server: `make test-citus` leaves it out.
  static var onOnePostgres: Self {
    .disabled(if: ScratchCluster.isDistributed, "The test's own SQL is not for Citus.")
  }
}
