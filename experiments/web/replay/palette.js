// Colours of bodies: Okabe and Ito's palette, which people with any kind of colour vision can tell apart, and viridis for numbers.
// Each way to colour is one entry; it fills one RGBA byte quadruple a body, and has a legend.

const OKABE_ITO = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#f0e442', '#0072b2', '#d55e00', '#b8bcc2'].map(hexColour);
const VIRIDIS = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'].map(hexColour);
const KIND_COLOURS = { dynamic: hexColour('#56b4e9'), fixed: hexColour('#9aa3ad'), scripted: hexColour('#e69f00'), trigger: hexColour('#cc79a7') };
const STATIC_COLOUR = hexColour('#9aa3ad');
const FREE_COLOUR = hexColour('#c3c9d0');
const AWAKE_COLOUR = hexColour('#e69f00');
const ASLEEP_COLOUR = hexColour('#0072b2');

function hexColour(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

export function cssColour(colour) {
  return `rgb(${colour.join(' ')})`;
}

const RAMP_TABLE = Array.from({ length: 256 }, (_, k) => {
  const place = (k / 255) * (VIRIDIS.length - 1);
  const low = Math.min(VIRIDIS.length - 2, Math.floor(place));
  return VIRIDIS[low].map((from, part) => Math.round(from + (place - low) * (VIRIDIS[low + 1][part] - from)));
});

// Viridis at 0 to 1. From a table: thousands of bodies ask in every frame, and nothing should be made for each.
export function rampColour(value) {
  return RAMP_TABLE[Math.round(255 * Math.min(1, Math.max(0, value)))];
}

export const RAMP_CSS = `linear-gradient(to right, ${VIRIDIS.map(cssColour).join(', ')})`;

// Neighbours in number get different colours; after eight of them come darker shades.
const CATEGORY_TABLE = [1, 0.84, 0.7].flatMap((shade) => OKABE_ITO.map((colour) => colour.map((part) => Math.round(part * shade))));

function categoryColour(number) {
  return CATEGORY_TABLE[number % CATEGORY_TABLE.length];
}

// Numbers that are far apart look so; those of groups are bodies, which often have a stride.
function scatteredColour(number) {
  return categoryColour(Math.imul(number + 1, 2654435761) >>> 8);
}

// Each takes { kind, chunk, cell, body, speed, scale } and returns a colour.
export const COLOURINGS = [
  { name: 'body', label: 'Body', of: ({ kind, body }) => (kind === 'dynamic' ? categoryColour(body) : KIND_COLOURS[kind]) },
  { name: 'kind', label: 'Kind', of: ({ kind }) => KIND_COLOURS[kind] },
  {
    name: 'sleep', label: 'Sleep',
    of: ({ kind, chunk, cell }) => (kind !== 'dynamic' ? STATIC_COLOUR : chunk.flags[cell] & 1 ? ASLEEP_COLOUR : AWAKE_COLOUR),
  },
  {
    name: 'group', label: 'Contact group',
    of: ({ kind, chunk, cell }) => (kind !== 'dynamic' ? STATIC_COLOUR : chunk.groups[cell] === 0 ? FREE_COLOUR : scatteredColour(chunk.groups[cell])),
  },
  {
    name: 'layer', label: 'Stack layer',
    of: ({ kind, chunk, cell, scale }) => (kind !== 'dynamic' ? STATIC_COLOUR : chunk.layers[cell] <= 0 ? FREE_COLOUR : rampColour((chunk.layers[cell] - 2) / Math.max(1, scale.layers - 1))),
  },
  {
    name: 'speed', label: 'Speed',
    of: ({ kind, speed, scale }) => (kind === 'fixed' || kind === 'trigger' ? STATIC_COLOUR : rampColour(Math.sqrt(speed / scale.speed))),
  },
];

// What the colours mean: swatches, or a ramp with the words at its ends.
export function legendOf(name, scale, has) {
  const swatch = (colour, label) => ({ colour: cssColour(colour), label });
  const fixed = swatch(STATIC_COLOUR, 'fixed or scripted');
  switch (name) {
    case 'kind':
      return { swatches: Object.entries(KIND_COLOURS).filter(([kind]) => has.kinds.has(kind)).map(([kind, colour]) => swatch(colour, kind)) };
    case 'sleep':
      return { swatches: [swatch(AWAKE_COLOUR, 'awake'), swatch(ASLEEP_COLOUR, 'asleep'), fixed] };
    case 'group':
      return { swatches: [swatch(FREE_COLOUR, 'touches nothing that moves, nor the ground'), fixed], note: 'one colour a group of bodies in contact' };
    case 'layer':
      return scale.layers > 0
        ? { ramp: ['1 on the ground', `${scale.layers}`], swatches: [swatch(FREE_COLOUR, 'in the air')] }
        : { note: 'this method has no stack layers' };
    case 'speed':
      return { ramp: ['0', `≥ ${formatNumber(scale.speed)} m/s`], note: 'square root scale' };
    default:
      return {};
  }
}

// Three significant digits, without a tail of zeros.
export function formatNumber(value) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
}
