/* The store of a test file, open for writing, and the functions that set it up before each test and
 * close it afterwards. */
#ifndef RC_SUPPORT_STORE_SET_UP_H
#define RC_SUPPORT_STORE_SET_UP_H

#include "support/store_fixture.h"

static store_fixture fixture;

static int start(void **state)
{
    (void)state;
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    return 0;
}

static int end(void **state)
{
    (void)state;
    fixture_done(&fixture);
    return 0;
}

#endif
