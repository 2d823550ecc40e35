/* SPDX-License-Identifier: MIT */
/* Which rooms have areas in the segment. */
#ifndef UAT_LAYOUT_H
#define UAT_LAYOUT_H

/* Lay the segment out: have each room reserve its areas. Nothing is mapped. */
void uat_layout(void);

/* The area for the transport, of UAT_TRANSPORT_SCRATCH bytes. The transport reserves no area itself. Call this after
 * uat_segment_open(). */
void *uat_layout_scratch(void);

#endif
