/* `recourse call PROMPT`: what its parts share.
 *
 *   call_options.c, call_prompt.c   what is asked for
 *   call_target.c                   who is to answer, and in which dialect
 *   call_way.c ──► a gateway in this process, or the one that --via names
 *        │
 *   call_run.c: rc_gateway_call ──► text ──► standard output
 *        │           └──► events ──► call_show.c: the line that counts down, switches
 *        └─ signals, Esc
 *   call_judge.c, call_end.c        why it failed; what it took */
#ifndef RC_CLI_CALL_CALL_H
#define RC_CLI_CALL_CALL_H

#include "cli/options.h"
#include "client/gateway_call.h"
#include "gateway/gateway.h"
#include "sys/process/watch.h"
#include "sys/tty.h"
#include "ui/wait_line.h"

/* The options, by their place in the table. */
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
/* Signals, keys, the two places that are written to. */
#define RC_CALLER_POLLS 4
#define RC_CALLER_TEXT_MAX 1200

typedef enum rc_caller_format {
    RC_CALLER_HUMAN = 0, /* the answer as it comes; words on standard error */
    RC_CALLER_JSON = 1,  /* one object at the end, whatever came of it */
    RC_CALLER_MARKDOWN = 2
} rc_caller_format;

/* What the terminal shows before the first text. */
typedef struct rc_caller_live {
    bool can_draw;        /* standard error is a terminal whose lines can be drawn again */
    bool is_drawn;        /* there is a line of ours on it */
    bool has_terminal;    /* we are in its foreground */
    bool is_keyless;      /* it gives no more keys */
    bool is_thinking;     /* something has come that is no text */
    uint64_t retry_at_ms; /* the end of a wait; 0: none is known of */
    rc_wait_line line;    /* of that wait */
    char failure_text[RC_CALLER_TEXT_MAX]; /* the latest failure, in words */
    char switch_text[RC_CALLER_TEXT_MAX];  /* a switch that is not shown yet; "": none */
} rc_caller_live;

/* One run of the command. */
typedef struct rc_caller {
    rc_cli *cli;
    const rc_sys_calls *calls;

    rc_str model; /* empty: not said */
    char model_copy[RC_MODEL_NAME_MAX];
    rc_prompt prompt;
    rc_prompt_turn turn;
    rc_buf text;
    rc_prompt_image images[RC_CALLER_IMAGES_MAX];
    rc_buf image_bytes[RC_CALLER_IMAGES_MAX];
    size_t image_count;
    rc_dialect dialect; /* 0: not said */
    uint64_t deadline_ms;
    const char *policy;
    const char *config_path;
    const char *via;
    const char *token_file;
    bool is_insecure;
    rc_caller_format format;
    bool is_quiet;
    bool has_colour;
    unsigned width;

    rc_snapshot_input snapshot_input; /* until the gateway takes it */
    uv_loop_t loop;
    rc_gateway *gateway;   /* in this process; NULL: there is none, or nothing is left of it */
    rc_upstream *upstream; /* NULL: the same */
    bool is_upstream_open;
    rc_origin origin;
    rc_buf token;
    bool is_unrecorded;                    /* the store could not be had */
    uv_mutex_t suppressed_lock;            /* of what follows: the store's thread tells it */
    bool has_suppressed;                   /* a record was lost */
    rc_exchange_summary record;            /* numbers alone */
    char target[RC_GATEWAY_CALL_NAME_MAX]; /* whom it asked last; "" */
    bool has_record;                       /* our own gateway has said how it ended */
    const rc_report *own_report;           /* its report, in full; NULL */
    char
        quota_warning[RC_CALLER_TEXT_MAX]; /* a provider's limit that is nearly used up; "": none */

    rc_gateway_call gateway_call;
    bool is_started;
    bool is_over; /* the answer has ended */
    bool is_late; /* the deadline has passed, and the gateway says nothing */
    uint64_t started_ms;
    uint64_t ended_ms;
    uint64_t give_up_at_ms; /* when even a gateway that says nothing is given up; RC_WATCH_NEVER */

    uv_poll_t polls[RC_CALLER_POLLS];
    int poll_fds[RC_CALLER_POLLS];
    bool is_polled[RC_CALLER_POLLS]; /* it is a handle of the loop */
    uv_timer_t tick;
    rc_watch watch;
    rc_tty tty;
    rc_outlet out;
    rc_outlet err_outlet;
    rc_caller_live live;
    bool is_paused;
    bool is_escaped;         /* by the key */
    int signal;              /* that ended it; 0: none */
    rc_buf response_text;    /* of a format that gives it whole */
    const rc_report *report; /* why it failed; NULL: it did not */
    int exit_status;         /* of what is no report: RC_EXIT_ */
} rc_caller;

/* call.c. */
int rc_caller_run(rc_cli *cli, const rc_args *args);

/* call_options.c. RC_EXIT_OK, or the exit status with the reason in err. */
int rc_caller_read_options(rc_caller *c, const rc_args *args);

/* call_prompt.c. The same; or a report in c, and the exit status is its. */
int rc_caller_read_prompt(rc_caller *c, const rc_args *args);
int rc_caller_read_images(rc_caller *c, const rc_args *args);

/* call_target.c. The same: which route or provider, hence which dialect. */
int rc_caller_choose_target(rc_caller *c);

/* call_way.c. The loop is there. False: c has the report. */
bool rc_caller_open_gateway(rc_caller *c);
/* Closes what there is of it; the loop has to run. */
void rc_caller_close_gateway(rc_caller *c);
/* Is nothing left of it? */
bool rc_caller_is_gateway_closed(const rc_caller *c);

/* call_run.c. From the request to its end, however it ends. */
void rc_caller_send(rc_caller *c);
/* Writes what is queued, unless a signal says that nobody wants it. */
void rc_caller_flush(rc_caller *c);

/* call_show.c. Words on standard error, as it goes. */
void rc_caller_check_terminal(rc_caller *c);
void rc_caller_on_resize(rc_caller *c);
void rc_caller_draw(rc_caller *c);
void rc_caller_clear(rc_caller *c);
void rc_caller_on_event(rc_caller *c, const rc_event_view *event);
/* A provider's limit is nearly used up: said at the end. Both: copy. */
void rc_caller_set_near_limit(rc_caller *c, const rc_quota *quota, rc_str target);
/* When the line changes next by itself; RC_WATCH_NEVER. */
uint64_t rc_caller_next_draw(const rc_caller *c);
/* A line of our own: "recourse call: TEXT" where it is not for a person at a terminal. */
void rc_caller_push_message(rc_caller *c, rc_str text);

/* call_judge.c. A report of our own, in c. message, advice: empty for those of the code. */
void rc_caller_fail(rc_caller *c, rc_code code, rc_str message, rc_str advice);
/* The report of it all, in c; there is none if it worked. */
void rc_caller_judge(rc_caller *c);

/* call_end.c. */
/* Says how it ended, in the format that was asked for; gives the exit status. */
int rc_caller_show_result(rc_caller *c);

#endif
