/** How moments, spans, numbers and values read, everywhere on the page the same. */

/** Milliseconds since 1970 of a moment that the API gave, as a number or as text. */
export function millis(moment) {
  return typeof moment === 'number' ? moment : Date.parse(moment);
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dated = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The time today, or date and time. */
export function moment(value) {
  if (value === null || value === undefined) {
    return '';
  }
  const at = new Date(millis(value));
  return at.toDateString() === new Date().toDateString() ? clock.format(at) : dated.format(at);
}

export function isoMoment(value) {
  return new Date(millis(value)).toISOString();
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** A span of time in its two largest units: 3d 4h, 12m 5s, 0.4s. */
export function span(ms) {
  const size = Math.abs(ms);
  if (size < 10_000) {
    return `${(size / 1_000).toFixed(1)}s`;
  }
  const first = UNITS.findIndex(([, unit]) => size >= unit);
  const [name, unit] = UNITS[first];
  const whole = Math.floor(size / unit);
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((size % unit) / next[1]) : 0;
  return rest ? `${whole}${name} ${rest}${next[0]}` : `${whole}${name}`;
}

/** Whether a moment is so far ahead that a machine means by it that something never falls due. */
export function isNever(moment, now = Date.now()) {
  return moment - now > 10 * 365 * 86_400_000;
}

/** How long ago, or how far ahead. */
export function ago(value, now = Date.now()) {
  const ms = now - millis(value);
  return ms < 0 ? `in ${span(ms)}` : ms < 1_000 ? 'now' : `${span(ms)} ago`;
}

const grouped = new Intl.NumberFormat();
export function count(value) {
  return grouped.format(value ?? 0);
}

/** A number in little room: 980, 1.2k, 34k, 2.1M. */
export function brief(value) {
  if (value < 1_000) {
    return String(value);
  }
  const [scaled, unit] = value < 1_000_000 ? [value / 1_000, 'k'] : [value / 1_000_000, 'M'];
  return (scaled < 10 ? scaled.toFixed(1) : String(Math.round(scaled))) + unit;
}

/** A JSON value on one line, cut where it is long. */
export function inline(value, most = 90) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === undefined ? '' : text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

export function pretty(value) {
  return JSON.stringify(value, null, 2);
}

/** A piece of text as a sentence of its own. */
export function sentence(text) {
  return text.charAt(0).toUpperCase() + closed(text.slice(1));
}

/** A piece of text that ends a sentence. */
export function closed(text) {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
