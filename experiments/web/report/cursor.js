// One cursor for all plots over simulated time: where the pointer is in one of them, the others show it too.
"use strict";

/** Who else wants to know: the replay, if there is one. */
const timeListeners = [];

/** Shows a time, s, in all plots but the one it comes from; null takes it away. */
function showTime(time, from) {
  for (const plot of plots.filter((plot) => plot.data.over_time && plot !== from)) {
    if (time === null) plot.hide();
    else plot.mark(time);
  }
}

for (const plot of plots.filter((plot) => plot.data.over_time)) {
  plot.onhover = (time) => {
    showTime(time, plot);
    if (time !== null) timeListeners.forEach((listener) => listener(time));
  };
}
