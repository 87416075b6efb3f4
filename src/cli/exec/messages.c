/* Messages of `recourse exec` on standard error, between the output of the command. Called by
 * exec.c. */
#include "cli/exec/exec.h"

void rc_exec_err_prefix(rc_exec *x, const char *text)
{
    rc_cli_err_prefix(x->cli, "exec");
    rc_cli_text(&x->cli->err, text);
}

void rc_exec_push_err(rc_exec *x)
{
    rc_str text = rc_buf_get(&x->cli->err);
    if (text.len == 0)
        return;
    /* After Ctrl-C the terminal shows "^C", so the cursor is not at the start of a line. */
    if (x->end_signal == SIGINT && x->end.had_terminal && x->cli->err_terminal.is_tty)
        x->err_outlet.is_mid_line = true;
    rc_outlet_begin_line(&x->err_outlet);
    /* A message that does not fit the queue stays in err, which is written when the program
     * ends. */
    if (rc_outlet_push(&x->err_outlet, text))
        rc_buf_reset(&x->cli->err);
}
