/* SPDX-License-Identifier: MIT */
#ifndef UAT_PERF_MACHINE_H
#define UAT_PERF_MACHINE_H

/* Add an object `key` to a JSON report (perf/report.h): name, processor and NUMA node of this worker's host, and its
 * verbs devices with type, firmware, PCIe link and NUMA node, from /sys and /proc. What cannot be read is left out. */
void uat_machine_report(const char *key);

#endif
