/* How often a test does what only chance makes worth repeating. Below a sanitizer each time costs
 * more, and what it looks for shows in few: a wrong read is wrong with every seed. */
#ifndef TESTS_SUPPORT_OFTEN_H
#define TESTS_SUPPORT_OFTEN_H

#ifdef RC_TEST_SANITIZED
#define OFTEN(times, sanitized) (sanitized)
#else
#define OFTEN(times, sanitized) (times)
#endif

#endif
