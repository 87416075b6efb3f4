/* `recourse call PROMPT`: the state of one run, and the functions that its files share.
 *
 *   options.c, prompt.c   the options, the prompt and the images
 *   target.c              the route or provider
 *   gateway.c             opens rc_client, with a configuration or with --via
 *        │
 *   run.c: rc_client_call ──► text ──► standard output
 *        │          └──► events ──► live.c: countdown line and switches on standard error
 *        └─ signals, Esc
 *   result.c              the totals and the output */
#ifndef RC_CLI_CALL_CALL_H
#define RC_CLI_CALL_CALL_H

#include "cli/options.h"
#include "client/client_call.h"
#include "gateway/request/model.h"
#include "gateway/state/snapshot_input.h"
#include "sys/console.h"
#include "ui/wait_line.h"

/* Indexes of the options in the command's table. */
enum {
    CALL_MODEL,
    CALL_SYSTEM,
    CALL_IMAGE,
    CALL_MAX_TOKENS,
    CALL_TEMPERATURE,
    CALL_NO_STREAM,
    CALL_DEADLINE,
    CALL_POLICY,
    CALL_DIALECT,
    CALL_CONFIG,
    CALL_VIA,
    CALL_TOKEN_FILE,
    CALL_INSECURE,
    CALL_FORMAT,
    CALL_AGENT,
    CALL_QUIET,
    CALL_COLOUR,
    CALL_WIDTH,
    CALL_COUNT
};

#define RC_CALLER_IMAGES_MAX 8
#define RC_CALLER_TEXT_MAX 1200

typedef enum rc_caller_format {
    RC_CALLER_HUMAN = 0, /* The response as it arrives; messages on standard error. */
    RC_CALLER_JSON = 1,  /* One JSON object at the end, for success and failure. */
    RC_CALLER_MARKDOWN = 2
} rc_caller_format;

/* State of the status line on the terminal, which is shown until the first text arrives. */
typedef struct rc_caller_live {
    bool is_thinking;                      /* The model sends reasoning, but no text yet. */
    uint64_t retry_at_ms;                  /* End of the wait before a retry; 0: no wait. */
    rc_wait_line line;                     /* Content of the status line during the wait. */
    char failure_text[RC_CALLER_TEXT_MAX]; /* Message of the latest failure. */
    /* Message of a switch to another target or key that is not printed yet; "": none. */
    char switch_text[RC_CALLER_TEXT_MAX];
} rc_caller_live;

/* State of one run of the command. */
typedef struct rc_caller {
    rc_cli *cli;
    const rc_sys_calls *calls;

    rc_str model; /* Model name; empty: not given. */
    char model_copy[RC_MODEL_NAME_MAX];
    rc_prompt prompt;
    rc_prompt_turn turn;
    rc_buf text;
    rc_prompt_image images[RC_CALLER_IMAGES_MAX];
    rc_buf image_bytes[RC_CALLER_IMAGES_MAX];
    size_t image_count;
    rc_dialect dialect; /* Value of --dialect; 0: not given. */
    uint64_t deadline_ms;
    const char *policy;
    const char *config_path;
    const char *via;
    const char *token_file;
    bool is_insecure;
    rc_caller_format format;
    bool is_quiet;
    bool has_colour;

    rc_snapshot_input
        snapshot_input; /* Input of the in-process gateway, until the gateway takes it. */
    uv_loop_t loop;
    rc_client client;
    rc_client_call call;
    /* Warning that a limit of the provider is nearly used up; "": none. */
    char quota_warning[RC_CALLER_TEXT_MAX];

    bool is_started;
    bool is_over; /* The event loop stops, because the call has ended or must end. */
    uint64_t started_ms;
    uint64_t ended_ms;

    rc_watch watch;
    rc_tty tty;
    rc_outlet out;
    rc_outlet err_outlet;
    rc_console console;
    rc_caller_live live;
    bool is_paused;
    bool is_escaped;         /* Esc was pressed. */
    int signal;              /* Signal that ended the call; 0: none. */
    rc_buf response_text;    /* Text of the response, for formats that print it at the end. */
    const rc_report *report; /* Report of the failure; NULL: the call succeeded. */
    int exit_status;         /* Exit status (RC_EXIT_...) of a failure without a report. */
} rc_caller;

/* call.c: the run function of the command; returns the exit status. */
int rc_caller_run(rc_cli *cli, const rc_args *args);

/* options.c: reads the options into c. Returns RC_EXIT_OK, or an exit status with the reason in
 * err. */
int rc_caller_read_options(rc_caller *c, const rc_args *args);

/* prompt.c: read the prompt and the images into c. Return RC_EXIT_OK, or an exit status with the
 * reason in err or in c->report. */
int rc_caller_read_prompt(rc_caller *c, const rc_args *args);
int rc_caller_read_images(rc_caller *c, const rc_args *args);

/* target.c: loads the configuration and checks the model and the policy. The result is as for
 * rc_caller_read_prompt. */
int rc_caller_choose_target(rc_caller *c);

/* gateway.c: opens c->client; c->loop must be initialized. Returns false with the reason in
 * c->report. */
bool rc_caller_open_client(rc_caller *c);

/* run.c: sends the request and runs the loop until the call ends, fails or is cancelled. */
void rc_caller_send(rc_caller *c);

/* live.c: rc_caller_draw draws the status line on standard error; rc_caller_on_event prints an
 * event of the call there. */
void rc_caller_draw(rc_caller *c);
void rc_caller_on_event(rc_caller *c, const rc_event_view *event);
/* Stores the warning that a provider's limit is nearly used up; it is printed at the end. quota,
 * target: copies their text. */
void rc_caller_set_near_limit(rc_caller *c, const rc_quota *quota, rc_str target);
/* Returns the time at which the status line must be redrawn; RC_WATCH_NEVER: the line is not
 * redrawn. */
uint64_t rc_caller_next_draw(const rc_caller *c);
/* Queues the line "recourse call: TEXT" for standard error. */
void rc_caller_push_message(rc_caller *c, rc_str text);

/* call.c: sets c->report to a new report. message, advice: borrows during the call; an empty text
 * selects the default of the code. */
void rc_caller_fail(rc_caller *c, rc_code code, rc_str message, rc_str advice);

/* result.c: prints the result in the chosen format; returns the exit status. */
int rc_caller_show_result(rc_caller *c);

#endif
