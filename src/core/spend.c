#include "core/spend.h"

#include "base/str.h"
#include "codec/datetime.h"

#define DAY_MS INT64_C(86400000)

static void take_lock(const rc_spend *spend)
{
    if (spend->lock)
        spend->lock(spend->lock_ctx);
}

static void give_lock(const rc_spend *spend)
{
    if (spend->unlock)
        spend->unlock(spend->lock_ctx);
}

static rc_spend_row *row_of(const rc_spend *spend, uint32_t row)
{
    bool is_there = row < spend->row_count && spend->rows[row].is_in_force;
    return is_there ? &spend->rows[row] : NULL;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    if (a > RC_SPEND_MAX)
        a = RC_SPEND_MAX;
    return b > RC_SPEND_MAX - a ? RC_SPEND_MAX : a + b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* --- windows --- */

static int64_t within(int64_t unix_ms)
{
    if (unix_ms < 0)
        return 0;
    return unix_ms < RC_DATETIME_MAX_MS ? unix_ms : RC_DATETIME_MAX_MS;
}

int64_t rc_spend_day(int64_t unix_ms)
{
    return within(unix_ms) / DAY_MS;
}

static int32_t month_of(int64_t unix_ms)
{
    rc_civil civil = rc_civil_from_unix_ms(within(unix_ms));
    return (civil.year - 1970) * 12 + civil.month - 1;
}

static int32_t window_of(rc_spend_per per, int64_t unix_ms)
{
    switch (per) {
    case RC_SPEND_DAY:
        return (int32_t)rc_spend_day(unix_ms);
    case RC_SPEND_MONTH:
        return month_of(unix_ms);
    case RC_SPEND_TOTAL:
        break;
    }
    return 0;
}

/* The first millisecond of a window. */
static int64_t start_of(rc_spend_per per, int32_t window)
{
    if (per == RC_SPEND_DAY)
        return window * DAY_MS;
    rc_civil civil = {.year = 1970 + window / 12, .month = 1 + window % 12, .day = 1};
    int64_t unix_ms;
    return rc_civil_to_unix_ms(&civil, &unix_ms) == RC_OK ? unix_ms : RC_DATETIME_MAX_MS;
}

int64_t rc_spend_renews(rc_spend_per per, int64_t now_unix_ms)
{
    return per == RC_SPEND_TOTAL ? 0 : start_of(per, window_of(per, now_unix_ms) + 1);
}

/* Into the window of the time. Set back by one, the clock is not believed: it may be a second
 * before midnight again. */
static void renew(rc_spend_row *row, int64_t now_unix_ms)
{
    int32_t window = window_of(row->rule.per, now_unix_ms);
    if (window > row->window) {
        row->spent = 0;
        row->unpriced = 0;
        row->raised = 0;
        row->told = 0;
        row->is_refusing = false;
    } else if (row->window - window <= 1) {
        return;
    }
    row->window = window;
}

static uint64_t limit_of(const rc_spend_row *row)
{
    return row->rule.limit > 0 ? sum(row->rule.limit, row->raised) : 0;
}

/* --- news --- */

static void tell(rc_spend_row *row, uint32_t number, rc_spend_news_kind kind, rc_spend_told *told)
{
    if (row->told & (unsigned)kind)
        return;
    row->told |= (uint8_t)kind;
    if (told && told->count < RC_SPEND_NEWS_MAX)
        told->list[told->count++] = (rc_spend_news){
            .row = number, .kind = kind, .spent = row->spent, .limit = limit_of(row)};
}

static bool has_spent(const rc_spend_row *row, unsigned percent)
{
    uint64_t limit = limit_of(row);
    /* Rounded up, so that a limit of a millionth is not nearly used up by nothing. */
    uint64_t part = limit / 100 * percent + (limit % 100 * percent + 99) / 100;
    return limit > 0 && row->spent >= part;
}

static void tell_spent(rc_spend_row *row, uint32_t number, rc_spend_told *told)
{
    if (has_spent(row, 80))
        tell(row, number, RC_SPEND_NEARLY, told);
    if (has_spent(row, 100))
        tell(row, number, RC_SPEND_USED_UP, told);
}

/* After the limit has changed: what no longer holds may be told again. */
static void forget_news(rc_spend_row *row)
{
    if (!has_spent(row, 80))
        row->told &= (uint8_t)~RC_SPEND_NEARLY;
    if (!has_spent(row, 100))
        row->told &= (uint8_t) ~(RC_SPEND_USED_UP | RC_SPEND_PAUSED);
}

void rc_spend_event(const rc_spend_news *news, rc_str scope, rc_event *ret_event)
{
    if (news->kind == RC_SPEND_PAUSED) {
        ret_event->type = RC_EVENT_TYPE_BUDGET_PAUSED;
        ret_event->as.budget_paused = (rc_event_budget_paused){
            .scope = scope, .spent_micro_usd = news->spent, .limit_micro_usd = news->limit};
        return;
    }
    ret_event->type = RC_EVENT_TYPE_BUDGET_WARNING;
    ret_event->as.budget_warning = (rc_event_budget_warning){
        .scope = scope, .spent_micro_usd = news->spent, .limit_micro_usd = news->limit};
}

/* --- rows --- */

void rc_spend_init(rc_spend *spend, rc_spend_row *rows, uint32_t row_count)
{
    *spend = (rc_spend){.rows = rows, .row_count = row_count};
    for (uint32_t i = 0; i < row_count; i++)
        rows[i] = (rc_spend_row){.is_in_force = false};
}

void rc_spend_grow(rc_spend *spend, rc_spend_row *rows, uint32_t row_count)
{
    take_lock(spend);
    for (uint32_t i = 0; i < row_count; i++)
        rows[i] = i < spend->row_count ? spend->rows[i] : (rc_spend_row){.is_in_force = false};
    spend->rows = rows;
    spend->row_count = row_count;
    give_lock(spend);
}

void rc_spend_set_lock(rc_spend *spend, void *ctx, void (*lock)(void *), void (*unlock)(void *))
{
    spend->lock_ctx = ctx;
    spend->lock = lock;
    spend->unlock = unlock;
}

/* Somebody waits, and there is something to be had. */
static bool take_awaited(rc_spend_row *row)
{
    uint64_t limit = limit_of(row);
    bool has_room = limit == 0 || sum(row->spent, row->held) < limit || !row->is_in_force;
    bool is_awaited = row->is_awaited && has_room;
    if (is_awaited)
        row->is_awaited = false;
    return is_awaited;
}

static void put_rule(rc_spend_row *row, const rc_spend_rule *rule, int64_t now_unix_ms)
{
    bool is_counted_alike = row->is_in_force && row->rule.per == rule->per;
    row->rule = *rule;
    row->is_in_force = true;
    if (is_counted_alike) {
        renew(row, now_unix_ms);
    } else {
        row->window = window_of(rule->per, now_unix_ms);
        row->spent = 0;
        row->unpriced = 0;
        row->raised = 0;
        row->told = 0;
    }
    forget_news(row);
}

bool rc_spend_define(rc_spend *spend, uint32_t row, const rc_spend_rule *rule, int64_t now_unix_ms)
{
    bool is_awaited = false;
    take_lock(spend);
    if (row < spend->row_count) {
        rc_spend_row *r = &spend->rows[row];
        if (rule)
            put_rule(r, rule, now_unix_ms);
        else
            r->is_in_force = false;
        is_awaited = take_awaited(r);
    }
    give_lock(spend);
    return is_awaited;
}

/* NULL: there is no such row, or the day is not in its window. */
static rc_spend_row *row_of_day(const rc_spend *spend, uint32_t row, int64_t day,
                                int64_t now_unix_ms)
{
    rc_spend_row *r = row_of(spend, row);
    if (!r || day < 0 || day > rc_spend_day(RC_DATETIME_MAX_MS))
        return NULL;
    renew(r, now_unix_ms);
    return window_of(r->rule.per, day * DAY_MS) == r->window ? r : NULL;
}

void rc_spend_recall(rc_spend *spend, uint32_t row, int64_t day, uint64_t amount,
                     int64_t now_unix_ms)
{
    take_lock(spend);
    rc_spend_row *r = row_of_day(spend, row, day, now_unix_ms);
    if (r)
        r->spent = sum(r->spent, amount);
    give_lock(spend);
}

void rc_spend_recall_unpriced(rc_spend *spend, uint32_t row, int64_t day, uint64_t tries,
                              int64_t now_unix_ms)
{
    take_lock(spend);
    rc_spend_row *r = row_of_day(spend, row, day, now_unix_ms);
    if (r)
        r->unpriced = sum(r->unpriced, tries);
    give_lock(spend);
}

bool rc_spend_raise(rc_spend *spend, uint32_t row, uint64_t more, int64_t now_unix_ms)
{
    bool is_awaited = false;
    take_lock(spend);
    rc_spend_row *r = row_of(spend, row);
    if (r) {
        renew(r, now_unix_ms);
        r->raised = sum(r->raised, more);
        r->is_refusing = false;
        forget_news(r);
        is_awaited = take_awaited(r);
    }
    give_lock(spend);
    return is_awaited;
}

bool rc_spend_look(const rc_spend *spend, uint32_t row, int64_t now_unix_ms,
                   rc_spend_state *ret_state)
{
    take_lock(spend);
    rc_spend_row *r = row_of(spend, row);
    if (r) {
        renew(r, now_unix_ms);
        *ret_state = (rc_spend_state){
            .rule = r->rule,
            .limit = limit_of(r),
            .spent = r->spent,
            .held = r->held,
            .raised = r->raised,
            .unpriced = r->unpriced,
            .renews_unix_ms =
                r->rule.per == RC_SPEND_TOTAL ? 0 : start_of(r->rule.per, r->window + 1),
            .is_awaited = r->is_awaited,
            .is_refusing = r->is_refusing,
        };
    }
    give_lock(spend);
    return r != NULL;
}

/* --- tries --- */

/* Why the row has no room for the amount; RC_WHY_NONE: it has, or only counts. */
static rc_reason why_not(const rc_spend_row *row, uint64_t amount)
{
    uint64_t limit = limit_of(row);
    if (limit == 0 || sum(sum(row->spent, row->held), amount) <= limit)
        return RC_WHY_NONE;
    if (amount > limit)
        return RC_WHY_BUDGET_TOO_SMALL;
    return sum(row->spent, amount) > limit ? RC_WHY_BUDGET_SPENT : RC_WHY_BUDGET_HELD;
}

/* What does not fit into a whole window is not waited for. */
static rc_spend_verdict verdict_of(const rc_spend_row *row, rc_reason why)
{
    if (why == RC_WHY_NONE || row->rule.on_exceed == RC_SPEND_WARN)
        return RC_SPEND_GRANTED;
    if (row->rule.on_exceed == RC_SPEND_PAUSE && why != RC_WHY_BUDGET_TOO_SMALL)
        return RC_SPEND_WAIT;
    return RC_SPEND_REFUSED;
}

/* The strictest verdict counts; of several waits the first is told, until the last is over. */
static void weigh(rc_spend_answer *answer, const rc_spend_row *row, uint32_t number,
                  rc_spend_verdict verdict, rc_reason why)
{
    int64_t renews = row->rule.per == RC_SPEND_TOTAL ? 0 : start_of(row->rule.per, row->window + 1);
    if (verdict > answer->verdict) {
        answer->verdict = verdict;
        answer->reason = why;
        answer->row = number;
        answer->spent = row->spent;
        answer->held = row->held;
        answer->limit = limit_of(row);
        answer->renews_unix_ms = renews;
    } else if (verdict == answer->verdict && answer->renews_unix_ms > 0) {
        bool is_later = renews == 0 || renews > answer->renews_unix_ms;
        answer->renews_unix_ms = is_later ? renews : answer->renews_unix_ms;
    }
}

/* The first time that somebody is paused, refused, or let through beyond the limit. */
static void note_refusal(rc_spend_row *row, uint32_t number, rc_spend_verdict verdict,
                         rc_reason why, rc_spend_told *told)
{
    if (verdict == RC_SPEND_WAIT) {
        row->is_awaited = true;
        tell(row, number, RC_SPEND_PAUSED, told);
    } else if (verdict == RC_SPEND_REFUSED && why != RC_WHY_BUDGET_TOO_SMALL) {
        tell(row, number, RC_SPEND_USED_UP, told);
    }
}

static void hold_row(rc_spend_row *row, uint32_t number, uint64_t amount, rc_spend_hold *hold)
{
    row->held = sum(row->held, amount);
    hold->rows[hold->count] = number;
    hold->windows[hold->count++] = row->window;
}

static rc_spend_answer ask(rc_spend *spend, const uint32_t *rows, uint32_t count, uint64_t amount,
                           int64_t now_unix_ms, rc_spend_told *told)
{
    rc_spend_answer answer = {.verdict = RC_SPEND_GRANTED, .row = RC_SPEND_NO_ROW, .asked = amount};
    for (uint32_t i = 0; i < count; i++) {
        rc_spend_row *row = row_of(spend, rows[i]);
        if (!row)
            continue;
        renew(row, now_unix_ms);
        rc_reason why = why_not(row, amount);
        rc_spend_verdict verdict = verdict_of(row, why);
        row->is_refusing = verdict == RC_SPEND_REFUSED;
        if (verdict == RC_SPEND_GRANTED)
            continue;
        weigh(&answer, row, rows[i], verdict, why);
        note_refusal(row, rows[i], verdict, why, told);
    }
    return answer;
}

rc_spend_answer rc_spend_reserve(rc_spend *spend, const uint32_t *rows, uint32_t count,
                                 uint64_t amount, int64_t now_unix_ms, rc_spend_hold *ret_hold,
                                 rc_spend_told *ret_told)
{
    if (count > RC_SPEND_ROWS_MAX)
        count = RC_SPEND_ROWS_MAX;
    if (amount > RC_SPEND_MAX)
        amount = RC_SPEND_MAX;
    if (ret_told)
        ret_told->count = 0;
    *ret_hold = (rc_spend_hold){.amount = amount};
    take_lock(spend);
    rc_spend_answer answer = ask(spend, rows, count, amount, now_unix_ms, ret_told);
    for (uint32_t i = 0; i < count && answer.verdict == RC_SPEND_GRANTED; i++) {
        rc_spend_row *row = row_of(spend, rows[i]);
        if (row)
            hold_row(row, rows[i], amount, ret_hold);
    }
    give_lock(spend);
    return answer;
}

void rc_spend_note_unpriced(rc_spend *spend, const rc_spend_hold *hold)
{
    take_lock(spend);
    for (uint32_t i = 0; i < hold->count && i < RC_SPEND_ROWS_MAX; i++) {
        rc_spend_row *row = row_of(spend, hold->rows[i]);
        if (row && row->window == hold->windows[i])
            row->unpriced = sum(row->unpriced, 1);
    }
    give_lock(spend);
}

static bool settle(rc_spend *spend, rc_spend_hold *hold, uint64_t cost, rc_spend_told *told)
{
    bool is_awaited = false;
    take_lock(spend);
    for (uint32_t i = 0; i < hold->count && i < RC_SPEND_ROWS_MAX; i++) {
        if (hold->rows[i] >= spend->row_count)
            continue;
        rc_spend_row *row = &spend->rows[hold->rows[i]];
        row->held = less(row->held, hold->amount);
        if (row->window == hold->windows[i])
            row->spent = sum(row->spent, cost);
        if (row->is_in_force)
            tell_spent(row, hold->rows[i], told);
        is_awaited = take_awaited(row) || is_awaited;
    }
    give_lock(spend);
    *hold = (rc_spend_hold){.count = 0};
    return is_awaited;
}

bool rc_spend_settle(rc_spend *spend, rc_spend_hold *hold, uint64_t cost, rc_spend_told *ret_told)
{
    if (ret_told)
        ret_told->count = 0;
    return settle(spend, hold, cost, ret_told);
}

bool rc_spend_release(rc_spend *spend, rc_spend_hold *hold)
{
    return settle(spend, hold, 0, NULL);
}

void rc_spend_push_scope(rc_buf *buf, rc_str scope)
{
    rc_buf_push(buf,
                rc_str_starts_with(scope, RC_STR("budget ")) ? RC_STR("") : RC_STR("budget of "));
    rc_buf_push(buf, scope);
}

void rc_spend_push_usd(rc_buf *buf, uint64_t amount)
{
    char digits[6];
    size_t len = sizeof digits;
    uint64_t part = amount % 1000000;
    for (size_t i = sizeof digits; i-- > 0; part /= 10)
        digits[i] = (char)('0' + part % 10);
    while (len > 2 && digits[len - 1] == '0')
        len--;
    rc_buf_push_byte(buf, '$');
    rc_buf_push_u64(buf, amount / 1000000);
    rc_buf_push_byte(buf, '.');
    rc_buf_push(buf, rc_str_make(digits, len));
}

bool rc_spend_validate(const rc_spend *spend)
{
    for (uint32_t i = 0; i < spend->row_count; i++) {
        const rc_spend_row *row = &spend->rows[i];
        if (row->spent > RC_SPEND_MAX || row->held > RC_SPEND_MAX || row->raised > RC_SPEND_MAX ||
            row->window < 0 || row->rule.per > RC_SPEND_TOTAL ||
            row->rule.on_exceed > RC_SPEND_FAIL)
            return false;
    }
    return true;
}
