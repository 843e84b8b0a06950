// An Escape key for another window must not stop this page while it loads. If it does, the page loads again.
addEventListener('keydown', (event) => document.body?.dataset.started || event.preventDefault());
setInterval(() => document.body?.dataset.started || location.replace('/'), 2000);
