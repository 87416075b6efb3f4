/* gen_completions ROOT: writes completions/recourse.{bash,zsh,fish} from the tables of commands and
 * options. Run by tools/generate.sh. */
#include <ctype.h>
#include <string.h>

#include <recourse/taxonomy.h>

#include "cli/audit/stats.h"
#include "cli/options.h"
#include "gen_file.h"

/* ---- verbs ---- */

/* Returns the length of the next word of at least two lower-case letters, a verb among the
 * operands, and moves *at to it. */
static size_t next_verb(const char **at)
{
    const char *text = *at;
    while (*text != '\0') {
        size_t len = 0;
        while (text[len] >= 'a' && text[len] <= 'z')
            len++;
        if (len >= 2 && !isalpha((unsigned char)text[len])) {
            *at = text;
            return len;
        }
        text += len > 0 ? len : 1;
    }
    return 0;
}

/* Writes the verbs of a command; with `behind`, the verbs that follow that verb ("import litellm").
 * Returns their number. file: NULL only counts. */
static size_t each_verb(FILE *file, const rc_command *command, const char *behind)
{
    const char *at = command->operands != NULL ? command->operands : "";
    const char *last = "";
    size_t last_len = 0;
    size_t count = 0;
    size_t len;
    while (!command->takes_command && (len = next_verb(&at)) > 0) {
        const bool is_second = last_len > 0 && at == last + last_len + 1 && at[-1] == ' ';
        const bool is_wanted = behind == NULL ? !is_second
                                              : is_second && strlen(behind) == last_len &&
                                                    strncmp(behind, last, last_len) == 0;
        if (is_wanted && file != NULL)
            fprintf(file, "%s%.*s", count > 0 ? " " : "", (int)len, at);
        count += is_wanted ? 1 : 0;
        last = at;
        last_len = len;
        at += len;
    }
    return count;
}

/* Returns the verb that another verb follows, such as "import"; "": there is none. */
static const char *verb_with_second(const rc_command *command)
{
    static char verb[32];
    const char *at = command->operands != NULL ? command->operands : "";
    size_t len;
    while (!command->takes_command && (len = next_verb(&at)) > 0) {
        snprintf(verb, sizeof verb, "%.*s", (int)len, at);
        if (each_verb(NULL, command, verb) > 0)
            return verb;
        at += len;
    }
    return "";
}

/* ---- values ---- */

static const char *code_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < rc_code_count() ? rc_code_at(index)->name : NULL;
}

static const char *class_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < rc_class_count() ? rc_class_at(index)->name : NULL;
}

static const char *code_or_class_at(const void *ctx, size_t index)
{
    return index < rc_code_count() ? code_at(ctx, index) : class_at(ctx, index - rc_code_count());
}

static const char *table_at(const void *ctx, size_t index)
{
    (void)ctx;
    return rc_audit_kind_at(index) != NULL ? rc_audit_kind_at(index)->name : NULL;
}

static bool is_list(const rc_option *option)
{
    return option->value_name != NULL && strcmp(option->value_name, "LIST") == 0;
}

/* Returns the values to complete, also for options whose values the command checks itself. */
static const rc_option_values *values_of(const rc_option *option)
{
    static const rc_option_values codes = {code_at, NULL};
    static const rc_option_values classes = {class_at, NULL};
    static const rc_option_values tables = {table_at, NULL};
    if (option->values != NULL || option->value_name == NULL)
        return option->values;
    if (strcmp(option->value_name, "CODE") == 0)
        return &codes;
    if (strcmp(option->value_name, "CLASS") == 0)
        return &classes;
    return is_list(option) && strcmp(option->name, "by") == 0 ? &tables : NULL;
}

static void words_of(FILE *file, const rc_option_values *values)
{
    for (size_t i = 0; values->at(values->ctx, i) != NULL; i++)
        fprintf(file, "%s%s", i > 0 ? " " : "", values->at(values->ctx, i));
}

static bool takes_code(const rc_command *command)
{
    return command->operands != NULL && strcmp(command->operands, "[CODE]") == 0;
}

static bool wants_file(const rc_option *option)
{
    return option->value_name != NULL &&
           (strcmp(option->value_name, "FILE") == 0 || strcmp(option->value_name, "STORE") == 0 ||
            strcmp(option->value_name, "FOLDER") == 0 || strcmp(option->value_name, "DIR") == 0);
}

static bool takes_file(const rc_command *command)
{
    return command->operands != NULL && strstr(command->operands, "FILE") != NULL;
}

static bool takes_name_of_command(const rc_command *command)
{
    return command->operands != NULL && strcmp(command->operands, "[COMMAND]") == 0;
}

static void commands(FILE *file, const char *before)
{
    for (size_t i = 0; rc_command_at(i) != NULL; i++)
        fprintf(file, "%s%s", i > 0 ? before : "", rc_command_at(i)->name);
}

/* Writes text inside single quotes of a shell. escaped: further characters that the shell needs
 * escaped. */
static void quoted(FILE *file, const char *text, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", file);
        else if (strchr(escaped, *text) != NULL)
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
    }
}

/* ---- bash ---- */

static void bash_values(FILE *file, const rc_command *command)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const rc_option own = rc_command_option(command, i);
        const rc_option *option = &own;
        if (option->value_name == NULL)
            continue;
        fprintf(file, "        %s:--%s)", command->name, option->name);
        if (values_of(option) != NULL) {
            fputs(" words='", file);
            words_of(file, values_of(option));
            fputs("' ;;\n", file);
        } else {
            fputs(wants_file(option) ? " files=1 ;;\n" : " return ;;\n", file);
        }
    }
    const char *verb = verb_with_second(command);
    if (verb[0] != '\0') {
        fprintf(file, "        %s:%s) words='", command->name, verb);
        each_verb(file, command, verb);
        fputs("' ;;\n", file);
    }
}

static void bash_command(FILE *file, const rc_command *command)
{
    fprintf(file, "        %s)\n            words='--help", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        fprintf(file, " --%s", rc_command_option(command, i).name);
    if (command->short_flag != NULL)
        fprintf(file, " -%c", command->short_flag[0]);
    if (each_verb(NULL, command, NULL) > 0) {
        fputc(' ', file);
        each_verb(file, command, NULL);
    }
    if (takes_name_of_command(command)) {
        fputc(' ', file);
        commands(file, " ");
    }
    if (takes_code(command)) {
        fputc(' ', file);
        words_of(file, RC_NAMES_OF(code_or_class_at));
    }
    fputs("'\n", file);
    if (takes_file(command))
        fputs("            files=1\n", file);
    fputs("            ;;\n", file);
}

static void write_bash(FILE *file)
{
    fputs("# bash completion of recourse. Written by gen_completions; do not edit.\n\n"
          "_recourse() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words='' files='' i\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='",
          file);
    commands(file, " ");
    fputs(" --help --version'\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "        return\n    fi\n"
          "    # Behind exec -- is somebody else's command line.\n"
          "    if [ \"$command\" = exec ]; then\n"
          "        for ((i = 2; i < COMP_CWORD; i++)); do\n"
          "            [ \"${COMP_WORDS[i]}\" != -- ] || { compopt -o default && return; }\n"
          "        done\n"
          "    fi\n"
          "    case $command:$prev in\n",
          file);
    for (size_t i = 0; rc_command_at(i) != NULL; i++)
        bash_values(file, rc_command_at(i));
    fputs("        *)\n            case $command in\n", file);
    for (size_t i = 0; rc_command_at(i) != NULL; i++)
        bash_command(file, rc_command_at(i));
    fputs("            *) return ;;\n            esac\n            ;;\n    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "    [ -z \"$files\" ] || compopt -o default\n"
          "}\n\n"
          "complete -F _recourse recourse\n",
          file);
}

/* ---- zsh ---- */

#define ZSH_SPECIAL "[]:\\"

static void zsh_option(FILE *file, const rc_command *command, rc_option option)
{
    const bool is_repeated =
        command->repeatable != NULL && strcmp(command->repeatable, option.name) == 0;
    fprintf(file, "                '%s--%s%s[", is_repeated ? "*" : "", option.name,
            option.value_name != NULL ? "=" : "");
    quoted(file, option.help, ZSH_SPECIAL);
    fputc(']', file);
    if (option.value_name != NULL) {
        fprintf(file, ":%s:", option.value_name);
        if (values_of(&option) != NULL) {
            fputs(is_list(&option) ? "_values -s , what " : "(", file);
            words_of(file, values_of(&option));
            fputs(is_list(&option) ? "" : ")", file);
        } else if (wants_file(&option)) {
            fputs("_files", file);
        }
    }
    fputs("' \\\n", file);
}

static void zsh_operands(FILE *file, const rc_command *command)
{
    const char *verb = verb_with_second(command);
    if (command->takes_command)
        fputs("                '*:::command:_normal'\n", file);
    else if (takes_name_of_command(command)) {
        fputs("                '1:command:(", file);
        commands(file, " ");
        fputs(")'\n", file);
    } else if (takes_code(command)) {
        fputs("                '1:code:(", file);
        words_of(file, RC_NAMES_OF(code_or_class_at));
        fputs(")'\n", file);
    } else if (each_verb(NULL, command, NULL) > 0) {
        fputs("                '1:verb:(", file);
        each_verb(file, command, NULL);
        fputs(")' \\\n", file);
        if (verb[0] != '\0') {
            fprintf(file, "                '2:what:{ if [[ $words[2] = %s ]]; then compadd ", verb);
            each_verb(file, command, verb);
            fputs("; else _files; fi }' \\\n", file);
        }
        fputs("                '*:file:_files'\n", file);
    } else if (takes_file(command)) {
        fputs("                '*:file:_files'\n", file);
    } else {
        fputs("                '*: :'\n", file);
    }
}

static void write_zsh(FILE *file)
{
    fputs("#compdef recourse\n"
          "# zsh completion of recourse. Written by gen_completions; do not edit.\n\n"
          "_recourse() {\n"
          "    local state line\n"
          "    local -a commands\n"
          "    commands=(\n",
          file);
    for (size_t i = 0; rc_command_at(i) != NULL; i++) {
        fprintf(file, "        '%s:", rc_command_at(i)->name);
        quoted(file, rc_command_at(i)->summary, ZSH_SPECIAL);
        fputs("'\n", file);
    }
    fputs("    )\n"
          "    _arguments -C '(- *)--help[show the help]' '(- *)--version[show the version]' \\\n"
          "        '1:command:->command' '*::argument:->argument'\n"
          "    case $state in\n"
          "    command) _describe -t commands command commands ;;\n"
          "    argument)\n"
          "        case $line[1] in\n",
          file);
    for (size_t i = 0; rc_command_at(i) != NULL; i++) {
        const rc_command *command = rc_command_at(i);
        fprintf(file, "        %s)\n            _arguments '(- *)--help[show the help]' \\\n",
                command->name);
        for (size_t k = 0; k < command->option_count; k++)
            zsh_option(file, command, rc_command_option(command, k));
        zsh_operands(file, command);
        fputs("            ;;\n", file);
    }
    fputs("        esac\n        ;;\n    esac\n}\n\n_recourse \"$@\"\n", file);
}

/* ---- fish ---- */

static void fish_option(FILE *file, const rc_command *command, rc_option option)
{
    fprintf(file, "complete -c recourse -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option.name);
    if (command->short_flag != NULL && strcmp(command->short_flag, option.name) == 0)
        fprintf(file, " -s %c", option.name[0]);
    if (values_of(&option) != NULL) {
        fputs(" -x -a '", file);
        words_of(file, values_of(&option));
        fputc('\'', file);
    } else if (option.value_name != NULL) {
        fputs(wants_file(&option) ? " -r -F" : " -x", file);
    }
    fputs(" -d '", file);
    for (const char *text = option.help; *text != '\0'; text++)
        fprintf(file, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputs("'\n", file);
}

/* Completes the verbs until one is given; then the verbs that follow it. */
static void fish_verbs(FILE *file, const rc_command *command)
{
    const char *verb = verb_with_second(command);
    if (each_verb(NULL, command, NULL) == 0)
        return;
    fprintf(file,
            "complete -c recourse -n '__fish_seen_subcommand_from %s; "
            "and not __fish_seen_subcommand_from ",
            command->name);
    each_verb(file, command, NULL);
    fputs("' -a '", file);
    each_verb(file, command, NULL);
    fputs("'\n", file);
    if (verb[0] == '\0')
        return;
    fprintf(file,
            "complete -c recourse -n '__fish_seen_subcommand_from %s; "
            "and __fish_seen_subcommand_from %s' -a '",
            command->name, verb);
    each_verb(file, command, verb);
    fputs("'\n", file);
}

static void fish_command(FILE *file, const rc_command *command)
{
    fprintf(file, "complete -c recourse -n __fish_use_subcommand -a %s -d '", command->name);
    for (const char *text = command->summary; *text != '\0'; text++)
        fprintf(file, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputs("'\n", file);
    if (takes_file(command) || command->takes_command)
        fprintf(file, "complete -c recourse -n '__fish_seen_subcommand_from %s' -F\n",
                command->name);
    fish_verbs(file, command);
    if (takes_code(command)) {
        fprintf(file, "complete -c recourse -n '__fish_seen_subcommand_from %s' -a '",
                command->name);
        words_of(file, RC_NAMES_OF(code_or_class_at));
        fputs("'\n", file);
    }
    if (takes_name_of_command(command)) {
        fprintf(file, "complete -c recourse -n '__fish_seen_subcommand_from %s' -a '",
                command->name);
        commands(file, " ");
        fputs("'\n", file);
    }
    for (size_t i = 0; i < command->option_count; i++)
        fish_option(file, command, rc_command_option(command, i));
}

static void write_fish(FILE *file)
{
    fputs("# fish completion of recourse. Written by gen_completions; do not edit.\n\n"
          "complete -c recourse -f\n"
          "complete -c recourse -s h -l help -d 'show the help'\n"
          "complete -c recourse -n __fish_use_subcommand -l version -d 'show the version'\n",
          file);
    for (size_t i = 0; rc_command_at(i) != NULL; i++)
        fish_command(file, rc_command_at(i));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: gen_completions ROOT\n", stderr);
        return 2;
    }
    return gen_file_write("gen_completions", argv[1], "completions/recourse.bash", write_bash) |
           gen_file_write("gen_completions", argv[1], "completions/recourse.zsh", write_zsh) |
           gen_file_write("gen_completions", argv[1], "completions/recourse.fish", write_fish);
}
