/* OFTEN(TIMES): the number of rounds of a test with random numbers. "make soak" runs TIMES rounds,
 * "make test" a tenth of them, a sanitized build a fiftieth, because its rounds take longer. */
#ifndef TESTS_SUPPORT_OFTEN_H
#define TESTS_SUPPORT_OFTEN_H

#ifdef RC_TEST_SOAK
#define OFTEN(times) (times)
#elif defined RC_TEST_SANITIZED
#define OFTEN(times) ((times) / 50)
#else
#define OFTEN(times) ((times) / 10)
#endif

#endif
