/*
 * catalogue_revision.c - what names the state of the records that a snapshot is of.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogue_data.h"
#include "digest.h"
#include "sql.h"

#define REVISION_DIGITS 16

void catalogue_revision_read(sqlite3 *db, struct catalogue_data *data)
{
    struct catalogue *shown = &data->shown;
    char text[120];
    char hex[DIGEST_HEX_MAX];
    char *digest = sql_text(db, "SELECT value FROM store_info WHERE key = 'records_digest'");
    char *name = sql_text(db, "SELECT value FROM store_info WHERE key = 'records_text'");
    (void)text_print(text, sizeof(text), "%s %lld", digest ? digest : "",
                     sql_number(db, "SELECT max(number) FROM revisions", 0));
    digest_text(text, strlen(text), hex);
    memcpy(shown->revision, hex, REVISION_DIGITS);
    shown->revision[REVISION_DIGITS] = '\0';
    shown->records_text = block_text(&data->block, name ? name : "records");
    free(digest);
    free(name);
}
