/* SPDX-License-Identifier: MIT */
/* Whom an idle worker looks at: random victims, several at once, or those of its own host first. */
#ifndef UAT_VICTIMS_H
#define UAT_VICTIMS_H

#include "base/options.h"
#include "deque/thief.h"
#include "transport/transport.h"

/* Learn from what the peers published who is on this host, whose name is `host`. 0 or -ENOMEM, reported. */
int uat_victims_open(const struct uat_options *options, const struct uat_endpoint *peers, const char *host);
void uat_victims_close(void);

/* Choose up to UAT_PEEKS different victims. There must be another worker. */
void uat_victims_choose(struct uat_victims *victims);

#endif
