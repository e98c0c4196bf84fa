import { html, nothing } from 'lit';
import { get, may, part } from '../api.js';
import { count } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { empty, problem, tag } from '../parts/words.js';
import { Doing } from '../parts/doing.js';

/** What may be used, what is, and what is kept for work under way; a person raises a limit. */
class Budgets extends Part {
  #list = new Loaded(this, (signal) => get('/budgets?most=200', signal), (entry) => entry.machine === 'budget');
  #doing = new Doing(this, () => this.#list.now());

  render() {
    const budgets = this.#list.value?.budgets;
    return html`${problem(this.#list.problem)} ${this.#doing.shown}
      ${budgets?.length === 0 ? html`<section class="card flush">${empty('No budget is open', 'A budget appears when a system limits what its agents may use.')}</section>` : nothing}
      ${(budgets ?? []).map((one) => this.#budget(one))}`;
  }

  #budget(budget) {
    const act = may('operator');
    return html`<section class="card flush" aria-label=${budget.subject}><h2><a class="id" href=${to(['instances', budget.id])}>${budget.subject || budget.id}</a></h2>
      <table class="stacking ${act ? 'with-actions' : ''}"><thead><tr><th>Account</th><th>Used of the limit</th><th>Kept for work under way</th><th>Left</th>${act ? html`<th><span class="unseen">Actions</span></th>` : nothing}</tr></thead>
      <tbody>${budget.lines.map((line) => html`<tr>
        <td data-label="Account">${line.account} <span class="soft">${line.unit}</span></td>
        <td data-label="Used"><meter min="0" max=${Math.max(1, line.limit)} low=${line.limit * 0.8} high=${line.limit * 0.95} optimum="0" value=${line.used}
          aria-label="${line.unit} used by ${line.account}"></meter> ${count(line.used)} of ${count(line.limit)}
          ${line.exhausted ? tag('exhausted', 'bad') : line.over ? tag(`${count(line.over)} over`, 'bad') : nothing}</td>
        <td data-label="Kept">${count(line.reserved)}</td>
        <td data-label="Left">${count(line.left)}</td>
        ${act ? html`<td class="row-actions"><button @click=${() => this.#raise(budget, line)} aria-label="Raise ${line.unit} of ${line.account}">Raise…</button></td>` : nothing}</tr>`)}</tbody></table></section>`;
  }

  #raise(budget, line) {
    this.#doing.ask('Raise', `Raise ${line.unit} of ${line.account}`, `It is ${count(line.limit)} now.`, `/budgets/${part(budget.id)}/replenish`, {
      danger: false,
      inputs: html`<label class="field"><span>By how much</span><input name="amount" type="number" min="1" step="1" required autofocus></label>`,
      body: (form) => ({ account: line.account, unit: line.unit, amount: Number(form.get('amount')) }),
    });
  }
}

customElements.define('sb-budgets', Budgets);
