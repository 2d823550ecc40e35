/* SPDX-License-Identifier: MIT */
/* Which rooms have areas in the segment. */
#ifndef UAT_LAYOUT_H
#define UAT_LAYOUT_H

/* Lay the segment out: have each room reserve its areas. Nothing is mapped. */
void uat_layout(void);

/* The area of the transport, which reserves none itself: UAT_TRANSPORT_SCRATCH bytes. After uat_segment_open(). */
void *uat_layout_scratch(void);

#endif
