import PostilionClient
import Testing

@Suite struct FetchResultTests {
  @Test(
    arguments: [
      ([], .noData), ([.noData], .noData), ([.failed], .failed), ([.newData], .newData),
      ([.noData, .failed], .failed), ([.failed, .noData], .failed),
      ([.failed, .newData], .newData),
      ([.newData, .failed, .noData], .newData), ([.noData, .noData], .noData),
    ] as [([FetchResult], FetchResult)])
  func resultsAreCombined(results: [FetchResult], combined: FetchResult) {
    #expect(FetchResult.combined(results) == combined)
  }
}
