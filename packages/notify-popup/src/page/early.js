// Escape that was meant for another window must not stop the page from loading; where it does, it loads again.
addEventListener('keydown', (event) => document.body?.dataset.started || event.preventDefault());
setInterval(() => document.body?.dataset.started || location.replace('/'), 2000);
