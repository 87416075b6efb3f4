/* Included before a test that is joined with others: renames its main(). */
#ifndef TESTS_SUPPORT_JOINED_MAIN_H
#define TESTS_SUPPORT_JOINED_MAIN_H

int RC_JOINED_MAIN(void);
#define main RC_JOINED_MAIN

#endif
