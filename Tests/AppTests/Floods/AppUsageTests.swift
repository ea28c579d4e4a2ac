import Telemetry
import Testing

@testable import App

@Suite struct AppUsageTests {
  private func usage(_ change: (inout FloodLimits) -> Void) -> AppUsage {
    var limits = FloodLimits()
    change(&limits)
    return AppUsage(limits, MetricsRegistry())
  }

  @Test func anAppHasWhatItMayHaveAndNoMore() throws {
    let usage = usage { $0.installations = 2 }
    try usage.addOne(.installations, to: 1, on: 10)
    try usage.addOne(.installations, to: 1, on: 11)
    #expect(throws: FloodFailure.quota(.installations, limit: 2)) {
      try usage.addOne(.installations, to: 1, on: 11)
    }
    try usage.addOne(.installations, to: 2, on: 11)
    #expect(usage.counts(of: 1, on: 11).installations == 2)
  }

  @Test func failuresCountForADay() throws {
    let usage = usage { $0.failuresPerDay = 1 }
    try usage.addOne(.failures, to: 1, on: 10)
    #expect(throws: FloodFailure.quota(.failures, limit: 1)) {
      try usage.addOne(.failures, to: 1, on: 10)
    }
    try usage.addOne(.failures, to: 1, on: 11)
    #expect(usage.counts(of: 1, on: 12).failures == 0)
  }

  @Test func aCensusIsBelieved() throws {
    let usage = usage { $0.installations = 2 }
    usage.counted([1: .init(installations: 2, failures: 0, day: 10)])
    #expect(throws: FloodFailure.self) { try usage.addOne(.installations, to: 1, on: 10) }
    usage.counted([1: .init(installations: 1, failures: 0, day: 10)])
    try usage.addOne(.installations, to: 1, on: 10)
  }

  @Test func catalogsHaveTheirBytes() throws {
    let usage = usage { $0.catalogBytes = 100 }
    try usage.checkCatalogs(bytes: 100)
    #expect(throws: FloodFailure.quota(.catalogBytes, limit: 100)) {
      try usage.checkCatalogs(bytes: 101)
    }
  }
}
