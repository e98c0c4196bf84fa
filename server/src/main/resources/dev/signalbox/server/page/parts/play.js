import { html, nothing } from 'lit';
import { part, post } from '../api.js';
import { span } from '../format.js';
import { Part } from '../part.js';
import { edgeKey } from './diagram.js';
import { empty, fields, guards, problem, states, tag } from './words.js';
import './dialog.js';
import './event-form.js';

/**
 * A machine played in memory on a clock of its own. The page keeps what was done to it; every step
 * plays all of that from the start, so taking a step back is leaving the last one out.
 */
class Play extends Part {
  static properties = {
    machine: {},
    address: {},
    done: { state: true },
    stage: { state: true },
    asking: { state: true },
    problem: { state: true },
  };

  willUpdate(changed) {
    if (changed.has('machine')) {
      this.#play([]);
    }
  }

  async #play(stimuli) {
    this.asking = null;
    this.done = stimuli;
    try {
      this.stage = await post(`/machines/${part(this.machine)}/play`, { stimuli });
      this.problem = null;
    } catch (found) {
      this.problem = found;
    }
  }

  render() {
    const { stage } = this;
    if (!stage) {
      return this.problem ? problem(this.problem) : html`<p class="soft" role="status" aria-busy="true">Setting the stage…</p>`;
    }
    const taken = new Set();
    const visited = new Set();
    for (const step of stage.entries.filter((entry) => entry.instance === stage.instance)) {
      for (const microstep of step.microsteps ?? []) {
        microstep.entered?.forEach((state) => visited.add(state));
        microstep.edges?.forEach((edge) => taken.add(edgeKey(edge.from, edge.trigger, edge.to)));
      }
    }
    return html`<div class="play">
      <section class="card wide"><sb-diagram zoomable legible .label=${this.machine} .address=${this.address}
        .active=${stage.states} .visited=${visited} .taken=${taken}></sb-diagram></section>
      <div class="column">
        <section class="card"><h2>Play</h2>
          <p>${states(stage.leaves)} <span class="soft">at ${span(stage.now)}</span></p>
          ${problem(this.problem)}
          <div class="events" role="group" aria-label="Awaited events">${stage.awaited.map((one) => html`<button class="primary" @click=${() => this.#send(one)}>${one.event}</button>`)}</div>
          ${stage.final ? html`<p class="soft">It reached its end.</p>` : nothing}
          <div class="actions">
            ${stage.next_due === null ? nothing : html`<button @click=${() => this.#add({ after: `${stage.next_due - stage.now}ms` })}>Let ${span(stage.next_due - stage.now)} pass</button>`}
            <button ?disabled=${this.done.length === 0} @click=${() => this.#play(this.done.slice(0, -1))}>Take back</button>
            <button ?disabled=${this.done.length === 0} @click=${() => this.#play([])}>Start over</button></div></section>
        <section class="card"><h2>Context</h2>${fields(stage.context)}</section>
        <section class="card flush"><h2>Transcript</h2>${stage.entries.length ? this.#transcript(stage) : empty('Nothing happened yet')}</section>
      </div></div>${this.asking}`;
  }

  #transcript(stage) {
    return html`<ol class="history">${[...stage.entries].reverse().map((entry) => html`<li class=${entry.rejection ? 'refused' : ''}><details>
      <summary><span class="number">${entry.sequence}</span><span class="what"><strong>${entry.event}</strong>
        ${entry.rejection ? tag(entry.rejection.code, 'bad') : states(entry.after)}</span><span class="soft at">${span(Date.parse(entry.time))}</span></summary>
      <div class="detail">${entry.rejection ? html`<p>${entry.rejection.message}</p>` : nothing}${guards(entry.guards)}</div></details></li>`)}</ol>`;
  }

  #add(stimulus) {
    return this.#play([...this.done, stimulus]);
  }

  #send(one) {
    const close = () => { this.asking = null; };
    const actor = one.roles?.length ? { actor: { kind: 'user', name: 'player', roles: one.roles } } : {};
    if (Object.keys(one.schema?.properties ?? {}).length === 0) {
      this.#add({ event: one.event, ...actor });
      return;
    }
    const content = html`<sb-event-form .about=${one.description ?? ''} .schema=${one.schema} action="Play"
      @cancelled=${close} @filled=${(event) => this.#add({ event: one.event, data: event.detail, ...actor })}></sb-event-form>`;
    this.asking = html`<sb-dialog heading=${one.event} .content=${content} @closed=${close}></sb-dialog>`;
  }
}

customElements.define('sb-play', Play);
