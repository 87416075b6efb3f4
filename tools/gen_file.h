/* File access of the generators: reads whole files, and writes a file only if its content
 * changes. */
#ifndef GEN_FILE_H
#define GEN_FILE_H

#include <stdio.h>

/* Calls writer and stores its output as the file `name` below root; creates missing folders. A file
 * that is up to date is not touched. Returns 0, or 1 after a message that names the program. */
int gen_file_write(const char *program, const char *root, const char *name, void (*writer)(FILE *));

/* Gives the whole file, NUL-terminated, to be freed by the caller; NULL after a message. */
char *gen_file_read(const char *program, const char *path);

#endif
