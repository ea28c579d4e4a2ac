// libcurl's easy and multi interfaces. Their setters take any type by `...`, which Swift cannot
// call: one function for each type that is used. One-line wrappers only.
#ifndef POSTILION_CCURL_H
#define POSTILION_CCURL_H

#include <curl/curl.h>

typedef size_t (*postilion_curl_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode postilion_curl_set_number(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode postilion_curl_set_size(CURL *curl, CURLoption option, int64_t value) {
  return curl_easy_setopt(curl, option, (curl_off_t)value);
}

static inline CURLcode postilion_curl_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode postilion_curl_set_pointer(CURL *curl, CURLoption option, void *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode postilion_curl_set_callback(
    CURL *curl, CURLoption option, postilion_curl_callback value) {
  return curl_easy_setopt(curl, option, value);
}

// The status of the last answer, or 0; and the bytes of the requests that were sent.
static inline CURLcode postilion_curl_get_number(CURL *curl, CURLINFO info, long *value) {
  return curl_easy_getinfo(curl, info, value);
}

static inline CURLcode postilion_curl_set_opener(CURL *curl, curl_opensocket_callback value) {
  return curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLMcode postilion_curl_multi_set_number(
    CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLcode postilion_curl_result(const CURLMsg *message) {
  return message->data.result;
}

// A call that ends while a name is looked up does not wait for the look-up, which may take long
// and is a thread of its own. The option came with 7.87.
static inline CURLcode postilion_curl_leave_lookups(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#else
  return CURLE_UNKNOWN_OPTION;
#endif
}

// No file, no FTP. The option that takes names came with 7.85, which deprecated the other one.
static inline CURLcode postilion_curl_allow_http_alone(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

#endif
