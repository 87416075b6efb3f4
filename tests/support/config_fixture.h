/* Reads a configuration from a text, with an allocator that can fail. */
#ifndef RC_SUPPORT_CONFIG_FIXTURE_H
#define RC_SUPPORT_CONFIG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/load.h"
#include "support/fail_alloc.h"

static fail_alloc memory;
static rc_config config;
static rc_config_faults faults;

static inline rc_status parse(const char *text)
{
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config_faults_init(&faults);
    return rc_config_parse(&config, rc_str_c(text), &alloc, &faults);
}

static inline void done(void)
{
    rc_config_done(&config);
    assert_int_equal(memory.live, 0);
}

#endif
