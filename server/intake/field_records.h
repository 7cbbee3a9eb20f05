/*
 * field_records.h - fields that name a record: model, part, engine, formats.
 *
 * Purpose: a name or an inline object becomes a pointer to a record of the catalogue or the arena.
 * Errors:  as in field.h; an unknown name gives the nearest known one, an ambiguous one lists what
 * it could mean.
 */
#ifndef REGIME_FIELD_RECORDS_H
#define REGIME_FIELD_RECORDS_H

#include "field.h"

/* Setters of the kinds FIELD_MODEL .. FIELD_KV_CACHE; `place` is the pointer to fill. */
bool field_set_model(struct field_reader *reader, const struct field *field,
                     const struct field_value *value, void *place);
bool field_set_hardware(struct field_reader *reader, const struct field *field,
                        const struct field_value *value, void *place);
bool field_set_engine(struct field_reader *reader, const struct field *field,
                      const struct field_value *value, void *place);
bool field_set_weights(struct field_reader *reader, const struct field *field,
                       const struct field_value *value, void *place);
bool field_set_kv_cache(struct field_reader *reader, const struct field *field,
                        const struct field_value *value, void *place);

/* Of FIELD_TREE; `place` is the pointer to the node. */
bool field_set_tree(struct field_reader *reader, const struct field *field,
                    const struct field_value *value, void *place);

#endif
