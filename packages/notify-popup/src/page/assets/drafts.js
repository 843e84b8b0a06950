/** Offers texts of earlier popups that were not sent. An inserted one is hidden while a box contains it. */
export function offerDrafts(fields, guard, onPress, remove) {
  const list = document.getElementById('drafts');
  const items = [...(list?.querySelectorAll('li') ?? [])];
  const inserted = new Set();

  function update() {
    for (const item of inserted) item.hidden = fields.includes(item.dataset.text);
    const offered = items.filter((item) => item.isConnected && !item.hidden);
    if (list === null) return;
    list.hidden = offered.length === 0;
    list.querySelector('.count').textContent = offered.length > 1 ? offered.length : '';
  }

  for (const item of items) {
    item.querySelector('.insert').addEventListener('click', (event) => {
      if (guard.blocksClick(event)) return;
      inserted.add(item);
      fields.box.append(item.dataset.text);
    });
    item.querySelector('.delete').addEventListener(
      'click',
      onPress(() => {
        item.remove();
        remove(item.dataset.id);
        update();
        fields.box.element.focus();
      }),
    );
  }
  fields.onChange(update);

  return {
    /** Ids of the drafts that the boxes contain. */
    sent: () =>
      [...inserted].filter((item) => fields.includes(item.dataset.text)).map((item) => item.dataset.id),
  };
}
