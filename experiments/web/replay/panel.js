// The controls around the views: elements, and what they do when they are used. Nothing here knows WebGL.

import { COLOURINGS, RAMP_CSS, formatNumber, legendOf } from './palette.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

// Makes an element: properties, attributes (names with a hyphen, `role` and `for`), and children.
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role' || name === 'for') made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A picture of one path. Read as HTML, it needs no address of a namespace.
function icon(path) {
  const template = document.createElement('template');
  template.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
  return template.content.firstChild;
}

const ICONS = {
  play: 'M8 5v14l11-7z',
  pause: 'M7 5h4v14H7zM13 5h4v14h-4z',
  back: 'M6 5h3v14H6zM19 5v14l-9-7z',
  forward: 'M15 5h3v14h-3zM5 5v14l9-7z',
};

function iconButton(name, label, action) {
  const button = element('button', { type: 'button', className: `replay-button replay-${name}`, title: label, 'aria-label': label }, icon(ICONS[name]));
  button.addEventListener('click', action);
  return button;
}

function textButton(label, title, action) {
  const button = element('button', { type: 'button', className: 'replay-button replay-text', title, textContent: label });
  button.addEventListener('click', action);
  return button;
}

function menu(label, className, choices, chosen, action) {
  const select = element('select', { className, 'aria-label': label });
  for (const [value, text] of choices) select.append(element('option', { value, textContent: text, selected: value === chosen }));
  select.addEventListener('change', () => action(select.value));
  return select;
}

function labelled(text, control) {
  return element('label', { className: 'replay-field' }, element('span', { textContent: text }), control);
}

function checkBox(label, checked, action, title = '') {
  const box = element('input', { type: 'checkbox', checked });
  box.addEventListener('change', () => action(box.checked));
  return element('label', { className: 'replay-check', title }, box, element('span', { textContent: label }));
}

// Everything below the views. `actions` has a function for each thing that can be done.
export function buildControls(state, actions) {
  const play = iconButton('play', 'Play (space)', actions.toggle);
  const scrubber = element('input', { type: 'range', className: 'replay-scrubber', min: '0', max: '0', step: '1', value: '0', 'aria-label': 'Frame' });
  scrubber.addEventListener('input', () => actions.seek(Number(scrubber.value)));
  const time = element('output', { className: 'replay-time' });
  const transport = element(
    'div',
    { className: 'replay-transport', role: 'group', 'aria-label': 'Playback' },
    iconButton('back', 'One frame back (left arrow)', () => actions.step(-1)),
    play,
    iconButton('forward', 'One frame on (right arrow)', () => actions.step(1)),
    scrubber,
    time,
    menu('Speed', 'replay-speed', SPEEDS.map((speed) => [String(speed), `${speed}×`]), '1', (value) => actions.speed(Number(value))),
  );
  const scale = element('input', { type: 'range', className: 'replay-impulse-scale', min: '-2', max: '2', step: '0.05', value: '0', 'aria-label': 'Length of impulses' });
  scale.addEventListener('input', () => actions.option('impulseScale', 10 ** Number(scale.value)));
  const option = (label, name, title) => {
    const box = checkBox(label, state.options[name], (checked) => actions.option(name, checked), title);
    box.dataset.option = name;
    return box;
  };
  const display = element(
    'div',
    { className: 'replay-display', role: 'group', 'aria-label': 'Display' },
    labelled('Colour', menu('Colour by', 'replay-colouring', COLOURINGS.map(({ name, label }) => [name, label]), state.colouring, actions.colouring)),
    option('Contacts', 'points', 'Points where bodies touch'),
    option('Normals', 'normals', 'From the first body of a contact to the second'),
    option('Impulses', 'impulses', 'The impulse of the step on the second body of a contact'),
    labelled('Length', scale),
    option('Joints', 'joints', 'Lines from bodies to the anchors of their joints'),
    option('Over bodies', 'through', 'Draw contacts and joints even where bodies are before them'),
    option('See-through walls', 'ghosts', 'Draw fixed bodies so that one can look into them'),
    option('Grid', 'grid', 'Lines on the ground'),
    element(
      'span',
      { className: 'replay-cameras' },
      textButton('Fit', 'Show the whole scene (F)', actions.fit),
      textButton('Reset', 'Camera as at the beginning (R)', actions.reset),
    ),
  );
  return {
    element: element('div', { className: 'replay-controls' }, transport, display),
    setOption(name, value) {
      if (name === 'impulseScale') scale.value = String(Math.log10(value));
      else display.querySelector(`[data-option="${name}"] input`).checked = value;
    },
    setColouring(name) {
      display.querySelector('.replay-colouring').value = name;
    },
    hideOption(name, hidden) {
      display.querySelector(`[data-option="${name}"]`).hidden = hidden;
    },
    update({ frame, frameCount, seconds, end, playing }) {
      scrubber.max = String(Math.max(0, frameCount - 1));
      scrubber.value = String(frame);
      scrubber.setAttribute('aria-valuetext', `frame ${frame} of ${frameCount - 1}, ${seconds.toFixed(2)} seconds`);
      time.textContent = `${seconds.toFixed(2)} / ${end.toFixed(2)} s · frame ${frame}/${frameCount - 1}`;
      if (play.dataset.playing === String(playing)) return;
      play.dataset.playing = String(playing);
      const label = playing ? 'Pause (space)' : 'Play (space)';
      play.title = label;
      play.setAttribute('aria-label', label);
      play.replaceChildren(icon(playing ? ICONS.pause : ICONS.play));
    },
  };
}

// Menus for two runs; the second may be none.
export function buildChooser(runs, chosen, action) {
  const choices = runs.map((run, index) => [String(index), run.label]);
  const left = menu('Run', 'replay-run replay-run-first', choices, String(chosen[0]), (value) => action(0, Number(value)));
  const second = menu('Run beside it', 'replay-run replay-run-second', [['-1', 'nothing'], ...choices], String(chosen[1]), (value) => action(1, Number(value)));
  return {
    element: element('div', { className: 'replay-chooser', role: 'group', 'aria-label': 'Runs' }, labelled('Show', left), labelled('beside', second)),
    update(now) {
      [left.value, second.value] = now.map(String);
    },
  };
}

// A place for one view: canvas, name, legend, body panel, hover name, message.
export function buildFigure(label) {
  const canvas = element('canvas', {
    className: 'replay-canvas', tabIndex: 0, role: 'application',
    'aria-label': `3D replay of ${label}. Drag to orbit, Shift and drag to move, wheel to zoom, double-click a body to centre on it. Keys: space, arrows, plus, minus, F, R.`,
  });
  const parts = {
    canvas,
    label: element('figcaption', { className: 'replay-label', textContent: label }),
    legend: element('div', { className: 'replay-legend' }),
    details: element('div', { className: 'replay-details', hidden: true }),
    hover: element('div', { className: 'replay-hover', hidden: true, 'aria-hidden': 'true' }),
    message: element('p', { className: 'replay-message', hidden: true, role: 'status' }),
  };
  parts.figure = element('figure', { className: 'replay-figure' }, canvas, parts.label, parts.legend, parts.details, parts.hover, parts.message);
  return parts;
}

export function showLegend(place, name, scale, has) {
  const { swatches = [], ramp, note } = legendOf(name, scale, has);
  const key = JSON.stringify([name, swatches, ramp, note]);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  place.replaceChildren();
  place.hidden = !ramp && !note && swatches.length === 0;
  if (ramp) {
    const bar = element('span', { className: 'replay-ramp' });
    bar.style.background = RAMP_CSS;
    place.append(element('div', { className: 'replay-legend-row' }, ramp[0], bar, ramp[1]));
  }
  for (const { colour, label } of swatches) {
    const dot = element('span', { className: 'replay-swatch' });
    dot.style.background = colour;
    place.append(element('div', { className: 'replay-legend-row' }, dot, label));
  }
  if (note) place.append(element('div', { className: 'replay-legend-row' }, note));
}

const formatVector = (vector) => vector.map(formatNumber).join(', ');

// The panel of a body that was chosen; rows are [what, value].
export function showDetails(place, body, close) {
  place.hidden = !body;
  if (!body) return;
  const rows = [
    ['kind', `${body.kind}, ${body.shape.type}`],
    ['mass', body.mass === null || body.mass === undefined ? '–' : `${formatNumber(body.mass)} kg`],
    ['position', `${formatVector(body.position)} m`],
    ['orientation', formatVector(body.orientation)],
    ['speed ¹', `${formatNumber(body.speed)} ± ${formatNumber(body.speedError)} m/s`],
    ['turning ¹', `${formatNumber(body.angularSpeed)} ± ${formatNumber(body.angularError)} rad/s`],
    ['state', body.passive ? 'in store' : body.asleep ? 'asleep' : 'awake'],
    ['group', body.groupName === null ? 'none' : `of ${body.groupName}`],
    ['layer', body.layer < 0 ? 'none' : String(body.layer)],
    ['contacts ²', `${body.contacts} at ${body.contactTime.toFixed(3)} s`],
    ['impulse sum ²', `${formatVector(body.impulse)} N·s`],
    ['normal sum ²', `${formatNumber(body.normalImpulse)} N·s`],
  ];
  if (body.joints.length > 0) rows.push(['joints', body.joints.join(', ')]);
  let table = place.querySelector('dl');
  if (!table) {
    const button = element('button', { type: 'button', className: 'replay-close', textContent: '×', 'aria-label': 'Close' });
    button.addEventListener('click', close);
    table = element('dl');
    place.append(
      element('strong', { className: 'replay-name' }),
      button,
      table,
      element('small', { textContent: '¹ from the difference of two frames  ² of the step that ends there' }),
    );
  }
  place.querySelector('.replay-name').textContent = body.name;
  table.replaceChildren(...rows.flatMap(([what, value]) => [element('dt', { textContent: what }), element('dd', { textContent: value })]));
}
