// Files of the repository as they are, within the program. Swift would compile them as a literal of
// half a million numbers, which takes a minute after each change of a word.
#ifndef POSTILION_CRESOURCES_H
#define POSTILION_CRESOURCES_H

#include <stddef.h>

struct resource {
  const unsigned char *bytes;
  size_t count;
};

extern const struct resource resource_openapi_yaml;
extern const struct resource resource_reference_html;
extern const struct resource resource_migrations_sql;
extern const struct resource resource_columns_txt;

#endif
