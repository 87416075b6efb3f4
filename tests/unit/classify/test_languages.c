/* Tests of rc_languages: concepts and waits of messages in other languages than English, whatever
 * the order, the case and the accents of their words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "classify/languages/languages.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool says(const char *text, const char *concept)
{
    const rc_language_reading reading = rc_language_read(rc_str_c(text));
    return rc_concept_set_has(&reading.says, rc_concept_parse(rc_str_c(concept)));
}

static void sentences_express_concepts(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"Ratenlimit überschritten", "rate"},
        {"Zu viele Anfragen", "rate"},
        {"Demasiadas solicitudes", "rate"},
        {"Trop de requêtes", "rate"},
        {"Troppe richieste", "rate"},
        {"Muitas solicitações", "rate"},
        {"Слишком много запросов", "rate"},
        {"リクエストが多すぎます", "rate"},
        {"요청이 너무 많습니다", "rate"},
        {"Der API-Schlüssel ist ungültig", "auth"},
        {"Ungültiger API-Schlüssel", "auth"},
        {"La clé API est invalide", "auth"},
        {"APIキーが無効です", "auth"},
        {"Недействительный ключ API", "auth"},
        {"Guthaben aufgebraucht", "balance"},
        {"残高が不足しています", "balance"},
        {"Недостаточно средств на балансе", "balance"},
        {"Modell nicht gefunden", "model_missing"},
        {"No se encontró el modelo", "model_missing"},
        {"모델을 찾을 수 없습니다", "model_missing"},
        {"Le contexte dépasse la limite", "context_overflow"},
        {"Il contenuto è stato bloccato", "filter"},
        {"サーバーは現在過負荷です", "overloaded"},
        {"Não foi possível conectar ao servidor", "connect_failed"},
        {"Connessione rifiutata", "connect_failed"},
        {"Die Verbindung wurde zurückgesetzt", "reset"},
        {"Délai d’attente dépassé", "timeout"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!says(rows[i][0], rows[i][1]))
            fail_msg("\"%s\" does not say %s", rows[i][0], rows[i][1]);
    }
}

static void case_and_accents_do_not_matter(void **state)
{
    (void)state;
    assert_true(says("CLÉ API INVALIDE", "auth"));
    assert_true(says("Cle api invalide", "auth"));
    assert_true(says("МОДЕЛЬ НЕ НАЙДЕНА", "model_missing"));
    assert_true(says("ＡＰＩキーが無効です", "auth"));
    assert_true(says("Cle\xCC\x81 API invalide", "auth")); /* e with a combining accent */
}

static void compounds_are_read_by_their_parts(void **state)
{
    (void)state;
    assert_true(says("Tageslimit erreicht", "plan"));
    assert_true(says("Verbindungsaufbau abgelehnt", "connect_failed"));
}

static void a_sentence_ends_before_the_next_statement(void **state)
{
    (void)state;
    assert_false(says("Der Schlüssel liegt hier. Die Datei ist ungültig.", "auth"));
}

static void advice_counts_only_alone(void **state)
{
    (void)state;
    assert_false(
        says("Modell nicht gefunden. Überprüfen Sie, ob der API-Schlüssel ungültig ist.", "auth"));
    assert_true(says("Überprüfen Sie, ob der API-Schlüssel ungültig ist.", "auth"));
}

static void english_has_no_language(void **state)
{
    (void)state;
    assert_false(rc_language_read(RC_STR("internal error: invalid request limit")).has_language);
    assert_true(rc_language_read(RC_STR("ungültige Anfrage")).has_language);
    assert_false(rc_language_has_letters(RC_STR("plain \xE2\x80\x9Cquotes\xE2\x80\x9D")));
    assert_true(rc_language_has_letters(RC_STR("cl\xC3\xA9")));
}

static void waits_are_read_with_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } rows[] = {
        {"Bitte in 5 Minuten erneut versuchen", 300000},
        {"Подождите 3 ч.", 10800000},
        {"Réessayez dans 1 heure 30 minutes", 5400000},
        {"1時間30分後に再試行してください", 5400000},
        {"20초 후에 다시 시도하세요", 20000},
        {"Espere 2,5 segundos", 2500},
        {"Die Datei hat 5 Minuten Länge", -1},
        {"Erneut versuchen in 99999999999999999999 Minuten", -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const rc_language_reading reading = rc_language_read(rc_str_c(rows[i].text));
        if (reading.wait_ms != rows[i].ms)
            fail_msg("\"%s\": %lld ms", rows[i].text, (long long)reading.wait_ms);
    }
}

static void hostile_texts_are_read_to_their_end(void **state)
{
    (void)state;
    static char text[3 * RC_LANGUAGE_TEXT_MAX];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 131 + i / 7);
    for (size_t len = 0; len < sizeof(text); len += 97)
        (void)rc_language_read(rc_str_make(text, len));
    memset(text, '\xDF', sizeof(text));
    (void)rc_language_read(rc_str_make(text, sizeof(text)));
    for (size_t i = 0; i + 1 < sizeof(text); i += 2) /* ß, which is folded to two letters */
        memcpy(text + i, "\xC3\x9F", 2);
    assert_false(rc_language_read(rc_str_make(text, sizeof(text))).has_language);
    assert_int_equal(rc_language_read(RC_STR("")).wait_ms, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_express_concepts),
        cmocka_unit_test(case_and_accents_do_not_matter),
        cmocka_unit_test(compounds_are_read_by_their_parts),
        cmocka_unit_test(a_sentence_ends_before_the_next_statement),
        cmocka_unit_test(advice_counts_only_alone),
        cmocka_unit_test(english_has_no_language),
        cmocka_unit_test(waits_are_read_with_their_units),
        cmocka_unit_test(hostile_texts_are_read_to_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
