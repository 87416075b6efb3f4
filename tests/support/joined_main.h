/* Included before a test that is part of a joined program (joined.c): renames the main() of the
 * test. */
#ifndef TESTS_SUPPORT_JOINED_MAIN_H
#define TESTS_SUPPORT_JOINED_MAIN_H

int RC_JOINED_MAIN(void);
#define main RC_JOINED_MAIN

#endif
