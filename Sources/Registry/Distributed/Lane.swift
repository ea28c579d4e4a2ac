internal import FoundationEssentials

/// Where Citus spreads the installations over servers, they are divided into eight lanes, by shard.
/// Example: of 32 shards, lane 0 has the installations of the first four.
///
/// A round that writes one lane only sends commands to four shards instead of 32, with more rows in
/// each.
extension InstallationID {
  /// From 0 to below ``RegistryLimits/lanes``.
  var lane: Int {
    let position = UInt64(shardHash ^ 0x8000_0000)
    return Int((position * UInt64(RegistryLimits.lanes)) >> 32)
  }

  /// What Citus spreads installations by, each shard having an equal part of the numbers:
  /// PostgreSQL's `uuid_hash`, which is Bob Jenkins's "lookup3" of 2006.
  var shardHash: UInt32 {
    let words = withUnsafeBytes(of: uuid.uuid) { bytes in
      (0..<4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
    }
    let start: UInt32 = 0x9e37_79b9 &+ 16 &+ 3_923_095
    var (a, b, c) = (start &+ words[0], start &+ words[1], start &+ words[2])
    for (first, second, third) in [(4, 6, 8), (16, 19, 4)] as [(UInt32, UInt32, UInt32)] {
      a = (a &- c) ^ c.rotated(first)
      c = c &+ b
      b = (b &- a) ^ a.rotated(second)
      a = a &+ c
      c = (c &- b) ^ b.rotated(third)
      b = b &+ a
    }
    a = a &+ words[3]
    c = (c ^ b) &- b.rotated(14)
    a = (a ^ c) &- c.rotated(11)
    b = (b ^ a) &- a.rotated(25)
    c = (c ^ b) &- b.rotated(16)
    a = (a ^ c) &- c.rotated(4)
    b = (b ^ a) &- a.rotated(14)
    return (c ^ b) &- b.rotated(24)
  }
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}

extension Collection<Int> {
  /// The lane of the next round: that of the first that waits, if enough others have the same lane.
  /// If not, `nil`: the round takes all lanes.
  var laneOfRound: Int? {
    guard let lane = first, count(where: { $0 == lane }) >= RegistryLimits.enoughOfLane
    else { return nil }
    return lane
  }
}
