// Shows the embedded trajectories, and shares the cursor of the plots over time with them, both ways. Stands in one script
// behind the replay's own modules; `showTime` and `timeListeners` are those of cursor.js.

const embeddedRuns = [...document.querySelectorAll('script[id^="trajectory-"]')].map((script) => ({
  label: script.dataset.label,
  load: async () => Uint8Array.from(atob(script.textContent), (character) => character.charCodeAt(0)),
}));

const mountedReplay = mountReplay(document.getElementById('replay'), embeddedRuns);

mountedReplay.ready.then(async () => {
  const last = mountedReplay.frameCount - 1;
  if (last < 1) return;
  // Frames are evenly spread over the run, so that its ends tell which one belongs to a time.
  await mountedReplay.seek(last);
  const end = mountedReplay.state().time;
  await mountedReplay.seek(0);
  const start = mountedReplay.state().time;
  timeListeners.push((time) => {
    if (!mountedReplay.state().playing) mountedReplay.seek((last * (time - start)) / (end - start));
  });

  let shown = start;
  setInterval(() => {
    const { time } = mountedReplay.state();
    if (time === shown) return;
    shown = time;
    // Where the pointer is, the plot under it shows the time already.
    if (!document.querySelector('figure.plot .canvas:hover')) showTime(time);
  }, 60);
});
