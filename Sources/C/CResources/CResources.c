#include "CResources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi_bytes[] = {
#embed "../../../openapi.yaml"
};
static const unsigned char reference_bytes[] = {
#embed "../../Server/Console/Reference/reference.html"
};
static const unsigned char migrations_bytes[] = {
#embed "../../../sql/migrations.sql"
};
static const unsigned char columns_bytes[] = {
#embed "../../../sql/columns.txt"
};

const struct resource resource_openapi_yaml = {openapi_bytes, sizeof openapi_bytes};
const struct resource resource_reference_html = {reference_bytes, sizeof reference_bytes};
const struct resource resource_migrations_sql = {migrations_bytes, sizeof migrations_bytes};
const struct resource resource_columns_txt = {columns_bytes, sizeof columns_bytes};
