/** Offers texts of earlier popups that were not sent. An inserted one is hidden while the box contains it. */
export function offerDrafts(box, guard, remove) {
  const list = document.getElementById('drafts');
  const items = [...(list?.querySelectorAll('li') ?? [])];
  const inserted = new Set();

  function update() {
    for (const item of inserted) item.hidden = box.text.includes(item.dataset.text);
    const offered = items.filter((item) => item.isConnected && !item.hidden);
    if (list === null) return;
    list.hidden = offered.length === 0;
    list.querySelector('.count').textContent = offered.length;
  }

  for (const item of items) {
    item.querySelector('.insert').addEventListener('click', (event) => {
      if (guard.blocksClick(event)) return;
      inserted.add(item);
      box.append(item.dataset.text);
    });
    item.querySelector('.delete').addEventListener('click', (event) => {
      if (guard.blocksClick(event)) return;
      item.remove();
      remove(item.dataset.id);
      update();
      box.element.focus();
    });
  }
  // A single text is worth its space unless the window is small.
  if (items.length === 1 && innerHeight >= 480 && innerWidth >= 420) list.open = true;
  box.onChange(update);

  return {
    /** Ids of the drafts that the box contains. */
    sent: () =>
      [...inserted].filter((item) => box.text.includes(item.dataset.text)).map((item) => item.dataset.id),
  };
}
