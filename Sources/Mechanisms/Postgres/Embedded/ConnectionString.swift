/// A libpq connection string of `keyword='value'` pairs (manual section 34.1.1.1): quotes and
/// backslashes in values are escaped, so that any path may stand there.
func connectionString(_ parameters: KeyValuePairs<String, String>) -> String {
  parameters.map { keyword, value in
    let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    return "\(keyword)='\(escaped)'"
  }
  .joined(separator: " ")
}
