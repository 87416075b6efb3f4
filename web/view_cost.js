// What it cost, who spent it, and what was spent in vain.

import {el, fill, said} from '/app/dom.js';
import {count, few, share, usd} from '/app/format.js';
import {chart, total} from '/app/chart.js';
import {follow, seriesOf} from '/app/stats.js';
import {table} from '/app/table.js';
import {gate, hear} from '/app/gate.js';
import {countdown} from '/app/clocks.js';
import {raiseButton} from '/app/attention.js';

const TOKENS = [
    {key: 'in', name: 'in', value: (g) => g?.tokens_in || 0},
    {key: 'out', name: 'out', value: (g) => g?.tokens_out || 0},
];
const COST = [{key: 'cost', name: 'spent', value: (g) => g?.cost_usd || 0}];
const WASTED = [
    {key: 'ok', name: 'useful', value: (g) => (g?.count || 0) - (g?.wasted || 0)},
    {key: 'failed', name: 'wasted', value: (g) => g?.wasted || 0},
];

function bar(part, most, tone = 'info') {
    const inner = el('span', {class: `span ${tone}`});
    inner.style.left = '0';
    inner.style.width = `${most > 0 ? (100 * part) / most : 0}%`;
    inner.hidden = part === 0;
    return el('span', {class: 'track', 'aria-hidden': 'true'}, inner);
}

function sheet(title, note) {
    let most = 0;
    let sum = 0;
    const list = table(title, [
        {name: title, class: 'way', cell: (g) => (g.rest ? 'all others' : said(g.name || 'none'))},
        {name: 'Requests', class: 'num wide', cell: (g) => count(g.count)},
        {name: 'Tokens in', class: 'num wide', cell: (g) => count(g.tokens_in || 0)},
        {name: 'Tokens out', class: 'num wide', cell: (g) => count(g.tokens_out || 0)},
        {name: 'Wasted calls', class: 'num', cell: (g) => share(g.wasted || 0, g.attempts)},
        {name: 'Cost', class: 'num', cell: (g) => usd(g.cost_usd)},
        {name: 'Share', class: 'wide lane', cell: (g) => bar(weight(g), most)},
    ], [], {heads: true, empty: 'Nothing in this time.'});
    // Without prices, tokens say who uses most.
    const weight = (g) => (sum > 0 ? g.cost_usd || 0 : (g.tokens_in || 0) + (g.tokens_out || 0));
    const section = el('section', {class: 'panel flush', 'aria-label': title},
        el('h2', {}, title), list, note ? el('p', {class: 'note foot-note'}, note) : null);
    section.draw = (groups) => {
        sum = groups.reduce((all, g) => all + (g.cost_usd || 0), 0);
        const sorted = [...groups].sort((a, b) => weight(b) - weight(a) || b.count - a.count);
        most = sorted.length > 0 ? weight(sorted[0]) : 0;
        list.draw(sorted);
    };
    return section;
}

const PER = {day: 'a day', month: 'a month', total: 'in all'};

function budgetSheet() {
    const list = table('Budgets', [
        {name: 'Budget', class: 'way', cell: (b) => [said(b.scope), el('span', {class: 'note'},
            `${b.limit_usd ? `${usd(b.limit_usd)} ${PER[b.per]}, then ${b.on_exceed}` : `no limit, counted ${PER[b.per]}`}`)]},
        {name: 'Spent', class: 'num', cell: (b) => usd(b.spent_usd)},
        {name: 'Held', class: 'num wide', cell: (b) => usd(b.held_usd)},
        {name: 'Used', class: 'wide lane', cell: (b) => (b.limit_usd ? [bar(Math.min(b.spent_usd, b.limit_usd), b.limit_usd,
            b.spent_usd >= b.limit_usd ? 'bad' : b.spent_usd >= 0.8 * b.limit_usd ? 'warn' : 'good'),
        el('span', {class: 'note'}, share(b.spent_usd, b.limit_usd), b.raised_usd ? `, raised by ${usd(b.raised_usd)}` : '')] : '–')},
        {name: 'Renews', class: 'num wide', cell: (b) => (b.renews ? ['in ', countdown(b.renews)] : 'never')},
        {name: 'Change', class: 'fit actions', cell: (b) => (b.limit_usd ? raiseButton(b) : '')},
    ], [], {heads: true});
    const section = el('section', {class: 'panel flush', 'aria-labelledby': 'budgets-title', hidden: true},
        el('h2', {id: 'budgets-title'}, 'Budgets'), list);
    section.draw = () => {
        const budgets = gate.state?.budgets || [];
        section.hidden = budgets.length === 0;
        if (!list.contains(document.activeElement) && document.querySelector('dialog') === null)
            list.draw(budgets);
    };
    return section;
}

export function cost(main) {
    const tiles = el('dl', {class: 'tiles'}, el('div', {class: 'tile'}, el('dt', {}, 'Cost'), el('dd', {}, '…')));
    const hint = el('p', {class: 'note'});
    const problem = el('p', {class: 'bad-text', role: 'status'});
    const charts = [
        [chart({title: 'Cost', kind: 'bars', format: usd, sum: total,
            empty: 'Nothing was charged in this time.'}), 'operations', COST],
        [chart({title: 'Tokens', kind: 'bars', format: count, mark: few, whole: true, sum: total}), 'operations', TOKENS],
        [chart({title: 'Calls to providers', kind: 'bars', format: count, mark: few, whole: true, sum: total}), 'attempts', WASTED],
    ];
    const sheets = {model: sheet('Model'), client: sheet('Client'), target: sheet('Target',
        'By the target that answered last.')};

    function tile(name, value, note) {
        return el('div', {class: 'tile'}, el('dt', {}, name), el('dd', {}, value,
            el('span', {class: 'note'}, note)));
    }

    function onAnswer(answer) {
        const all = answer.operations.total;
        const tries = answer.attempts.total;
        fill(problem);
        fill(tiles, tile('Cost', usd(all.cost_usd), all.cost_usd ? `${usd(all.cost_usd / all.count)} a request` : 'no price is known'),
            tile('Tokens in', count(all.tokens_in || 0), ''),
            tile('Tokens out', count(all.tokens_out || 0), ''),
            tile('Wasted calls', count(tries.wasted || 0), `${share(tries.wasted || 0, tries.count)} of ${count(tries.count)}`));
        fill(hint, all.count && !all.cost_usd ? 'No cost is on record: for these models no price is known, ' +
            'or they are free. Shares are of tokens.' : null);
        charts.forEach(([figure, of, names]) => figure.draw(seriesOf(answer, of, names)));
        for (const [by, section] of Object.entries(sheets))
            section.draw(answer.operations[by]);
    }

    const budgets = budgetSheet();
    fill(main, el('h1', {}, 'Cost'), el('section', {'aria-label': 'Sums'}, tiles), hint, problem, budgets,
        el('div', {class: 'charts three'}, charts.map(([figure]) => figure)), Object.values(sheets));
    budgets.draw();
    const unhear = hear('state', budgets.draw);
    const end = follow(['time', 'model', 'client', 'target'], () => ({}), onAnswer, (fault) => {
        if (fault.status !== 0 && fault.status !== 401)
            fill(problem, fault.message, ' ', fault.advice);
    });
    return () => {
        unhear();
        end();
    };
}
