import { html, nothing } from 'lit';
import { Part } from '../part.js';

/** Whether the schema is that of a list of texts, which a person writes one a line. */
function isLines(schema) {
  return schema.type === 'array' && schema.items?.type === 'string';
}

/** What a text in a form means for a schema; throws a sentence when it means nothing. */
function parse(name, schema, raw) {
  const text = raw.trim();
  if (schema.type === 'string') {
    return raw;
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const number = Number(text);
    const whole = schema.type === 'integer';
    if (text === '' || !Number.isFinite(number) || (whole && !Number.isInteger(number))) {
      throw new Error(`Expected ${name} to be a ${whole ? 'whole ' : ''}number, but found '${text}'.`);
    }
    return number;
  }
  if (isLines(schema) && !text.startsWith('[')) {
    return text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`Expected ${name} to be JSON, but it can't be read as such.`);
  }
}

/**
 * Data as a form, from its JSON Schema. Data that declares no fields is JSON as a whole, or
 * nothing.
 */
class EventForm extends Part {
  static properties = {
    about: {},
    schema: { attribute: false },
    action: {},
    problem: { state: true },
  };

  constructor() {
    super();
    this.problem = '';
    this.action = 'Send';
  }

  render() {
    const properties = Object.entries(this.schema?.properties ?? {});
    return html`<form class="form" @submit=${this.#submit} novalidate>
      ${this.about ? html`<p class="soft">${this.about}</p>` : nothing}
      ${properties.map(([name, schema]) => this.#field(name, schema))}
      ${properties.length === 0
        ? html`<label class="field"><span>Data <span class="soft">JSON, may be empty</span></span>
            <textarea name="$whole" class="mono" rows="3" spellcheck="false"></textarea></label>`
        : nothing}
      ${this.problem ? html`<p class="bad" role="alert">${this.problem}</p>` : nothing}
      <div class="actions">
        <button class="primary">${this.action}</button>
        <button type="button" @click=${() => this.dispatchEvent(new Event('cancelled'))}>Cancel</button>
      </div>
    </form>`;
  }

  #field(name, schema) {
    const optional = !(this.schema.required ?? []).includes(name);
    const kind = isLines(schema) ? 'one a line' : schema.type === 'string' ? '' : (schema.type ?? 'JSON');
    const said = [kind, optional ? 'may be empty' : ''].filter((word) => word).join(', ');
    const label = html`<span>${name} <span class="soft">${said}</span></span>`;
    if (schema.enum) {
      return html`<label class="field">${label}<select name=${name}>
        ${optional ? html`<option value=""></option>` : nothing}
        ${schema.enum.map((value) => html`<option>${value}</option>`)}</select></label>`;
    }
    if (schema.type === 'boolean') {
      return html`<label class="field check"><input type="checkbox" name=${name}>${label}</label>`;
    }
    if (['string', 'integer', 'number'].includes(schema.type)) {
      return html`<label class="field">${label}<input name=${name} autocomplete="off"
        inputmode=${schema.type === 'string' ? 'text' : 'decimal'}></label>`;
    }
    return html`<label class="field">${label}<textarea name=${name} rows="3" class="mono"
      spellcheck="false"></textarea></label>`;
  }

  #submit(event) {
    event.preventDefault();
    try {
      const data = this.#read(event.target);
      this.problem = '';
      this.dispatchEvent(new CustomEvent('filled', { detail: data }));
    } catch (problem) {
      this.problem = problem.message;
    }
  }

  #read(form) {
    const properties = Object.entries(this.schema?.properties ?? {});
    if (properties.length === 0) {
      const text = form.elements.$whole.value.trim();
      return text === '' ? null : parse('the data', {}, text);
    }
    const data = {};
    for (const [name, schema] of properties) {
      const input = form.elements[name];
      const optional = !(this.schema.required ?? []).includes(name);
      if (schema.type === 'boolean') {
        data[name] = input.checked;
      } else if (input.value !== '' || !optional) {
        data[name] = parse(name, schema, input.value);
      }
    }
    return data;
  }
}

customElements.define('sb-event-form', EventForm);
