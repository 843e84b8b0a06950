/** After the second frame, or after a second: a hidden window paints no frame. */
export function whenPainted(work) {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    work();
  };
  const timer = setTimeout(once, 1000);
  requestAnimationFrame(() => requestAnimationFrame(once));
}
