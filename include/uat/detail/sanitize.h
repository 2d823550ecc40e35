/* SPDX-License-Identifier: MIT */
/* For a program with AddressSanitizer: LeakSanitizer leaves out what libpmix allocates and keeps until the end.
 * Otherwise a correct program would end with status 1. Included by uat.h. */
#ifndef UAT_DETAIL_SANITIZE_H
#define UAT_DETAIL_SANITIZE_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UAT_LEAKS_ARE_SOUGHT
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define UAT_LEAKS_ARE_SOUGHT
#endif

#ifdef UAT_LEAKS_ARE_SOUGHT
#ifdef __cplusplus
extern "C" {
#endif
/* LeakSanitizer calls this (sanitizer/lsan_interface.h). A program's own function takes precedence, because this one is
 * weak. */
__attribute__((weak, visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((weak, visibility("default"))) const char *__lsan_default_suppressions(void)
{
    return "leak:libpmix\n";
}
#ifdef __cplusplus
}
#endif
#undef UAT_LEAKS_ARE_SOUGHT
#endif

#endif
