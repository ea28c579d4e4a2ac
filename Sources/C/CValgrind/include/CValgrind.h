// How a test has Valgrind's callgrind count the instructions of a step. Without Valgrind, and where
// its headers were not there when this was built, all of it does nothing.
#ifndef POSTILION_CVALGRIND_H
#define POSTILION_CVALGRIND_H

// Whether the headers were there.
int postilion_knows_valgrind(void);

// Begins to count: what runs before is not even looked at, which makes it ten times as fast.
void postilion_start_counting(void);

// Counts from zero.
void postilion_count_from_zero(void);

// Writes what was counted since into a file, under this name.
void postilion_write_count(const char *name);

#endif
