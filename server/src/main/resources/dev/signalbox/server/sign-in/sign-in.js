// Signs in with the code behind the # of a link, or with a token that is typed in. What the answer
// gives to this page alone is kept where other servers on this host, which are sent the cookie too,
// can't read it.
const message = document.getElementById('message');
const form = document.getElementById('form');

async function signIn(body) {
  const answer = await fetch('/api/v1/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.ok) {
    const opened = await answer.json();
    localStorage.setItem('signalbox.session', opened.csrf_token);
    if (location.pathname === '/sign-in') {
      const to = new URLSearchParams(location.search).get('to') ?? '';
      location.replace(to.startsWith('#/') ? `/${to}` : '/');
    } else {
      // Where a session ended, the page goes on as it was, with what stands behind its #.
      location.reload();
    }
    return;
  }
  const problem = await answer.json().catch(() => ({}));
  message.textContent = `${problem.detail ?? 'It did not work.'} ${problem.hint ?? ''}`;
  message.className = 'bad';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  signIn({ token: form.elements.namedItem('token').value.trim() });
});

const code = location.hash.slice(1);
if (code && location.pathname === '/sign-in') {
  history.replaceState(null, '', '/sign-in');
  message.textContent = 'Signing in …';
  signIn({ code });
}
