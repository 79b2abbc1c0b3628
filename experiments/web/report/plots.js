// Plots: legends that hide and show series, values under the pointer, and pictures to take away.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

/** All plots of the page: what cursor.js links with each other and with the replay. */
const plots = [...document.querySelectorAll("figure.plot")].map((figure) => new PlotView(figure));

/** A plot on the page. */
function PlotView(figure) {
  this.figure = figure;
  this.svg = figure.querySelector(".canvas svg");
  this.data = JSON.parse(figure.querySelector("script").textContent);
  this.layers = [...this.svg.querySelectorAll(".layer")];
  this.readout = document.createElement("div");
  this.readout.className = "readout";
  this.readout.hidden = true;
  figure.querySelector(".canvas").append(this.readout);

  for (const button of figure.querySelectorAll(".legend button")) {
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      this.layers[button.dataset.layer].toggleAttribute("hidden", !shown);
      this.hide();
    });
  }
  this.svg.addEventListener("pointermove", (event) => {
    const place = this.pixelAt(event);
    this.show(this.valueAt(place.x, this.data.x), place);
    this.onhover?.(this.valueAt(place.x, this.data.x));
  });
  this.svg.addEventListener("pointerleave", () => {
    this.hide();
    this.onhover?.(null);
  });
  figure.querySelector(".download").addEventListener("click", (event) => {
    event.preventDefault();
    save(this.picture(), event.currentTarget.getAttribute("download"));
  });
}

/** Where the pointer is, in the plot's own pixels. */
PlotView.prototype.pixelAt = function (event) {
  const box = this.svg.getBoundingClientRect();
  const scale = this.svg.viewBox.baseVal.width / box.width;
  return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
};

PlotView.prototype.valueAt = function (pixel, axis) {
  const [from, to] = axis.pixels;
  const share = Math.min(1, Math.max(0, (pixel - from) / (to - from)));
  const value = axis.ends[0] + share * (axis.ends[1] - axis.ends[0]);
  return axis.log ? 10 ** value : value;
};

PlotView.prototype.placeOf = function (value, axis) {
  if (value === null) return null;
  const along = axis.log ? Math.log10(Math.max(value, 0)) : value;
  const share = Math.min(1, Math.max(0, (along - axis.ends[0]) / (axis.ends[1] - axis.ends[0])));
  return axis.pixels[0] + share * (axis.pixels[1] - axis.pixels[0]);
};

/** The entry of a layer that belongs to a place: the nearest, for stairs the last before it, for bars the one around it. */
PlotView.prototype.nearest = function (layer, x, place) {
  if (layer.kind === "bars") return layer.values.find(([from, to]) => from <= x && x < to);
  let best;
  let least = Infinity;
  for (const entry of layer.values) {
    if (entry[1] === null) continue;
    if (layer.kind === "steps" || layer.kind === "front") {
      if (entry[0] <= x) best = entry;
      continue;
    }
    const dx = this.placeOf(entry[0], this.data.x) - this.placeOf(x, this.data.x);
    const dy = layer.kind === "points" && place ? this.placeOf(entry[1], this.data.y) - place.y : 0;
    const distance = Math.hypot(dx, dy);
    if (distance < least) [best, least] = [entry, distance];
  }
  return best;
};

/** Shows the values at x, and where they are. */
PlotView.prototype.show = function (x, place) {
  this.clear();
  const [left, right] = this.data.x.pixels;
  const lines = [];
  const markers = document.createElementNS(SVG, "g");
  markers.setAttribute("class", "hover");
  const hasPoints = this.data.layers.some((layer) => layer.kind === "points");
  let closest = Infinity;
  this.data.layers.forEach((layer, k) => {
    if (this.layers[k].hasAttribute("hidden")) return;
    const entry = this.nearest(layer, x, place);
    if (!entry) return;
    const at = entry.length === 2 || layer.kind === "band" ? entry[layer.kind === "band" ? 2 : 1] : entry[2];
    const px = this.placeOf(layer.kind === "bars" ? (entry[0] + entry[1]) / 2 : layer.kind === "steps" ? x : entry[0], this.data.x);
    const py = this.placeOf(at, this.data.y);
    const distance = place ? Math.hypot(px - place.x, py - place.y) : 0;
    closest = Math.min(closest, distance);
    lines.push({ k, layer, entry, px, py, distance });
  });
  // Among clouds of points only the nearest is meant.
  const meant = hasPoints ? lines.filter((line) => line.distance === closest && line.distance < 60) : lines;
  if (!hasPoints) markers.append(vertical(this.placeOf(x, this.data.x), this.data.y.pixels));
  this.readout.replaceChildren(paragraph("at", `${this.data.x.label}: ${short(hasPoints && meant[0] ? meant[0].entry[0] : x, this.data.x)}`));
  for (const { k, layer, entry, px, py } of meant) {
    const spot = document.createElementNS(SVG, "circle");
    spot.setAttribute("class", "spot");
    spot.setAttribute("cx", px);
    spot.setAttribute("cy", py);
    spot.setAttribute("r", 3.5);
    const colour = document.createElementNS(SVG, "g");
    colour.setAttribute("class", this.layers[k].getAttribute("class").replace("layer", ""));
    colour.append(spot);
    markers.append(colour);
    this.readout.append(paragraph("", `${layer.label}: ${valueText(layer, entry, this.data.y)}`));
  }
  this.svg.append(markers);
  this.readout.hidden = meant.length === 0;
  const beyond = place && place.x > (left + right) / 2;
  this.readout.style.left = beyond ? "auto" : `${(100 * ((place?.x ?? left) + 12)) / this.svg.viewBox.baseVal.width}%`;
  this.readout.style.right = beyond ? `${100 - (100 * (place.x - 12)) / this.svg.viewBox.baseVal.width}%` : "auto";
};

/** Shows a line at x without values: a cursor that another plot or the replay moves. */
PlotView.prototype.mark = function (x) {
  this.clear();
  const markers = document.createElementNS(SVG, "g");
  markers.setAttribute("class", "hover");
  markers.append(vertical(this.placeOf(x, this.data.x), this.data.y.pixels));
  this.svg.append(markers);
};

PlotView.prototype.clear = function () {
  this.svg.querySelectorAll(".hover").forEach((old) => old.remove());
};

PlotView.prototype.hide = function () {
  this.clear();
  this.readout.hidden = true;
};

function vertical(x, [bottom, top]) {
  const line = document.createElementNS(SVG, "line");
  line.setAttribute("class", "cursor");
  for (const [key, value] of [["x1", x], ["x2", x], ["y1", bottom], ["y2", top]]) line.setAttribute(key, value);
  return line;
}

function paragraph(name, text) {
  const element = document.createElement("p");
  element.className = name;
  element.textContent = text;
  return element;
}

function valueText(layer, entry, axis) {
  if (layer.kind === "band") return `${short(entry[2], axis)} (${short(entry[1], axis)} to ${short(entry[3], axis)})`;
  if (layer.kind === "area") return short(entry[2] - entry[1], axis);
  return short(layer.kind === "bars" ? entry[2] : entry[1], axis);
}

/** A number with the digits that can be told apart on its axis. */
function short(value, axis) {
  if (value === null) return "–";
  const size = Math.abs(value);
  const lost = axis.log || size === 0 ? 0 : Math.ceil(Math.log10(size / (axis.ends[1] - axis.ends[0])));
  const digits = 4 + Math.min(10, Math.max(0, lost));
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(digits - 2);
  return String(Number(value.toPrecision(digits)));
}

/** The plot as a file by itself: light, with title and legend, as those in plots/ are; without the series that are hidden. */
PlotView.prototype.picture = function () {
  const { width, height } = this.svg.viewBox.baseVal;
  const picture = this.svg.cloneNode(true);
  picture.querySelectorAll(".hover, .layer[hidden]").forEach((part) => part.remove());
  const legend = [...this.figure.querySelectorAll(".legend [aria-pressed=true]")];
  const total = height + 48 + 20 * Math.ceil(legend.length / 2);
  picture.setAttribute("xmlns", SVG);
  picture.setAttribute("viewBox", `0 -40 ${width} ${total}`);
  picture.setAttribute("width", width);
  picture.setAttribute("height", total);
  const style = document.createElementNS(SVG, "style");
  style.textContent = document.getElementById("picture-style").textContent;
  picture.prepend(style);
  picture.append(svgText(this.figure.querySelector("h3").textContent, 12, -16, "heading"));
  legend.forEach((button, k) => {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", button.firstElementChild.className);
    group.setAttribute("transform", `translate(${12 + (k % 2) * (width / 2)} ${height + 4 + 20 * Math.floor(k / 2)})`);
    group.append(...[...button.querySelector("svg").children].map((part) => part.cloneNode(true)));
    group.append(svgText(button.querySelector(".name").textContent, 36, 10));
    picture.append(group);
  });
  return new XMLSerializer().serializeToString(picture);
};

function svgText(content, x, y, name = "") {
  const text = document.createElementNS(SVG, "text");
  text.setAttribute("x", x);
  text.setAttribute("y", y);
  if (name) text.setAttribute("class", name);
  text.textContent = content;
  return text;
}

function save(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
