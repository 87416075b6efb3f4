/* Files of a generator: read whole, written only where they change. */
#ifndef GEN_FILE_H
#define GEN_FILE_H

#include <stdio.h>

/* What the writer writes becomes the file `name` below root, whose folders are made. A file that is
 * as it should be is not touched. 0, or 1 after a message that names the program. */
int gen_file_write(const char *program, const char *root, const char *name, void (*writer)(FILE *));

/* The whole file, NUL-terminated, to be freed; NULL after a message. */
char *gen_file_read(const char *program, const char *path);

#endif
