#include "CValgrind.h"

#include <stdlib.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

int postilion_knows_valgrind(void) { return 1; }
void postilion_start_counting(void) { CALLGRIND_START_INSTRUMENTATION; }
void postilion_count_from_zero(void) { CALLGRIND_ZERO_STATS; }
void postilion_write_count(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }

#else

int postilion_knows_valgrind(void) { return 0; }
void postilion_start_counting(void) {}
void postilion_count_from_zero(void) {}
void postilion_write_count(const char *name) { (void)name; }

#endif

// The tests have it (Tests/CostTests); no other program does.
extern void postilion_count_readers(void) __attribute__((weak));

// In place of the tests, and before their library begins: it waits in a way that Valgrind does not
// survive.
__attribute__((constructor)) static void count_readers(void) {
  if (!postilion_count_readers || !getenv("POSTILION_COUNT_READERS")) return;
  postilion_count_readers();
  exit(0);
}
