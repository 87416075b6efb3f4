/* gen_phrases ROOT: compiles ROOT/spec/phrases.txt into constant tables. Run by `make generate`.
 *
 *   lib/classify/phrases/table.h      numbers of the concepts and markers, and sizes
 *   lib/classify/phrases/table.c      names and texts of the concepts
 *   lib/classify/phrases/table.inc    the phrases as steps, and the lexicon of their words
 *
 * A build-time program that uses the library's own word reader. A file whose content does not
 * change is not written. An error in the text is printed with its line and column, and then no file
 * is written. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "classify/phrases/lexicon.h"
#include "classify/phrases/words.h"

#include "gen_file.h"
#include "gen_phrases.h"

#define GENERATED "/* Generated from spec/phrases.txt by `make generate`. Do not edit. */\n"
#define NODES_MAX 16384u
#define MOVES_MAX 65535u
#define ALIASES_MAX 512u

/* Irregular forms, and forms for which the stemmer gives a wrong stem: the first word is replaced
 * by the second. */
static const char *const ALIASES[][2] = {
    {"using", "use"},      {"cancelled", "cancel"}, {"embed", "embedding"},
    {"modelled", "model"}, {"labelled", "label"},   {"chose", "choose"},
};

/* Value of next_gap if the phrase ends with the step. */
#define NO_NEXT 255u

/* One step in the tree of phrases; phrases with the same first words share the nodes of these
 * words. */
struct node {
    unsigned before; /* Node of the preceding step; 0: this is the first step of a phrase. */
    unsigned depth;
    unsigned next_gap;    /* Maximum number of words between this step and the next. */
    unsigned step_number; /* Index in rc_phrase_scan.reach; 0: no step follows. */
    unsigned concept;     /* Concept that the step completes, or RC_CONCEPT_NONE. */
    bool is_marker;
    bool is_at_begin;
    struct step step;
};

struct tree {
    struct node nodes[NODES_MAX]; /* Node 0 is the root and not a step. */
    unsigned node_count;
    struct {
        unsigned node;
        unsigned concept;
    } ends[256];
    unsigned end_count;
    unsigned step_count;
};

static struct spec spec;
static struct tree tree;
static rc_phrase_move moves[MOVES_MAX];
static unsigned move_count;
static uint16_t move_sources[MOVES_MAX];
static rc_lexeme lexemes[ATOMS_MAX];
static rc_lexeme marker_lexemes[UINT8_MAX + 1];
static unsigned marker_lexeme_count;

static void give_up(const char *what)
{
    fprintf(stderr, "gen_phrases: %s\n", what);
    exit(1);
}

/* ---- from phrases to steps ---- */

static bool is_same_set(const struct step *a, const struct step *b)
{
    return a->count == b->count && memcmp(a->atoms, b->atoms, a->count * sizeof *a->atoms) == 0;
}

static unsigned add_node(const struct node *node)
{
    if (tree.node_count == NODES_MAX)
        give_up("too many steps");
    tree.nodes[tree.node_count] = *node;
    return tree.node_count++;
}

/* Finds an equal step after the same predecessor, or adds one. */
static unsigned find_step(const struct node *like)
{
    for (unsigned i = 1; i < tree.node_count; i++) {
        const struct node *n = &tree.nodes[i];
        if (n->before == like->before && n->next_gap == like->next_gap &&
            n->is_marker == like->is_marker && n->is_at_begin == like->is_at_begin &&
            is_same_set(&n->step, &like->step))
            return i;
    }
    return add_node(like);
}

/* Adds the last step of a phrase. Last steps with the same predecessor and concept become one step
 * with several words. Returns false if the phrase existed already. */
static bool add_last(const struct node *last)
{
    unsigned i = 1;
    while (i < tree.node_count &&
           (tree.nodes[i].next_gap != NO_NEXT || tree.nodes[i].before != last->before ||
            tree.nodes[i].concept != last->concept ||
            tree.nodes[i].is_at_begin != last->is_at_begin ||
            step_has_negator(&spec, &tree.nodes[i].step) != step_has_negator(&spec, &last->step)))
        i++;
    if (i == tree.node_count) {
        add_node(last);
        return true;
    }
    bool is_new = false;
    for (unsigned j = 0; j < last->step.count; j++)
        is_new |= step_add(&tree.nodes[i].step, last->step.atoms[j]);
    return is_new;
}

static bool add_end(unsigned node, unsigned concept)
{
    for (unsigned i = 0; i < tree.end_count; i++) {
        if (tree.ends[i].node == node && tree.ends[i].concept == concept)
            return false;
    }
    if (tree.end_count == sizeof tree.ends / sizeof *tree.ends)
        give_up("too many phrases with $");
    tree.ends[tree.end_count].node = node;
    tree.ends[tree.end_count].concept = concept;
    tree.end_count++;
    return true;
}

/* Number of a concept: concepts are numbered in the order of the file, markers likewise from
 * RC_MARKER_BASE. */
static unsigned concept_number(const struct spec *s, unsigned index)
{
    bool is_marker = !s->concepts[index].kind[0];
    unsigned number = 0;
    for (unsigned i = 0; i < index; i++)
        number += !s->concepts[i].kind[0] == is_marker;
    return is_marker ? RC_MARKER_BASE + number : number;
}

static bool on_phrase(void *ctx, const struct spec *s, unsigned concept,
                      const struct phrase *phrase)
{
    (void)ctx;
    unsigned number = concept_number(s, concept);
    bool is_marker = number >= RC_MARKER_BASE;
    unsigned node = 0;
    for (unsigned i = 0; i < phrase->count; i++) {
        bool is_last = i + 1 == phrase->count;
        struct node next = {.before = node,
                            .depth = i + 1,
                            .concept = RC_CONCEPT_NONE,
                            .is_marker = is_marker,
                            .is_at_begin = i == 0 && phrase->is_at_begin,
                            .step = phrase->steps[i]};
        if (!is_last)
            next.next_gap = phrase->steps[i + 1].gap;
        if (is_last && !phrase->is_at_end) {
            next.next_gap = NO_NEXT;
            next.concept = number;
            return add_last(&next);
        }
        node = find_step(&next);
    }
    return add_end(node, number);
}

/* ---- from steps to moves ---- */

static bool has_atom(const struct step *step, unsigned atom)
{
    for (unsigned i = 0; i < step->count; i++) {
        if (step->atoms[i] == atom)
            return true;
    }
    return false;
}

/* True if the word fits the step. A specific number also fits a step for any number. */
static bool can_take(const struct step *step, unsigned atom)
{
    return has_atom(step, atom) || (spec.atoms[atom].is_number && has_atom(step, ATOM_NUMBER));
}

static unsigned flags_of(const struct node *n)
{
    if (n->depth > 1)
        return 0;
    unsigned flags = n->is_at_begin ? RC_MOVE_TEXT_BEGIN : 0;
    return step_has_negator(&spec, &n->step) ? flags | RC_MOVE_NEGATOR : flags;
}

static void add_move(const struct node *n)
{
    if (move_count == MOVES_MAX)
        give_up("too many moves");
    unsigned reach = n->next_gap == NO_NEXT ? 0 : n->next_gap + 1;
    move_sources[move_count] = (uint16_t)tree.nodes[n->before].step_number;
    moves[move_count++] = (rc_phrase_move){.step = (uint16_t)n->step_number,
                                           .reach = (uint8_t)(reach | flags_of(n)),
                                           .concept = (uint8_t)n->concept};
}

enum part {
    PART_LATER,
    PART_PLAIN,
    PART_SPECIAL
};

static enum part part_of(const struct node *n)
{
    if (n->depth > 1)
        return PART_LATER;
    return n->concept != RC_CONCEPT_NONE || flags_of(n) ? PART_SPECIAL : PART_PLAIN;
}

static uint8_t add_moves(unsigned atom, bool is_marker, enum part part)
{
    unsigned before = move_count;
    for (unsigned depth = PHRASE_MAX; depth > 0; depth--) {
        for (unsigned i = 1; i < tree.node_count; i++) {
            const struct node *n = &tree.nodes[i];
            if (n->depth == depth && n->is_marker == is_marker && part_of(n) == part &&
                can_take(&n->step, atom))
                add_move(n);
        }
    }
    if (move_count - before >= UINT8_MAX)
        give_up("a word is in too many phrases");
    return (uint8_t)(move_count - before);
}

static rc_lexeme make_lexeme(unsigned atom, bool is_marker)
{
    rc_lexeme l = {.first_move = (uint16_t)move_count};
    l.later_count = add_moves(atom, is_marker, PART_LATER) + 1;
    add_move(&tree.nodes[0]);
    l.plain_count = add_moves(atom, is_marker, PART_PLAIN);
    l.special_count = add_moves(atom, is_marker, PART_SPECIAL);
    return l;
}

static void make_lexemes(void)
{
    tree.step_count = 1;
    for (unsigned i = 1; i < tree.node_count; i++) {
        if (tree.nodes[i].next_gap != NO_NEXT)
            tree.nodes[i].step_number = tree.step_count++;
    }
    if (tree.step_count > UINT16_MAX)
        give_up("too many steps");
    marker_lexeme_count = 1;
    add_move(&tree.nodes[0]); /* The moves of an unknown word: only the sentinel. */
    for (unsigned i = ATOM_NUMBER; i < spec.atom_count; i++) {
        lexemes[i] = make_lexeme(i, false);
        if (lexemes[i].later_count + lexemes[i].plain_count + lexemes[i].special_count == 1) {
            move_count--;
            lexemes[i] = (rc_lexeme){0};
        }
        lexemes[i].hash = spec.atoms[i].hash;
        lexemes[i].negates = spec.atoms[i].negates;
        lexemes[i].is_stop = spec.atoms[i].is_stop;
        rc_lexeme marker = make_lexeme(i, true);
        if (marker.later_count + marker.plain_count + marker.special_count == 1) {
            move_count--;
            continue;
        }
        if (marker_lexeme_count > UINT8_MAX)
            give_up("too many words in markers");
        lexemes[i].marker = (uint8_t)marker_lexeme_count;
        marker_lexemes[marker_lexeme_count++] = marker;
    }
}

/* ---- lexicon ---- */

struct lexicon {
    unsigned slots;
    unsigned word_count;
    uint64_t words[ATOMS_MAX + ALIASES_MAX];
    uint16_t lexemes[ATOMS_MAX + ALIASES_MAX];
    uint16_t seeds[RC_LEXICON_BUCKETS];
    uint16_t taken[2 * (ATOMS_MAX + ALIASES_MAX)]; /* Index of the slot's word + 1; 0: free. */
};

static struct lexicon lexicon;

static void add_word(uint64_t hash, unsigned lexeme)
{
    for (unsigned i = 0; i < lexicon.word_count; i++) {
        if (lexicon.words[i] == hash)
            give_up("two words have one hash");
    }
    lexicon.words[lexicon.word_count] = hash;
    lexicon.lexemes[lexicon.word_count++] = (uint16_t)lexeme;
}

static unsigned find_word(uint64_t hash)
{
    for (unsigned i = 0; i < lexicon.word_count; i++) {
        if (lexicon.words[i] == hash)
            return i;
    }
    return UINT32_MAX;
}

static void add_aliases(void)
{
    for (size_t i = 0; i < sizeof ALIASES / sizeof *ALIASES; i++) {
        uint64_t alias = rc_word_hash(rc_str_c(ALIASES[i][0]));
        unsigned word = find_word(rc_word_hash(rc_str_c(ALIASES[i][1])));
        if (word != UINT32_MAX && find_word(alias) == UINT32_MAX)
            add_word(alias, lexicon.lexemes[word]);
    }
}

static unsigned slot_of(uint64_t hash, unsigned seed)
{
    return rc_lexicon_slot(hash, seed, lexicon.slots);
}

/* Places the words of a bucket into free slots. Returns false if one is occupied for this seed; the
 * slots are then free again. */
static bool place_bucket(unsigned bucket, unsigned seed)
{
    for (unsigned i = 0; i < lexicon.word_count; i++) {
        if (rc_lexicon_bucket(lexicon.words[i]) != bucket)
            continue;
        uint16_t *slot = &lexicon.taken[slot_of(lexicon.words[i], seed)];
        if (*slot != 0) {
            for (unsigned j = 0; j < i; j++) {
                if (rc_lexicon_bucket(lexicon.words[j]) == bucket)
                    lexicon.taken[slot_of(lexicon.words[j], seed)] = 0;
            }
            return false;
        }
        *slot = (uint16_t)(i + 1);
    }
    lexicon.seeds[bucket] = (uint16_t)seed;
    return true;
}

/* Places the fullest buckets first, because they are the hardest to place. */
static bool place_words(void)
{
    memset(lexicon.taken, 0, sizeof lexicon.taken);
    memset(lexicon.seeds, 0, sizeof lexicon.seeds);
    unsigned sizes[RC_LEXICON_BUCKETS] = {0};
    for (unsigned i = 0; i < lexicon.word_count; i++)
        sizes[rc_lexicon_bucket(lexicon.words[i])]++;
    for (unsigned size = lexicon.word_count; size > 0; size--) {
        for (unsigned b = 0; b < RC_LEXICON_BUCKETS; b++) {
            unsigned seed = 0;
            while (sizes[b] == size && !place_bucket(b, seed)) {
                if (++seed > UINT16_MAX)
                    return false;
            }
        }
    }
    return true;
}

static void make_lexicon(void)
{
    for (unsigned i = ATOM_ZERO; i < spec.atom_count; i++)
        add_word(spec.atoms[i].hash, i);
    add_aliases();
    lexicon.slots = 64;
    while (lexicon.slots < lexicon.word_count + lexicon.word_count / 8)
        lexicon.slots *= 2;
    while (!place_words()) {
        lexicon.slots *= 2;
        if (lexicon.slots > sizeof lexicon.taken / sizeof *lexicon.taken)
            give_up("no perfect hash was found");
    }
}

/* ---- output files ---- */

static void put_upper(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(toupper((unsigned char)*name), out);
}

static void write_enum(FILE *out, bool is_marker)
{
    fputs(is_marker ? "\nenum {\n" : "\ntypedef enum rc_concept {\n", out);
    unsigned count = 0;
    for (unsigned i = 0; i < spec.concept_count; i++) {
        if (!spec.concepts[i].kind[0] != is_marker)
            continue;
        fputs(is_marker ? "    RC_MARKER_" : "    RC_CONCEPT_", out);
        put_upper(out, spec.concepts[i].name);
        if (count++ == 0)
            fprintf(out, " = %u", is_marker ? RC_MARKER_BASE : 0);
        fputs(",\n", out);
    }
    if (is_marker)
        fprintf(out, "    RC_MARKER_END = %u\n};\n", RC_MARKER_BASE + count);
    else
        fprintf(out, "    RC_CONCEPT_COUNT = %u\n} rc_concept;\n", count);
}

static void write_header(FILE *out)
{
    fputs(GENERATED "#ifndef RC_CLASSIFY_PHRASES_TABLE_H\n"
                    "#define RC_CLASSIFY_PHRASES_TABLE_H\n",
          out);
    fputs("\n/* clang-format off */\n", out);
    write_enum(out, false);
    write_enum(out, true);
    fprintf(out, "\n#define RC_PHRASE_STEPS %u\n#define RC_PHRASE_ENDS %u\n", tree.step_count,
            tree.end_count ? tree.end_count : 1);
    fprintf(out, "#define RC_LEXICON_SLOTS %uu\n", lexicon.slots);
    fputs("\n/* clang-format on */\n\n#endif\n", out);
}

static void write_rows(FILE *out, bool is_marker)
{
    fprintf(out, "\nconst rc_concept_row %s = {\n",
            is_marker ? "rc_marker_rows[RC_MARKER_END - RC_MARKER_BASE]"
                      : "rc_concept_rows[RC_CONCEPT_COUNT]");
    for (unsigned i = 0; i < spec.concept_count; i++) {
        const struct concept *c = &spec.concepts[i];
        if (!c->kind[0] != is_marker)
            continue;
        fprintf(out, "    {RC_STR_INIT(\"%s\"),\n     RC_STR_INIT(\"%s\"),\n     RC_CONCEPT_",
                c->name, c->text);
        put_upper(out, is_marker ? "marker" : c->kind);
        fputs("},\n", out);
    }
    fputs("};\n", out);
}

/* Writes one value of a table; breaks the line when it is full. */
static void put_value(FILE *out, unsigned *column, const char *value)
{
    unsigned len = (unsigned)strlen(value) + 1;
    if (*column == 0 || *column + len > 100) {
        fputs(*column ? "\n    " : "    ", out);
        *column = 4;
    }
    fprintf(out, "%s,", value);
    *column += len;
}

static void write_moves(FILE *out)
{
    char value[64];
    unsigned column = 0;
    fputs("\nconst rc_phrase_move rc_phrase_moves[] = {\n", out);
    for (unsigned i = 0; i < move_count; i++) {
        snprintf(value, sizeof value, "{%u,%u,%u}", moves[i].step, moves[i].reach,
                 moves[i].concept);
        put_value(out, &column, value);
    }
    fputs("\n};\n\nconst uint16_t rc_phrase_move_sources[] = {\n", out);
    column = 0;
    for (unsigned i = 0; i < move_count; i++) {
        snprintf(value, sizeof value, "%u", move_sources[i]);
        put_value(out, &column, value);
    }
    fputs("\n};\n\nconst rc_phrase_end rc_phrase_ends[RC_PHRASE_ENDS] = {\n", out);
    column = 0;
    for (unsigned i = 0; i < tree.end_count; i++) {
        snprintf(value, sizeof value, "{%u,%u}", tree.nodes[tree.ends[i].node].step_number,
                 tree.ends[i].concept);
        put_value(out, &column, value);
    }
    fputs("\n};\n", out);
}

static void put_lexeme(FILE *out, unsigned *column, uint64_t hash, const rc_lexeme *l)
{
    char value[96];
    snprintf(value, sizeof value, "{0x%jx,%u,%u,%u,%u,%u,%u,%u}", (uintmax_t)hash, l->first_move,
             l->later_count, l->plain_count, l->special_count, l->marker, l->negates, l->is_stop);
    put_value(out, column, value);
}

static void write_lexicon(FILE *out)
{
    char value[32];
    unsigned column = 0;
    fputs("\nconst rc_lexeme rc_marker_lexemes[] = {\n", out);
    for (unsigned i = 0; i < marker_lexeme_count; i++)
        put_lexeme(out, &column, 0, &marker_lexemes[i]);
    column = 0;
    fputs("\n};\n\nconst rc_lexeme rc_lexicon_unlisted[2] = {\n", out);
    put_value(out, &column, "{0}");
    put_lexeme(out, &column, 0, &lexemes[ATOM_NUMBER]);
    fputs("\n};\n\nconst uint16_t rc_lexicon_seeds[RC_LEXICON_BUCKETS] = {\n", out);
    column = 0;
    for (unsigned i = 0; i < RC_LEXICON_BUCKETS; i++) {
        snprintf(value, sizeof value, "%u", lexicon.seeds[i]);
        put_value(out, &column, value);
    }
    fputs("\n};\n\nconst rc_lexeme rc_lexicon[RC_LEXICON_SLOTS] = {\n", out);
    column = 0;
    for (unsigned i = 0; i < lexicon.slots; i++) {
        unsigned word = lexicon.taken[i];
        if (word)
            put_lexeme(out, &column, lexicon.words[word - 1], &lexemes[lexicon.lexemes[word - 1]]);
        else
            put_value(out, &column, "{0}");
    }
    fputs("\n};\n", out);
}

static void write_table(FILE *out)
{
    fputs(GENERATED "#include \"classify/phrases/private.h\"\n\n/* clang-format off */\n", out);
    write_rows(out, false);
    write_rows(out, true);
    fputs("\n/* clang-format on */\n\n#include \"classify/phrases/table.inc\"\n", out);
}

static void write_data(FILE *out)
{
    fputs(GENERATED, out);
    write_moves(out);
    write_lexicon(out);
}

/* ---- main ---- */

static bool read_spec(const char *root)
{
    char *path = NULL;
    if (asprintf(&path, "%s/spec/phrases.txt", root) < 0)
        give_up("no memory");
    char *text = gen_file_read("gen_phrases", path);
    if (text)
        spec_read(&spec, "spec/phrases.txt", text, on_phrase, NULL);
    if (text && spec.errors > 0)
        fprintf(stderr, "gen_phrases: %u errors in spec/phrases.txt\n", spec.errors);
    bool is_good = text && spec.errors == 0;
    free(text);
    free(path);
    return is_good;
}

int main(int argc, char **argv)
{
    bool is_verbose = argc == 3 && strcmp(argv[1], "-v") == 0;
    if (argc != 2 && !is_verbose) {
        fputs("usage: gen_phrases [-v] ROOT\n", stderr);
        return 64;
    }
    const char *root = argv[argc - 1];
    tree.node_count = 1;
    spec.shows_notes = is_verbose;
    if (!read_spec(root))
        return 1;
    make_lexemes();
    make_lexicon();
    if (is_verbose)
        printf("%u concepts, %u markers, %u phrases, %u steps, %u moves, %u words, %u slots\n",
               spec.concept_count - spec.marker_count, spec.marker_count, spec.phrase_count,
               tree.step_count, move_count, lexicon.word_count, lexicon.slots);
    int result = gen_file_write("gen_phrases", root, "lib/classify/phrases/table.h", write_header);
    result |= gen_file_write("gen_phrases", root, "lib/classify/phrases/table.c", write_table);
    result |= gen_file_write("gen_phrases", root, "lib/classify/phrases/table.inc", write_data);
    return result;
}
