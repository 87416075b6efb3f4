/* Tests of rc_usage_scan: the usage is found for every split of the response into pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/usage_scan.h"
#include "support/json_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct scan_case {
    const char *text;
    int64_t input, output, images;
    uint64_t weight; /* expected weight of text whose tokens were not counted */
} scan_case;

static const scan_case CASES[] = {
    /* whole responses of each dialect; the usage is the first, a middle or the last member */
    {"{'id':'c','choices':[{'message':{'role':'assistant','content':'Hello'}}],"
     "'usage':{'prompt_tokens':7,'completion_tokens':5,'total_tokens':12}}",
     7, 5, -1, 0},
    {"{'usage':{'input_tokens':9,'output_tokens':2},'content':[{'type':'text','text':'Hi'}]}", 9, 2,
     -1, 0},
    {"{'candidates':[{'content':{'parts':[{'text':'Hi'}]}}],'usageMetadata':{'promptTokenCount':4,"
     "'candidatesTokenCount':6,'promptTokensDetails':[{'modality':'TEXT','tokenCount':4}]},'x':1}",
     4, 6, -1, 0},
    {"{'object':'list','data':[{'object':'embedding','embedding':[0.1,-2e-3]}],"
     "'usage':{'prompt_tokens':7777,'total_tokens':7777}}",
     7777, -1, -1, 0},
    {"{'data':[{'b64_json':'aaaa'},{'b64_json':'bbbb','url':'u'},{'url':'c'}],"
     "'usage':{'input_tokens':10,'output_tokens':4160}}",
     10, 4160, 3, 0},
    {"{'response':'x','done':true,'prompt_eval_count':26,'eval_count':298}", 26, 298, -1, 0},
    {"\xEF\xBB\xBF {'usage' : {'prompt_tokens' : 3 , 'completion_tokens' : 1 } }", 3, 1, -1, 0},
    /* without a count the text is weighed, but not ids and roles */
    {"{'id':'chatcmpl-1','choices':[{'message':{'role':'assistant','content':'eight by'}}]}", -1,
     -1, -1, 8},
    {"{'choices':[{'message':{'content':'a\\u4f60\\n'}}],'usage':{'prompt_tokens':3}}", 3, -1, -1,
     1 + 4 + 1},
    /* an output of 0 is used if the response has no text */
    {"{'choices':[{'text':'eight by'}],'usage':{'prompt_tokens':3,'completion_tokens':0}}", 3, 0,
     -1, 8},
    {"{'choices':[{'text':''}],'usage':{'prompt_tokens':3,'completion_tokens':0},'x':'y'}", 3, 0,
     -1, 0},
    {"{'results':[{'text':'doc'}],'usage':{'prompt_tokens':3,'completion_tokens':0}}", 3, 0, -1, 0},
    {"data: {'delta':{'text':'eight by'}}\n\ndata: "
     "{'usage':{'input_tokens':3,'output_tokens':0}}\n\n",
     3, 0, -1, 8},
    /* usage inside text or in other members is ignored */
    {"{'choices':[{'text':'\\'usage\\':{\\'prompt_tokens\\':1}','usage':{'prompt_tokens':2}}]}", -1,
     -1, -1, 27},
    {"{'x':{'usage':{'prompt_tokens':2}},'usage':[{'prompt_tokens':2}],'eval_count':'7'}", -1, -1,
     -1, 1},
    /* events, with every kind of line end */
    {"event: message_start\ndata: {'type':'message_start','message':{'usage':{'input_tokens':25,"
     "'output_tokens':1}}}\n\nevent: message_delta\ndata: {'type':'message_delta','usage':"
     "{'output_tokens':15}}\n\n",
     25, 15, -1, 0},
    {"data: {'choices':[{'delta':{'content':'Hi'}}],'usage':null}\r\n\r\n"
     "data: {'choices':[],'usage':{'prompt_tokens':8,'completion_tokens':2}}\r\n\r\n"
     "data: [DONE]\r\n\r\n",
     8, 2, -1, 0},
    {": ping\ndata:{'response':{\ndata:'usage':{'input_tokens':1,'output_tokens':2}}}\n\n", 1, 2,
     -1, 0},
    {"data: {'choices':[{'delta':{'content':'Hello'}}]}\n\n", -1, -1, -1, 5},
    {"data: {'usage':\n\ndata: {'prompt_tokens':1}}\n\n", -1, -1, -1, 0},
    /* Gemini's array, and concatenated objects */
    {"[{'candidates':[],'usageMetadata':{'promptTokenCount':4}},\n"
     "{'usageMetadata':{'promptTokenCount':4,'candidatesTokenCount':9}}]",
     4, 9, -1, 0},
    {"{'eval_count':1}\n{'prompt_eval_count':5,'eval_count':3}\n", 5, 3, -1, 0},
    /* a body that is neither JSON nor events */
    {"ID3\x04 'usage':{'prompt_tokens':1}", -1, -1, -1, 0},
    {"]]}}{'usage':{'prompt_tokens':1", -1, -1, -1, 0},
    {"", -1, -1, -1, 0},
};

static void assert_case(const scan_case *row, rc_str text, size_t step)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_usage usage;
    rc_usage_scan scan;
    rc_buf_init(&scratch, &alloc, RC_USAGE_OBJECT_MAX_BYTES);
    rc_usage_init(&usage);
    rc_usage_scan_init(&scan, &scratch);
    for (size_t at = 0; at < text.len; at += step)
        rc_usage_scan_push(&scan, &usage, rc_str_slice(text, at, at + step));
    rc_usage_scan_end(&scan, &usage);
    rc_usage_scan_end(&scan, &usage);
    const rc_usage_count reported = rc_usage_reported(&usage);
    if (reported.input != row->input || reported.output != row->output ||
        reported.images != row->images || usage.weight != row->weight)
        print_message("in pieces of %zu: %s\n", step, row->text);
    assert_int_equal(reported.input, row->input);
    assert_int_equal(reported.output, row->output);
    assert_int_equal(reported.images, row->images);
    assert_int_equal(usage.weight, row->weight);
    rc_buf_done(&scratch);
}

static void counts_do_not_depend_on_the_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const rc_str text = json_text(CASES[i].text);
        for (size_t step = 1; step <= text.len + 1; step++)
            assert_case(&CASES[i], text, step);
    }
}

/* The count is found in large responses, of which only the usage object is stored. */
static void large_responses_are_counted(void **state)
{
    (void)state;
    static char block[4096];
    static const char tail[] = "\"}],\"usage\":{\"input_tokens\":50,\"output_tokens\":4175}}";
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_usage usage;
    rc_usage_scan scan;
    memset(block, 'A', sizeof block);
    rc_buf_init(&scratch, &alloc, 1024);
    rc_usage_init(&usage);
    rc_usage_scan_init(&scan, &scratch);
    rc_usage_scan_push(&scan, &usage, RC_STR("{\"data\":[{\"b64_json\":\""));
    for (int i = 0; i < 1024; i++)
        rc_usage_scan_push(&scan, &usage, rc_str_make(block, sizeof block));
    rc_usage_scan_push(&scan, &usage, rc_str_c(tail));
    rc_usage_scan_end(&scan, &usage);
    assert_int_equal(rc_usage_reported(&usage).output, 4175);
    assert_int_equal(rc_usage_reported(&usage).images, 1);
    assert_int_equal(usage.weight, 0);
    rc_buf_done(&scratch);
}

/* A usage object that is truncated or too large is ignored; a later one is used. */
static void usage_object_has_a_ceiling(void **state)
{
    (void)state;
    static char spaces[RC_USAGE_OBJECT_MAX_BYTES];
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_usage usage;
    rc_usage_scan scan;
    memset(spaces, ' ', sizeof spaces);
    rc_buf_init(&scratch, &alloc, 2 * RC_USAGE_OBJECT_MAX_BYTES);
    rc_usage_init(&usage);
    rc_usage_scan_init(&scan, &scratch);
    rc_usage_scan_push(&scan, &usage, RC_STR("{\"usage\":{\"prompt_tokens\":1,"));
    rc_usage_scan_push(&scan, &usage, rc_str_make(spaces, sizeof spaces));
    rc_usage_scan_push(&scan, &usage, RC_STR("\"x\":1},\"x_groq\":{\"usage\":"));
    assert_int_equal(rc_usage_reported(&usage).input, -1);
    rc_usage_scan_push(&scan, &usage, RC_STR("{\"prompt_tokens\":2}}}"));
    rc_usage_scan_end(&scan, &usage);
    assert_int_equal(rc_usage_reported(&usage).input, 2);
    rc_buf_done(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_do_not_depend_on_the_pieces),
        cmocka_unit_test(large_responses_are_counted),
        cmocka_unit_test(usage_object_has_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
