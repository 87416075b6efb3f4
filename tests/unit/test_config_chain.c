/* Chains that would ask the same target again, or in another interface: refused with their place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/load.h"
#include "support/fail_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD                                                                               \
    "providers: {openai: {keys: [env:K]}, local: {kind: vllm}, anthropic: {}, gemini: {}," \
    " demo: {}}\nroutes: [{model: a, "

static const struct {
    const char *text;
    unsigned column; /* 0: it is good */
    const char *path;
    const char *part;
} cases[] = {
    {HEAD "chain: [{target: openai/x}, {target: openai/y}, {target: local/x}]}]\n", 0, "", ""},
    {HEAD "chain: [{target: openai/x}, {target: local/x}, {target: openai/x}]}]\n", 77,
     "routes[0].chain[2].target", "twice in one chain: chain[0] is the same target"},
    {HEAD "chain: [{target: \"local/*\"}, {target: \"local/*\"}]}]\n", 59,
     "routes[0].chain[1].target", "twice in one chain"},
    {HEAD "chain: [{target: openai/x}], overflow_to: openai/x}]\n", 63, "routes[0].overflow_to",
     "the chain begins with this target"},
    {HEAD "chain: [{target: openai/x}, {target: local/x}], overflow_to: openai/x}]\n", 82,
     "routes[0].overflow_to", "the chain begins with this target"},
    /* From the others it is a way out. */
    {HEAD "chain: [{target: openai/x}, {target: local/x}], overflow_to: local/x}]\n", 0, "", ""},
    /* What could not be read is no second fault. */
    {HEAD "chain: [{target: nobody/x}, {target: openai/x}], overflow_to: local/y}]\n", 38,
     "routes[0].chain[0].target", "no provider"},
    {HEAD "chain: [{}, {target: openai/x}]}]\n", 29, "routes[0].chain[0]", "target is missing"},
    /* All who may get a request speak one interface. */
    {HEAD "chain: [{target: openai/x}, {target: anthropic/x}]}]\n", 58, "routes[0].chain[1].target",
     "it speaks Anthropic's interface and chain[0] OpenAI's"},
    {HEAD "chain: [{target: gemini/x}, {target: demo/x}, {target: local/x}]}]\n", 76,
     "routes[0].chain[2].target", "it speaks OpenAI's interface and chain[0] Gemini's"},
    {HEAD "chain: [{target: demo/x}, {target: gemini/x}, {target: demo/y}]}]\n", 0, "", ""},
    {HEAD "chain: [{target: anthropic/x}], overflow_to: gemini/x}]\n", 66, "routes[0].overflow_to",
     "it speaks Gemini's interface and chain[0] Anthropic's"},
    {HEAD "chain: [{target: demo/x}], overflow_to: gemini/x}]\n", 0, "", ""},
    {HEAD "chain: [{target: gemini/x}], overflow_to: demo/x}]\n", 0, "", ""},
    {HEAD "chain: [{target: nobody/x}, {target: gemini/x}]}]\n", 38, "routes[0].chain[0].target",
     "no provider"},
};

static void a_chain_asks_each_target_once_in_one_interface(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        fail_alloc memory = {0};
        rc_alloc alloc = fail_alloc_of(&memory);
        rc_config config;
        rc_config_faults faults;
        rc_config_faults_init(&faults);
        rc_status status = rc_config_parse(&config, rc_str_c(cases[i].text), &alloc, &faults);
        const rc_config_fault *fault = &faults.list[0];
        bool is_good = cases[i].column == 0;
        if (is_good && status != RC_OK)
            fail_msg("%s: %s: %s", cases[i].text, fault->path, fault->message);
        if (!is_good &&
            (faults.count != 1 || fault->line != 2 || fault->column != cases[i].column ||
             strcmp(fault->path, cases[i].path) != 0 ||
             strstr(fault->message, cases[i].part) == NULL))
            fail_msg("%s: %zu: %u:%u: %s: %s", cases[i].text, faults.count, fault->line,
                     fault->column, fault->path, fault->message);
        rc_config_done(&config);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_asks_each_target_once_in_one_interface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
