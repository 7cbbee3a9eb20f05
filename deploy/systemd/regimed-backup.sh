#!/bin/sh
# regimed-backup - copies the store into a new verified file and keeps the newest of them.
#
# REGIME_DB is the store, REGIME_BACKUPS the folder, REGIME_BACKUPS_KEPT how many stay (14). The names are
# those of POST /v1/admin/backup, so that both kinds count.
set -eu
folder=${REGIME_BACKUPS:?names the folder of the backups}
kept=${REGIME_BACKUPS_KEPT:-14}

# Nothing is thrown away unless the new copy is there and sound.
regimed backup "$folder/regime-$(date -u +%Y%m%dT%H%M%S.%3NZ).db" --db "${REGIME_DB:?names the store}"
find "$folder" -maxdepth 1 -type f -name 'regime-????????T??????.???Z.db' | sort -r |
    tail -n "+$((kept + 1))" | while IFS= read -r old; do
    rm -- "$old"
done
