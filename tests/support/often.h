/* OFTEN(TIMES): how often a test repeats what random numbers decide. "make soak" repeats it in
 * full, "make test" a tenth as often, a sanitized build a fiftieth, as each round takes longer. */
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
