// Creates elements. Text is always set as text: no file of the dashboard parses HTML.

const SVG = "http://www.w3.org/2000/svg";

// Control characters, invisible characters and marks that change the direction of text are shown as escapes.
const ODD = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b-\\u200f" +
    "\\u202a-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]", "g");
const TEXT_MAX = 4000;

export function visible(text, max = TEXT_MAX) {
    const whole = String(text);
    const cut = whole.length > max ? `${whole.slice(0, max)}…` : whole;
    return cut.replace(ODD, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function add(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false)
            continue;
        element.append(child instanceof Node ? child : visible(child));
    }
    return element;
}

function set(element, props) {
    for (const [name, value] of Object.entries(props)) {
        if (value === null || value === undefined || value === false)
            continue;
        if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
        else if (name === "data")
            Object.assign(element.dataset, value);
        else
            element.setAttribute(name, value === true ? "" : visible(value));
    }
    return element;
}

// el('a', {href: '#/'}, 'text', [more], null)
export function el(tag, props = {}, ...children) {
    return add(set(document.createElement(tag), props), children);
}

export function svg(tag, props = {}, ...children) {
    return add(set(document.createElementNS(SVG, tag), props), children);
}

// Text from outside, isolated: its writing direction does not affect the text around it.
export function said(text, props = {}) {
    return el("bdi", props, text);
}

// Text from outside in a narrow column: the style sheet shortens the text, and the tooltip has the
// whole text.
export function cut(text, props = {}) {
    return said(text, { title: text, ...props });
}

export function fill(element, ...children) {
    element.replaceChildren();
    return add(element, children);
}

const filled = new WeakMap();

// Fills the element again only if its mark, a text that identifies the content, has changed.
export function refill(element, mark, make) {
    if (filled.get(element) === mark)
        return;
    filled.set(element, mark);
    fill(element, make());
}

// Announces a text to screen readers.
export function announce(text) {
    document.getElementById("announced").textContent = visible(text, 300);
}
