import AppTesting
import FoundationEssentials
import Testing

@testable import Registry

/// Installations are in lanes as Citus has them in shards.
@Suite struct LaneTests {
  private static let ids = (0..<200).map { _ in InstallationID(UUID()) }
  private static let rows =
    "unnest('{\(ids.map(\.text).joined(separator: ","))}'::uuid[]) WITH ORDINALITY AS x (id, n)"

  @Test func theHashIsThatOfPostgreSQL() async throws {
    let hashes = try await ScratchCluster.query("SELECT uuid_hash(id) FROM \(Self.rows) ORDER BY n")
    #expect(hashes == Self.ids.map { ["\(Int32(bitPattern: $0.shardHash))"] })
  }

  /// The tests' shards are fewer than the lanes.
  @Test(.enabled(if: ScratchCluster.isDistributed)) func aLaneIsWithinAShard() async throws {
    let service = try await TestService.start()
    let shard = "get_shard_id_for_distribution_column('installation', id)"
    let shards = try await service.database.query("SELECT \(shard) FROM \(Self.rows) ORDER BY n")
    let pairs = Set(zip(Self.ids, shards).map { ["\($0.lane)", $1[0]] })
    #expect(pairs.count == RegistryLimits.lanes)
    await service.stop()
  }

  @Test func everyLaneIsUsed() {
    #expect(Set(Self.ids.map(\.lane)) == Set(0..<RegistryLimits.lanes))
  }
}
