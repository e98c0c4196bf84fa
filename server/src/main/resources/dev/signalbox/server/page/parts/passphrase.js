import { html } from 'lit';
import { me, sayPassphrase } from '../api.js';

/** The fields by which a person says who they are, for a form that decides. */
export function passphrase() {
  return html`<div class="passphrase">
    <label class="field"><span>Your name</span><input name="person" required autocomplete="username" .value=${me?.person ?? ''}></label>
    <label class="field"><span>Your passphrase <span class="soft">remembered for ten minutes</span></span><input name="passphrase" type="password" required autocomplete="current-password"></label>
  </div>`;
}

/** Says what the form's fields hold, if it has them. */
export async function proved(form) {
  const data = new FormData(form);
  if (data.has('passphrase')) {
    await sayPassphrase(data.get('person').trim(), data.get('passphrase'));
  }
}
