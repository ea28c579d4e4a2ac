import Testing

@testable import Content

/// Which catalog stands in for that of a build that has none.
@Suite struct CatalogVersionsTests {
  struct Row: Sendable {
    /// The last upload first.
    let catalogs: [String]
    let build: String?
    let version: String?
    let nearest: String?

    init(_ catalogs: [String], _ build: String?, _ version: String?, _ nearest: String?) {
      (self.catalogs, self.build, self.version, self.nearest) = (catalogs, build, version, nearest)
    }
  }

  @Test(arguments: [
    Row([], "417", "3.2.0", nil),
    // The newest that is not later, else the oldest later one.
    Row(["412"], "417", nil, "412"),
    Row(["500", "412", "410"], "417", nil, "412"),
    Row(["500", "412", "410"], "400", "3.2.0", "410"),
    // Numbers are compared, not texts: 3.9 is before 3.10, 99 before 100.
    Row(["3.9", "3.10", "4.0"], nil, "3.10.1", "3.10"),
    Row(["3.9", "3.10"], nil, "3.9.9", "3.9"),
    Row(["99", "100"], "101", nil, "100"),
    // 3.2 and 3.2.0 are the same.
    Row(["3.2", "3.1"], nil, "3.2.0", "3.2"),
    // A version is compared with versions, a build with builds.
    Row(["3.3.0", "3.1.0"], "417", "3.2.0", "3.1.0"),
    Row(["3.1.0", "410", "500"], "417", "3.2.0", "410"),
    Row(["3.1.0", "500"], "417", "3.2.0", "3.1.0"),
    Row(["3.3.0", "500"], "417", "3.2.0", "500"),
    Row(["3.2.0.40", "3.2.0.42"], "3.2.0.41", "3.2.0", "3.2.0.40"),
    // Only where nothing else is there, all are compared.
    Row(["3.1.0", "3.3.0"], "417", nil, "3.3.0"),
    Row(["1", "3"], nil, "2.0", "1"),
    // What is no version is not near to anything, and better than nothing.
    Row(["beta", "412"], "417", nil, "412"),
    Row(["beta"], "417", nil, "beta"),
    Row(["412", "410"], "nightly", nil, "412"),
    Row(["410", "412"], nil, nil, "410"),
  ])
  func theNearestIsFound(row: Row) {
    #expect(
      CatalogVersions(row.catalogs).nearest(build: row.build, version: row.version) == row.nearest)
  }

  @Test func catalogsThatDevicesUseAreKnown() {
    let versions = CatalogVersions(["420", "3.0", "412", "400", "100"])
    let builds: [(build: String?, version: String?)] = [
      ("412", "3.2"), ("417", "3.2"), ("7", "3.0"), ("399", nil),
    ]
    // 420 came last; 412 is its own; 3.0 is the version's; 399 is nearest to 100.
    #expect(versions.used(by: builds) == ["420", "3.0", "412", "100"])
    #expect(CatalogVersions([]).used(by: builds) == [])
  }
}
