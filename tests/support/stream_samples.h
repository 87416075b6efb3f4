/* Streams as the providers send them, and the kinds of their events. The texts have ' in place of
 * ", because no text contains '.
 *
 * kinds: one word per event, with one letter per kind: p preamble, c content, f finish, u usage,
 * t terminator, e error, k keepalive, d damaged, o other.
 *
 * whole: the stream is complete once the last byte of this text has arrived (the last occurrence of
 * the text counts); NULL: the stream is never complete. finish: like whole, for a body that the
 * transport reports as complete; NULL: the same as whole. */
#ifndef TESTS_SUPPORT_STREAM_SAMPLES_H
#define TESTS_SUPPORT_STREAM_SAMPLES_H

#include "support/stream_run.h"

typedef struct stream_sample {
    const char *name;
    rc_stream_dialect dialect;
    stream_form form;
    const char *text;
    const char *kinds;
    const char *whole;
    const char *finish;
    rc_stream_end end; /* expected end if the transport does not report the body as complete */
    rc_stream_finish reason;
} stream_sample;

#define CHUNK(choices)                                                                        \
    "data: {'id':'chatcmpl-9','object':'chat.completion.chunk','created':1762899700,'model':" \
    "'gpt-4o','choices':[" choices "]}\n\n"
#define DELTA(delta) CHUNK("{'index':0,'delta':{" delta "},'logprobs':null,'finish_reason':null}")
#define STOP(reason) CHUNK("{'index':0,'delta':{},'finish_reason':'" reason "'}")
#define ROLE DELTA("'role':'assistant','content':'','refusal':null")
#define DONE "data: [DONE]\n\n"
#define CHAT_USAGE                                                                           \
    "data: {'id':'chatcmpl-9','choices':[],'usage':{'prompt_tokens':20,'completion_tokens':" \
    "9,'total_tokens':29,'prompt_tokens_details':{'cached_tokens':16},"                      \
    "'completion_tokens_details':{'reasoning_tokens':4}}}\n\n"

#define RESPONSE(type, rest) \
    "event: " type "\ndata: {'type':'" type "','sequence_number':1" rest "}\n\n"
#define RESPONSE_TEXT(text) \
    RESPONSE("response.output_text.delta", ",'item_id':'m','output_index':0,'delta':'" text "'")
#define RESPONSE_HEAD                                                                          \
    RESPONSE("response.created", ",'response':{'id':'r','status':'in_progress','error':null}") \
    RESPONSE("response.in_progress", ",'response':{'id':'r','status':'in_progress'}")

#define CLAUDE(type, rest) "event: " type "\ndata: {'type':'" type "'" rest "}\n\n"
#define CLAUDE_START                                                                        \
    CLAUDE("message_start", ",'message':{'id':'msg_1','type':'message','role':'assistant'," \
                            "'content':[],'model':'claude','stop_reason':null,'usage':{"    \
                            "'input_tokens':25,'cache_creation_input_tokens':10,"           \
                            "'cache_read_input_tokens':100,'output_tokens':1}}")
#define CLAUDE_BLOCK(block) CLAUDE("content_block_start", ",'index':0,'content_block':{" block "}")
#define CLAUDE_DELTA(delta) CLAUDE("content_block_delta", ",'index':0,'delta':{" delta "}")
#define CLAUDE_TEXT(text) CLAUDE_DELTA("'type':'text_delta','text':'" text "'")
#define CLAUDE_END(reason)                                                                       \
    CLAUDE("content_block_stop", ",'index':0")                                                   \
    CLAUDE("message_delta", ",'delta':{'stop_reason':'" reason "','stop_sequence':null},'usage'" \
                            ":{'output_tokens':15}")                                             \
    CLAUDE("message_stop", "")
#define CLAUDE_STOP "{'type':'message_stop'}"

#define PARTS(parts) "'content':{'parts':[" parts "],'role':'model'}"
#define GEM_BODY(candidate)                                                     \
    "{'candidates': [{" candidate "}],'usageMetadata': {'promptTokenCount': 8," \
    "'candidatesTokenCount': 5,'totalTokenCount': 20,'thoughtsTokenCount': 7}," \
    "'modelVersion': 'gemini-2.5-flash'}"
#define GEM(candidate) "data: " GEM_BODY(candidate) "\r\n\r\n"

#define COMPLETE RC_STREAM_END_COMPLETE
#define TRUNCATED RC_STREAM_END_TRUNCATED
#define EMPTY RC_STREAM_END_EMPTY
#define ERRORED RC_STREAM_END_ERRORED
#define DAMAGED_END RC_STREAM_END_DAMAGED
#define GOOD RC_STREAM_FINISH_GOOD
#define NO_REASON RC_STREAM_FINISH_NONE

#define CHAT RC_STREAM_OPENAI_CHAT, FORM_SSE
#define LEGACY RC_STREAM_OPENAI_COMPLETIONS, FORM_SSE
#define RESPONSES RC_STREAM_OPENAI_RESPONSES, FORM_SSE
#define ANTHROPIC RC_STREAM_ANTHROPIC, FORM_SSE
#define GEMINI RC_STREAM_GEMINI, FORM_SSE
#define GEMINI_ARRAY RC_STREAM_GEMINI, FORM_ARRAY
#define OLLAMA RC_STREAM_OLLAMA, FORM_LINES

static const stream_sample stream_samples[] = {
    /* OpenAI chat */
    {"chat_text", CHAT,
     ROLE DELTA("'content':'Hel'") DELTA("'content':'lo \\u00e9'") STOP("stop") CHAT_USAGE DONE,
     "p c c f u t", "[DONE]", "'finish_reason':'stop'}]}", COMPLETE, GOOD},
    {"chat_role_with_text", CHAT, DELTA("'role':'assistant','content':'Hi'") STOP("stop") DONE,
     "c f t", "[DONE]", "'finish_reason':'stop'}]}", COMPLETE, GOOD},
    {"chat_tools", CHAT,
     ROLE DELTA("'tool_calls':[{'index':0,'id':'call_1','type':'function','function':{'name':'f',"
                "'arguments':''}}]")
         DELTA("'tool_calls':[{'index':0,'function':{'arguments':'{\\'a\\':1}'}}]")
             STOP("tool_calls") DONE,
     "p c c f t", "[DONE]", "'finish_reason':'tool_calls'}]}", COMPLETE, GOOD},
    {"chat_reasoning", CHAT,
     ROLE DELTA("'content':null,'reasoning_content':'hm'") DELTA("'reasoning':'so'")
         DELTA("'content':'yes'") STOP("length") DONE,
     "p c c c f t", "[DONE]", "'finish_reason':'length'}]}", COMPLETE, RC_STREAM_FINISH_LENGTH},
    {"chat_refusal", CHAT, ROLE DELTA("'refusal':'No.'") STOP("stop") DONE, "p c f t", "[DONE]",
     "'finish_reason':'stop'}]}", COMPLETE, GOOD},
    {"chat_filter", CHAT,
     "data: {'choices':[],'prompt_filter_results':[{'prompt_index':0}]}\n\n" ROLE STOP(
         "content_filter") DONE,
     "p p f t", "[DONE]", "'finish_reason':'content_filter'}]}", COMPLETE, RC_STREAM_FINISH_FILTER},
    {"chat_audio_images", CHAT,
     DELTA("'audio':{'id':'a','data':'UklG'}")
         DELTA("'images':[{'type':'image_url','image_url':{'url':'data:,'}}]")
             DELTA("'content':[{'type':'thinking','thinking':[{'text':'a'}]}]")
                 DELTA("'content':[]") STOP("stop") DONE,
     "c c c p f t", "[DONE]", "'finish_reason':'stop'}]}", COMPLETE, GOOD},
    {"chat_usage_everywhere", CHAT,
     "data: {'choices':[{'index':0,'delta':{'content':'a'}}],'usage':{'prompt_tokens':1,"
     "'completion_tokens':1}}\n\n"
     "data: {'choices':[{'index':0,'delta':{'content':''},'finish_reason':'stop','usage':{"
     "'prompt_tokens':20,'completion_tokens':9}}]}\n\n" DONE,
     "cu fu t", "[DONE]", "'completion_tokens':9}}]}", COMPLETE, GOOD},
    {"chat_two_choices", CHAT,
     CHUNK("{'index':0,'delta':{'content':'a'}},{'index':1,'delta':{'content':'b'}}") STOP("stop")
         CHUNK("{'index':1,'delta':{},'finish_reason':'length'}") DONE,
     "c f f t", "[DONE]", "'finish_reason':'length'}]}", COMPLETE, RC_STREAM_FINISH_LENGTH},
    {"chat_keepalives", CHAT,
     ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" ROLE
     ":\n\n" DELTA("'content':'a'") "data:\n\n" STOP("stop") DONE,
     "k k k k p k k c k f t", "[DONE]", "'finish_reason':'stop'}]}", COMPLETE, GOOD},
    {"chat_no_done", CHAT, ROLE DELTA("'content':'a'") STOP("stop"), "p c f", NULL,
     "'finish_reason':'stop'}]}", TRUNCATED, GOOD},
    {"chat_cut", CHAT, ROLE DELTA("'content':'a'"), "p c", NULL, NULL, TRUNCATED, NO_REASON},
    {"chat_role_only", CHAT, ROLE, "p", NULL, NULL, EMPTY, NO_REASON},
    {"chat_done_only", CHAT, DONE, "t", NULL, NULL, EMPTY, NO_REASON},
    {"chat_empty", CHAT, "", "", NULL, NULL, EMPTY, NO_REASON},
    {"chat_empty_finish", CHAT,
     "data: {'choices':[{'index':0,'delta':{'content':'a'},"
     "'finish_reason':''}]}\n\n" DONE,
     "c t", "[DONE]", NULL, COMPLETE, NO_REASON},
    {"chat_damaged_line", CHAT,
     ROLE "data: {'choices':[{'index':0,'delta':{'content':'a\n\n" DELTA("'content':'b'")
         STOP("stop") DONE,
     "p d c f t", "[DONE]", "'finish_reason':'stop'}]}", COMPLETE, GOOD},
    {"chat_damaged_end", CHAT, ROLE DELTA("'content':'a'") "data: {'choices':[{'del\n\n", "p c d",
     NULL, NULL, DAMAGED_END, NO_REASON},
    {"chat_no_json", CHAT, "data: upstream went away\n\n", "d", NULL, NULL, DAMAGED_END, NO_REASON},
    {"chat_error_first", CHAT,
     "data: {'error':{'message':'Rate limit reached','type':'tokens',"
     "'code':'rate_limit_exceeded'}}\n\n",
     "e", NULL, NULL, ERRORED, NO_REASON},
    {"chat_error_after_role", CHAT,
     ROLE "data: {'error':{'message':'The server had an error','type':'server_error'}}\n\n" DONE,
     "p e t", NULL, NULL, ERRORED, NO_REASON},
    {"chat_error_after_text", CHAT,
     ROLE DELTA(
         "'content':'a'") "data: {'id':'g','choices':[{'index':0,'delta':{'content':''},"
                          "'finish_reason':'error'}],'error':{'code':502,'message':'Provider "
                          "returned error'}}\n\n",
     "p c fe", NULL, NULL, ERRORED, RC_STREAM_FINISH_ERROR},
    {"chat_error_in_choice", CHAT, ROLE CHUNK("{'index':0,'error':{'code':429,'message':'x'}}"),
     "p e", NULL, NULL, ERRORED, NO_REASON},
    {"chat_error_vllm", CHAT,
     "data: {'object':'error','message':'bad','type':'BadRequestError',"
     "'code':400}\n\n" DONE,
     "e t", NULL, NULL, ERRORED, NO_REASON},
    {"chat_error_tgi", CHAT,
     "data: {'error':'Input validation error','error_type':'validation'}\n\n", "e", NULL, NULL,
     ERRORED, NO_REASON},
    {"chat_error_named", CHAT, "event: error\ndata: out of memory\n\n", "e", NULL, NULL, ERRORED,
     NO_REASON},
    {"chat_error_groq", CHAT,
     ROLE "data: {'choices':[],'x_groq':{'id':'r','error':'tool_use_failed'"
          "}}\n\n",
     "p e", NULL, NULL, ERRORED, NO_REASON},
    {"chat_error_bare", CHAT, "{\n 'error': {\n  'message': 'Invalid key'\n }\n}\n", "e", NULL,
     NULL, ERRORED, NO_REASON},
    {"chat_error_null", CHAT,
     "data: {'choices':[{'index':0,'delta':{'content':'a'},'finish_reason':"
     "'stop'}],'error':null}\n\n" DONE,
     "cf t", "[DONE]", "'error':null}", COMPLETE, GOOD},
    {"chat_error_zero", CHAT,
     "data: {'error':0,'choices':[]}\n\n" DELTA("'content':'a'") "data: {'error':false}\n\n" DONE,
     "p c o t", "[DONE]", NULL, COMPLETE, NO_REASON},
    {"chat_error_number", CHAT, "data: {'error':503}\n\n", "e", NULL, NULL, ERRORED, NO_REASON},
    {"chat_error_after_done", CHAT,
     DELTA("'content':'a'") STOP("stop") DONE "data: {'error':'x'}\n\n", "c f t e", "[DONE]",
     "'finish_reason':'stop'}]}", COMPLETE, GOOD},
    {"chat_html", CHAT, "<html>\n<body>502 Bad Gateway</body>\n</html>\n", "o", NULL, NULL, EMPTY,
     NO_REASON},

    /* OpenAI completions */
    {"legacy_text", LEGACY,
     "data: {'id':'cmpl-1','object':'text_completion','choices':[{'text':'','index':0,"
     "'finish_reason':null}]}\n\n"
     "data: {'id':'cmpl-1','choices':[{'text':' a','index':0,'finish_reason':null}]}\n\n"
     "data: {'id':'cmpl-1','choices':[{'text':'','index':0,'finish_reason':'length'}],'usage':{"
     "'prompt_tokens':20,'completion_tokens':9}}\n\n" DONE,
     "p c fu t", "[DONE]", "'completion_tokens':9}}", COMPLETE, RC_STREAM_FINISH_LENGTH},
    {"legacy_error", LEGACY,
     "data: {'choices':[{'text':'a','index':0}]}\n\ndata: {'error':{'message'"
     ":'x'}}\n\n",
     "c e", NULL, NULL, ERRORED, NO_REASON},

    /* OpenAI responses */
    {"responses_text", RESPONSES,
     RESPONSE_HEAD RESPONSE("response.output_item.added", ",'item':{'id':'m','type':'message',"
                                                          "'content':[]}")
         RESPONSE("response.content_part.added", ",'part':{'type':'output_text','text':''}")
             RESPONSE_TEXT("Hel") RESPONSE_TEXT("lo") RESPONSE("response.output_text.done",
                                                               ",'text':'Hello'")
                 RESPONSE("response.content_part.done", ",'part':{'text':'Hello'}")
                     RESPONSE("response.output_item.done", ",'item':{'content':[{'text':'Hello'}"
                                                           "]}")
                         RESPONSE("response.completed",
                                  ",'response':{'id':'r','status':'completed','error':null,"
                                  "'incomplete_details':null,'output':[{'content':[{'text':"
                                  "'Hello'}]}],'usage':{'input_tokens':20,'output_tokens':9,"
                                  "'input_tokens_details':{'cached_tokens':16},"
                                  "'output_tokens_details':{'reasoning_tokens':4}}}"),
     "p p p p c c o o o fut", "'reasoning_tokens':4}}}}", NULL, COMPLETE, GOOD},
    {"responses_whole_items", RESPONSES,
     RESPONSE_HEAD RESPONSE("response.output_item.done",
                            ",'item':{'type':'message','content':[{'text':'Hello'}]}")
         RESPONSE("response.completed", ",'response':{'status':'completed'}") "data: [DONE]\n\n",
     "p p c ft o", "{'status':'completed'}}", NULL, COMPLETE, GOOD},
    {"responses_tools", RESPONSES,
     RESPONSE_HEAD RESPONSE("response.output_item.added", ",'item':{'type':'reasoning','summary':[]"
                                                          "}")
         RESPONSE("response.reasoning_summary_text.delta", ",'delta':'hm'")
             RESPONSE("response.output_item.added", ",'item':{'type':'function_call','name':'f',"
                                                    "'arguments':''}")
                 RESPONSE("response.function_call_arguments.delta", ",'delta':'{}'")
                     RESPONSE("response.incomplete", ",'response':{'status':'incomplete',"
                                                     "'incomplete_details':{'reason':"
                                                     "'max_output_tokens'}}"),
     "p p p c c c ft", "'max_output_tokens'}}}", NULL, COMPLETE, RC_STREAM_FINISH_LENGTH},
    {"responses_refusal_image", RESPONSES,
     RESPONSE_HEAD RESPONSE("response.refusal.delta", ",'delta':'No'")
         RESPONSE("response.image_generation_call.partial_image", ",'partial_image_b64':'iVBO'")
             RESPONSE("response.web_search_call.searching", ",'item_id':'w'")
                 RESPONSE("response.incomplete", ",'response':{'status':'incomplete',"
                                                 "'incomplete_details':{'reason':'content_filter'}"
                                                 "}"),
     "p p c c o ft", "'content_filter'}}}", NULL, COMPLETE, RC_STREAM_FINISH_FILTER},
    {"responses_completed_bare", RESPONSES,
     RESPONSE_HEAD RESPONSE_TEXT("a") RESPONSE("response.completed", ",'done':1"), "p p c ft",
     "'done':1}", NULL, COMPLETE, RC_STREAM_FINISH_UNKNOWN},
    {"responses_cut", RESPONSES, RESPONSE_HEAD RESPONSE_TEXT("a"), "p p c", NULL, NULL, TRUNCATED,
     NO_REASON},
    {"responses_done_only", RESPONSES, RESPONSE_HEAD RESPONSE_TEXT("a") DONE, "p p c o", NULL, NULL,
     TRUNCATED, NO_REASON},
    {"responses_failed", RESPONSES,
     RESPONSE_HEAD
     "event: error\ndata: "
     "{'type':'error','sequence_number':2,'error':{'type':'invalid_request_error'"
     ",'code':'context_length_exceeded','message':'x'}}\n\n" RESPONSE(
         "response.failed", ",'response':{'status':'failed','error':{'code':'server_error',"
                            "'message':'x'}}"),
     "p p e fte", NULL, NULL, ERRORED, RC_STREAM_FINISH_ERROR},
    {"responses_failed_late", RESPONSES,
     RESPONSE_HEAD RESPONSE_TEXT("a")
         RESPONSE("response.failed", ",'response':{'status':'failed','error':{'code':"
                                     "'rate_limit_exceeded','message':'x'}}"),
     "p p c fte", NULL, NULL, ERRORED, RC_STREAM_FINISH_ERROR},
    {"responses_error_flat", RESPONSES,
     "data: {'type':'error','code':'server_error','message':'x','param':null}\n\n", "e", NULL, NULL,
     ERRORED, NO_REASON},

    /* Anthropic */
    {"anthropic_text", ANTHROPIC,
     CLAUDE_START CLAUDE_BLOCK("'type':'text','text':''") CLAUDE("ping", "") CLAUDE_TEXT("Hel")
         CLAUDE_TEXT("lo") CLAUDE_END("end_turn"),
     "pu p k c c o fu t", CLAUDE_STOP, NULL, COMPLETE, GOOD},
    {"anthropic_thinking_tools", ANTHROPIC,
     CLAUDE_START CLAUDE_BLOCK("'type':'thinking','thinking':'','signature':''")
         CLAUDE_DELTA("'type':'thinking_delta','thinking':'hm'")
             CLAUDE_DELTA("'type':'signature_delta','signature':'EqQB'")
                 CLAUDE_BLOCK("'type':'tool_use','id':'toolu_1','name':'f','input':{}")
                     CLAUDE_DELTA("'type':'input_json_delta','partial_json':''") CLAUDE_DELTA(
                         "'type':'input_json_delta','partial_json':'{}'") CLAUDE_END("tool_use"),
     "pu p c c c o c o fu t", CLAUDE_STOP, NULL, COMPLETE, GOOD},
    {"anthropic_redacted_padded", ANTHROPIC,
     CLAUDE_START CLAUDE_BLOCK("'type':'redacted_thinking','data':'EmwK'")
         CLAUDE_DELTA("'type':'text_delta','text':'a'}           ,'x':{") CLAUDE_END("refusal"),
     "pu c c o fu t", CLAUDE_STOP, NULL, COMPLETE, RC_STREAM_FINISH_REFUSAL},
    {"anthropic_no_cache", ANTHROPIC,
     CLAUDE("message_start", ",'message':{'usage':{'input_tokens':5}}") CLAUDE_TEXT("a")
         CLAUDE_END("max_tokens"),
     "pu c o fu t", CLAUDE_STOP, NULL, COMPLETE, RC_STREAM_FINISH_LENGTH},
    {"anthropic_overloaded", ANTHROPIC,
     CLAUDE_START "event: error\ndata: {'type':'error','error':{'details':null,'type':"
                  "'overloaded_error','message':'Overloaded'},'request_id':'req_1'}\n\n",
     "pu e", NULL, NULL, ERRORED, NO_REASON},
    {"anthropic_late_error", ANTHROPIC,
     CLAUDE_START CLAUDE_BLOCK("'type':'text','text':''") CLAUDE_TEXT("a")
         CLAUDE("error", ",'error':{'type':'api_error','message':'Internal server error'}"),
     "pu p c e", NULL, NULL, ERRORED, NO_REASON},
    {"anthropic_error_first", ANTHROPIC,
     "data: {'type':'error','error':{'type':'rate_limit_error',"
     "'message':'x'}}\n\n",
     "e", NULL, NULL, ERRORED, NO_REASON},
    {"anthropic_no_stop", ANTHROPIC,
     CLAUDE_START CLAUDE_TEXT("a") CLAUDE("message_delta", ",'delta':{'stop_reason':'end_turn'}"),
     "pu c f", NULL, NULL, TRUNCATED, GOOD},
    {"anthropic_start_only", ANTHROPIC, CLAUDE_START CLAUDE("ping", ""), "pu k", NULL, NULL, EMPTY,
     NO_REASON},

    /* Gemini */
    {"gemini_text", GEMINI,
     GEM(PARTS("{'text': 'Hel'}")) GEM(PARTS("{'text': 'lo'}"))
         GEM(PARTS("{'text': ''}") ",'finishReason': 'STOP','index': 0"),
     "cu cu fu", NULL, "'modelVersion': 'gemini-2.5-flash'}", TRUNCATED, GOOD},
    {"gemini_thought_call", GEMINI,
     GEM(PARTS("{'text': 'hm','thought': true}"))
         GEM(PARTS("{'functionCall': {'name': 'f','args': {}},'thoughtSignature': 'CiQB'}")) GEM(
             PARTS("{'inlineData': {'mimeType': 'image/png','data': 'iVBO'}}") ",'finishReason': "
                                                                               "'MAX_TOKENS'"),
     "cu cu cfu", NULL, "'modelVersion': 'gemini-2.5-flash'}", TRUNCATED, RC_STREAM_FINISH_LENGTH},
    {"gemini_blocked", GEMINI,
     "data: {'promptFeedback': {'blockReason': 'PROHIBITED_CONTENT'}}\n\n", "f", NULL,
     "'PROHIBITED_CONTENT'}}", TRUNCATED, RC_STREAM_FINISH_FILTER},
    {"gemini_error", GEMINI,
     GEM(PARTS("{'text': 'a'}")) "data: {'error': {'code': 503,'message': 'overloaded','status': "
                                 "'UNAVAILABLE'}}\r\n\r\n",
     "cu e", NULL, NULL, ERRORED, NO_REASON},
    {"gemini_error_in_list", GEMINI,
     "data: [{'error': {'code': 429,'status': 'RESOURCE_EXHAUSTED'}}"
     "]\n\n",
     "e", NULL, NULL, ERRORED, NO_REASON},
    {"gemini_array", GEMINI_ARRAY,
     "[" GEM_BODY(PARTS("{'text': '[{\\'a]'}")) "\n,\r\n" GEM_BODY(
         PARTS("{'text': 'b'}") ",'finishReason': 'STOP'") "\n]\n",
     "cu cfu t k", "]", NULL, COMPLETE, GOOD},
    {"gemini_array_not_finished", GEMINI_ARRAY, "[" GEM_BODY(PARTS("{'text': 'a'}")) "]", "cu o",
     NULL, NULL, TRUNCATED, NO_REASON},
    {"gemini_array_error", GEMINI_ARRAY,
     "[" GEM_BODY(PARTS("{'text': 'a'}")) ",\n{'error': {'code': 500,'message': 'x'}}\n]", "cu e o",
     NULL, NULL, ERRORED, NO_REASON},
    {"gemini_array_bare_error", GEMINI_ARRAY, "{\n 'error': {'code': 400,'message': 'x'}\n}\n",
     "e k", NULL, NULL, ERRORED, NO_REASON},
    {"gemini_array_empty", GEMINI_ARRAY, "[\n]", "o", NULL, NULL, EMPTY, NO_REASON},
    {"gemini_array_scalars", GEMINI_ARRAY, "[1, 'x',\n{'candidates': []}]", "d d p o", NULL, NULL,
     EMPTY, NO_REASON},

    /* Ollama */
    {"ollama_chat", OLLAMA,
     "{'model':'m','message':{'role':'assistant','content':'a'},'done':false}\n"
     "\n{'model':'m','message':{'role':'assistant','content':''},'done_reason':'stop','done':true,"
     "'prompt_eval_count':20,'eval_count':9}\n",
     "c k fut", "'eval_count':9}", NULL, COMPLETE, GOOD},
    {"ollama_error", OLLAMA,
     "{'response':'a','done':false}\nnot json\n{'error':'runner stopped'}\n", "c d e", NULL, NULL,
     ERRORED, NO_REASON},
};

#define STREAM_SAMPLE_COUNT (sizeof stream_samples / sizeof stream_samples[0])
#define STREAM_SAMPLE_MAX 4096

/* Returns the text with " in place of '. scratch: STREAM_SAMPLE_MAX bytes, viewed by the result. */
static inline rc_str stream_sample_text(const char *text, char *scratch)
{
    size_t len = strlen(text);
    if (len > STREAM_SAMPLE_MAX)
        abort();
    for (size_t i = 0; i < len; i++)
        scratch[i] = text[i] == '\'' ? '"' : text[i];
    return rc_str_make(scratch, len);
}

#undef GOOD
#undef COMPLETE
#undef EMPTY

#endif
