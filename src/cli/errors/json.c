/* `recourse errors` as JSON. Called by command.c. */
#include "cli/errors/errors.h"
#include "json/writer.h"

static void push_code_row(rc_json_writer *w, const rc_code_info *row)
{
    rc_json_object_begin(w);
    rc_json_member_i64(w, RC_STR("number"), (int64_t)row->code);
    rc_json_member_string(w, RC_STR("error_code"), rc_str_c(row->name));
    rc_json_member_string(w, RC_STR("error_class"), rc_str_c(rc_class_name(row->error_class)));
    if (row->category != RC_CATEGORY_NONE)
        rc_json_member_string(w, RC_STR("error_category"),
                              rc_str_c(rc_category_name(row->category)));
    rc_json_member_string(w, RC_STR("error_domain"), rc_str_c(rc_domain_name(row->domain)));
    rc_json_member_bool(w, RC_STR("retryable"), row->is_retryable);
    rc_json_member_i64(w, RC_STR("http_status"), row->http_status);
    rc_json_member_i64(w, RC_STR("exit_status"), row->exit_status);
    rc_json_member_string(w, RC_STR("run_event"), rc_str_c(rc_run_event_name(row->run_event)));
    rc_json_key(w, RC_STR("user_action"));
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("kind"), rc_str_c(rc_user_action_name(row->action)));
    rc_json_member_string(w, RC_STR("detail"), rc_str_c(row->action_detail));
    rc_json_object_end(w);
    rc_json_member_string(w, RC_STR("message"), rc_str_c(row->message));
    rc_json_object_end(w);
}

/* Writes each row on a separate line. Each row has its own JSON writer, because one writer would
 * put the whole array on one line or indent all of it. only: the class to write; NULL: all
 * classes. */
static void push_rows(rc_buf *buf, const rc_class_info *only)
{
    bool has_rows = false;
    rc_buf_push_byte(buf, '[');
    for (size_t i = 0; i < rc_code_count(); i++) {
        if (only != NULL && rc_code_at(i)->error_class != only->error_class)
            continue;
        rc_json_writer w;
        rc_buf_push(buf, has_rows ? RC_STR(",\n") : RC_STR("\n"));
        rc_json_writer_init(&w, buf, 0);
        push_code_row(&w, rc_code_at(i));
        has_rows = true;
    }
    rc_buf_push(buf, RC_STR("\n]"));
}

static void push_class_object(rc_buf *buf, const rc_class_info *info)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_i64(&w, RC_STR("number"), (int64_t)info->error_class);
    rc_json_member_string(&w, RC_STR("error_class"), rc_str_c(info->name));
    rc_json_member_string(&w, RC_STR("error_type"), rc_str_c(info->error_type));
    rc_json_member_string(&w, RC_STR("recoverable"), rc_str_c(info->recoverable));
    rc_json_member_string(&w, RC_STR("handler"), rc_str_c(info->handler));
    rc_json_key(&w, RC_STR("codes"));
    push_rows(buf, info);
    rc_buf_push_byte(buf, '}');
}

void rc_errors_json(rc_buf *buf, const rc_errors_choice *choice)
{
    if (choice->code != NULL) {
        rc_json_writer w;
        rc_json_writer_init(&w, buf, 0);
        push_code_row(&w, choice->code);
    } else if (choice->error_class != NULL) {
        push_class_object(buf, choice->error_class);
    } else {
        push_rows(buf, NULL);
    }
    rc_buf_push_byte(buf, '\n');
}
