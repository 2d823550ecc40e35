/* SPDX-License-Identifier: MIT */
/* The check that code refuses a word that a peer has corrupted (base/word.h). */
#ifndef UAT_TEST_REFUSAL_H
#define UAT_TEST_REFUSAL_H

#include "base/word.h"
#include "tests/test.h"

static jmp_buf refusal;

static void leave_at_refusal(void)
{
    longjmp(refusal, 1);
}

/* Check that the function meets a corrupt word and ends the job. */
static void assert_refusal(void (*function)(void))
{
    uat_word_set_end(leave_at_refusal);
    if (!setjmp(refusal)) {
        function();
        fail_msg("a corrupt word was accepted");
    }
    uat_word_set_end(NULL);
}

#endif
