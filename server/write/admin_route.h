/*
 * admin_route.h - what an operator may ask of a running daemon.
 */
#ifndef REGIME_ADMIN_ROUTE_H
#define REGIME_ADMIN_ROUTE_H

#include "routes.h"

/* POST /v1/admin/backup (token of scope admin): a verified copy of the store in --backup-dir. */
void admin_backup_handler(struct context *ctx);

#endif
