/* SPDX-License-Identifier: MIT */
/*
 * What a room in a library of its own (libuat-adaptive) uses of libuat.so, besides the public interface: the names of
 * this list. libuat.so hides them, so that its own code reaches them without a table. After the definition of NAME,
 * UAT_KERNEL(NAME) exports it once more, as uat_kernel_NAME. In sources that are compiled with UAT_APART, NAME means
 * uat_kernel_NAME. Types and order of fields may change with each version of uat, so the exported names bear the full
 * version (include/meson.build), and the loader refuses a library of another version. libuat.a needs none of this.
 */
#ifndef UAT_KERNEL_H
#define UAT_KERNEL_H

#ifdef UAT_APART
#define UAT_KERNEL_OBJECT
#define UAT_PRAGMA(text)  _Pragma(#text)
#define UAT_RENAMED(name) UAT_PRAGMA(redefine_extname name uat_kernel_##name)
UAT_RENAMED(uat_delay_coin)
UAT_RENAMED(uat_delay_now)
UAT_RENAMED(uat_delay_on)
UAT_RENAMED(uat_fatal)
UAT_RENAMED(uat_fatal_reported)
UAT_RENAMED(uat_global_after_resume)
UAT_RENAMED(uat_global_after_steal)
UAT_RENAMED(uat_global_before_wait)
UAT_RENAMED(uat_opens)
UAT_RENAMED(uat_park_check)
UAT_RENAMED(uat_park_is_header)
UAT_RENAMED(uat_relax_gate)
UAT_RENAMED(uat_relax_oversubscribed)
UAT_RENAMED(uat_rooms_add)
UAT_RENAMED(uat_segment)
UAT_RENAMED(uat_segment_reserve)
UAT_RENAMED(uat_self)
UAT_RENAMED(uat_stall_answer)
UAT_RENAMED(uat_stall_notice)
UAT_RENAMED(uat_stall_over)
UAT_RENAMED(uat_stall_part)
UAT_RENAMED(uat_transfers_open)
UAT_RENAMED(uat_transport_do)
UAT_RENAMED(uat_transport_post)
UAT_RENAMED(uat_transport_wait)
UAT_RENAMED(uat_victims_choose)
UAT_RENAMED(uat_views_bytes)
UAT_RENAMED(uat_virtual)
UAT_RENAMED(uat_word_refuse)
UAT_RENAMED(uat_worker)
#else
#define UAT_KERNEL_OBJECT __attribute__((visibility("hidden")))
#endif

#define UAT_KERNEL(name) extern __typeof__(name) uat_kernel_##name __attribute__((alias(#name), visibility("default")))

#endif
