/* gen_languages ROOT: compiles ROOT/spec/languages.txt into constant tables. Run by
 * `make generate`.
 *
 *   lib/classify/languages/table.h    the roles
 *   lib/classify/languages/table.c    includes table.inc
 *   lib/classify/languages/table.inc  the words by bucket, and the combinations of roles
 *
 * At a fault the generator stops and prints the line. Words are folded by the library's own code,
 * so that they are compared with texts in the same form. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "classify/languages/words.h"
#include "gen_file.h"

#define PROGRAM "gen_languages"
#define SPEC "spec/languages.txt"
#define GENERATED "/* Generated from " SPEC " by `make generate`. Do not edit. */\n"
#define ROLES_MAX 128u
#define NAME_MAX 32u
#define WORDS_MAX 8000u
#define WORD_BYTES 120u
#define SENSES_MAX 1000u

struct word {
    char bytes[WORD_BYTES];
    size_t len;
    unsigned role;
    unsigned flags;
    unsigned bucket;
    unsigned line;
};

struct sense {
    char concept[NAME_MAX];
    rc_roles all;
    rc_roles none;
};

static char roles[ROLES_MAX][NAME_MAX];
static unsigned role_count;
static struct word words[WORDS_MAX];
static unsigned word_count;
static struct sense senses[SENSES_MAX];
static unsigned sense_count;
static unsigned line_number;

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
    fprintf(stderr, SPEC ":%u: ", line_number);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

/* Returns the text without blanks at its ends; writes a NUL behind its last character. */
static char *trim(char *text)
{
    text += strspn(text, " ");
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == ' ')
        text[--len] = '\0';
    return text;
}

/* ---- words ---- */

static void fold_word(const char *text, struct word *word)
{
    rc_str whole = rc_str_c(text);
    for (size_t at = 0; at < whole.len;) {
        char bytes[RC_FOLD_MAX];
        size_t len = rc_language_fold(whole, &at, bytes);
        if (word->len + len >= WORD_BYTES)
            fail("a word of more than %u bytes: %s", WORD_BYTES - 1, text);
        memcpy(word->bytes + word->len, bytes, len);
        word->len += len;
    }
    if (word->len < 2 || memchr(word->bytes, '\n', word->len))
        fail("not a word: %s", text);
    word->bucket = rc_language_bucket(word->bytes, word->len);
}

static void add_word(char *text, bool is_english)
{
    if (word_count == WORDS_MAX)
        fail("more than %u words", WORDS_MAX);
    struct word *word = &words[word_count];
    *word = (struct word){.role = role_count - 1, .line = line_number};
    word->flags = is_english ? RC_LANGUAGE_ENGLISH : 0;
    if (text[0] == '*') {
        word->flags |= RC_LANGUAGE_INSIDE;
        text++;
    }
    size_t len = strlen(text);
    if (len > 0 && text[len - 1] == '$') {
        word->flags |= RC_LANGUAGE_WHOLE;
        text[len - 1] = '\0';
    }
    fold_word(text, word);
    for (unsigned i = 0; i < word_count; i++) {
        const struct word *other = &words[i];
        if (other->len != word->len || memcmp(other->bytes, word->bytes, word->len) != 0)
            continue;
        if (other->role != word->role)
            fail("%s has the role %s in line %u", text, roles[other->role], other->line);
        words[i].flags =
            (other->flags & word->flags & RC_LANGUAGE_WHOLE) |
            ((other->flags | word->flags) & (RC_LANGUAGE_INSIDE | RC_LANGUAGE_ENGLISH));
        return;
    }
    word_count++;
}

/* Writes the German word without umlauts: "schlüssel" as "schluessel". Returns whether the word has
 * an umlaut. variant: 2 * WORD_BYTES bytes. */
static bool spell_out(const char *word, char *variant)
{
    bool has_umlaut = false;
    size_t len = 0;
    for (; *word && len + 3 < 2 * WORD_BYTES; word++) {
        const char *from = "\xA4\xB6\xBC"; /* second bytes of ä, ö and ü */
        const char *at = word[0] == '\xC3' && word[1] ? strchr(from, word[1]) : NULL;
        if (!at) {
            variant[len++] = *word;
            continue;
        }
        variant[len++] = "aou"[at - from];
        variant[len++] = 'e';
        has_umlaut = true;
        word++;
    }
    variant[len] = '\0';
    return has_umlaut;
}

static void read_words(char *line)
{
    char *colon = strchr(line, ':');
    if (role_count == 0 || !colon)
        fail("words follow a role: LANGUAGE: word, word");
    *colon = '\0';
    bool is_english = strcmp(trim(line), "en") == 0;
    char *rest = NULL;
    for (char *part = strtok_r(colon + 1, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        char variant[2 * WORD_BYTES];
        bool has_variant = strcmp(trim(line), "de") == 0 && spell_out(trim(part), variant);
        add_word(trim(part), is_english);
        if (has_variant)
            add_word(variant, is_english);
    }
}

/* ---- roles and concepts ---- */

static unsigned find_role(const char *name)
{
    for (unsigned i = 0; i < role_count; i++) {
        if (strcmp(roles[i], name) == 0)
            return i;
    }
    fail("no role of this name: %s", name);
}

static void read_role(const char *name)
{
    if (role_count == ROLES_MAX || strlen(name) >= NAME_MAX)
        fail("too many roles, or a long name");
    for (unsigned i = 0; i < role_count; i++) {
        if (strcmp(roles[i], name) == 0)
            fail("the role %s stands here twice", name);
    }
    memcpy(roles[role_count++], name, strlen(name) + 1);
}

/* Reads one combination of roles: "a b -c". */
static void read_sense(const char *concept, char *text)
{
    if (sense_count == SENSES_MAX || strlen(concept) >= NAME_MAX)
        fail("too many combinations, or a long name");
    struct sense *sense = &senses[sense_count++];
    memset(sense, 0, sizeof *sense);
    memcpy(sense->concept, concept, strlen(concept) + 1);
    bool has_role = false;
    char *rest = NULL;
    for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        bool is_not = name[0] == '-';
        unsigned role = find_role(name + is_not);
        rc_roles *to = is_not ? &sense->none : &sense->all;
        to->bits[role / 64] |= UINT64_C(1) << (role % 64);
        has_role = has_role || !is_not;
    }
    if (!has_role)
        fail("a combination without a role");
}

static void read_concept(char *line)
{
    char *colon = strchr(line, ':');
    if (!colon)
        fail("a line begins with role, CONCEPT: or blanks");
    *colon = '\0';
    char *rest = NULL;
    for (char *part = strtok_r(colon + 1, ";", &rest); part; part = strtok_r(NULL, ";", &rest))
        read_sense(line, part);
}

static void read_spec(char *text)
{
    char *rest = NULL;
    /* Empty lines count as lines. */
    for (char *line = text; line; line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        line_number++;
        if (line[0] == '#' || trim(line)[0] == '\0')
            continue;
        if (line[0] == ' ')
            read_words(line);
        else if (strncmp(line, "role ", 5) == 0)
            read_role(trim(line + 5));
        else
            read_concept(line);
    }
}

/* ---- output ---- */

static int compare_words(const void *a, const void *b)
{
    const struct word *x = a;
    const struct word *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    if (x->len != y->len)
        return x->len > y->len ? -1 : 1;
    return memcmp(x->bytes, y->bytes, x->len);
}

static void put_upper(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name, out);
}

static void write_header(FILE *out)
{
    fputs(GENERATED
          "#ifndef RC_CLASSIFY_LANGUAGES_TABLE_H\n#define RC_CLASSIFY_LANGUAGES_TABLE_H\n\n"
          "typedef enum rc_word_role {\n",
          out);
    for (unsigned i = 0; i < role_count; i++) {
        fputs("    RC_WORD_ROLE_", out);
        put_upper(out, roles[i]);
        fputs(",\n", out);
    }
    fputs("} rc_word_role;\n\n#endif\n", out);
}

static void write_words(FILE *out)
{
    fputs("const rc_language_word rc_language_words[] = {\n", out);
    for (unsigned i = 0; i < word_count; i++) {
        fprintf(out, "    {\"%.*s\", %zu, RC_WORD_ROLE_", (int)words[i].len, words[i].bytes,
                words[i].len);
        put_upper(out, roles[words[i].role]);
        fprintf(out, ", %u},\n", words[i].flags);
    }
    fputs("};\n\nconst uint16_t rc_language_buckets[RC_LANGUAGE_BUCKETS + 1] = {", out);
    unsigned at = 0;
    for (unsigned bucket = 0; bucket <= RC_LANGUAGE_BUCKETS; bucket++) {
        while (at < word_count && words[at].bucket < bucket)
            at++;
        fprintf(out, "%s%u,", bucket % 16 == 0 ? "\n    " : " ", at);
    }
    fputs("\n};\n", out);
}

static void put_roles(FILE *out, const rc_roles *set)
{
    fprintf(out, "{{UINT64_C(0x%llX), UINT64_C(0x%llX)}}", (unsigned long long)set->bits[0],
            (unsigned long long)set->bits[1]);
}

static void write_data(FILE *out)
{
    fputs(GENERATED, out);
    write_words(out);
    fputs("\nconst rc_language_sense rc_language_senses[] = {\n", out);
    for (unsigned i = 0; i < sense_count; i++) {
        fputs("    {RC_CONCEPT_", out);
        put_upper(out, senses[i].concept);
        fputs(", ", out);
        put_roles(out, &senses[i].all);
        fputs(", ", out);
        put_roles(out, &senses[i].none);
        fputs("},\n", out);
    }
    fprintf(out, "};\n\nconst size_t rc_language_sense_count = %u;\n", sense_count);
}

static void write_table(FILE *out)
{
    fputs(GENERATED "#include \"classify/languages/table.h\"\n\n"
                    "#include \"classify/languages/words.h\"\n"
                    "#include \"classify/phrases/table.h\"\n\n"
                    "#include \"classify/languages/table.inc\"\n",
          out);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: gen_languages ROOT\n", stderr);
        return 2;
    }
    char path[4096];
    if (snprintf(path, sizeof path, "%s/" SPEC, argv[1]) >= (int)sizeof path)
        return 2;
    char *text = gen_file_read(PROGRAM, path);
    if (!text)
        return 1;
    read_spec(text);
    free(text);
    qsort(words, word_count, sizeof *words, compare_words);
    int result = gen_file_write(PROGRAM, argv[1], "lib/classify/languages/table.h", write_header);
    result |= gen_file_write(PROGRAM, argv[1], "lib/classify/languages/table.c", write_table);
    return result |
           gen_file_write(PROGRAM, argv[1], "lib/classify/languages/table.inc", write_data);
}
