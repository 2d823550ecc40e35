/* SPDX-License-Identifier: MIT */
/* The victims that an idle worker looks at: random ones, several at once. */
#ifndef UAT_VICTIMS_H
#define UAT_VICTIMS_H

#include "deque/thief.h"
#include "transport/transport.h"

/* Find out from the peers' published addresses whether all peers are on this host. host: this host's name. */
void uat_victims_open(const struct uat_endpoint *peers, const char *host);

/* Choose the random victims anew, from the first one on. */
void uat_victims_reset(void);

/* Choose up to UAT_PEEKS different victims. There must be another worker. */
void uat_victims_choose(struct uat_victims *victims);

#endif
