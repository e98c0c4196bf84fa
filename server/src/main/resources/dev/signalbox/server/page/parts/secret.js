import { html } from 'lit';

/** A secret that was made just now and that nothing shows again; `gone` takes it off the page. */
export function secretOnce(text, secret, gone) {
  const copy = async (event) => {
    const button = event.target;
    await navigator.clipboard.writeText(secret);
    button.textContent = 'Copied';
  };
  return html`<div class="notice good" role="status"><p>${text} This is its secret, now and never again:</p>
    <p><code class="secret" tabindex="0">${secret}</code></p>
    <div class="actions"><button @click=${copy}>Copy</button><button @click=${gone}>I have it</button></div></div>`;
}
