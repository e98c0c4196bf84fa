// Chooses light or dark before the first paint: what the person chose here, else what the system says.
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => {
    try {
      return localStorage.getItem('signalbox.theme');
    } catch {
      return null;
    }
  };
  const show = () => {
    document.documentElement.dataset.theme = chosen() ?? (dark.matches ? 'dark' : 'light');
    dispatchEvent(new Event('theme'));
  };
  show();
  dark.addEventListener('change', show);
})();
