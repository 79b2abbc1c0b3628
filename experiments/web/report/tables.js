// Tables that are sorted by a click or a key on a heading, filtered by words, and narrowed to one group.
"use strict";

for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      headings.forEach((other) => other.setAttribute("aria-sort", "none"));
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      for (const body of table.tBodies) sortRows(body, column, ascending);
    });
  });
}

/** Sorts the rows of a group; the row that names it stays on top, and cells without a value go to the end either way. */
function sortRows(body, column, ascending) {
  const rows = [...body.rows].filter((row) => !row.classList.contains("group"));
  const key = (row) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return cell.classList.contains("number") ? null : cell.textContent;
  };
  const compare = (a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === null || right === null) return (left === null) - (right === null);
    const order = typeof left === "number" && typeof right === "number"
      ? left - right || 0
      : String(left).localeCompare(String(right), "en", { numeric: true });
    return ascending ? order : -order;
  };
  rows.sort(compare).forEach((row) => body.append(row));
}

for (const controls of document.querySelectorAll(".controls")) {
  const table = document.getElementById(controls.dataset.table);
  const filter = controls.querySelector("[data-role=filter]");
  const group = controls.querySelector("[data-role=group]");
  const matches = controls.querySelector(".matches");
  const update = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    let all = 0;
    for (const body of table.tBodies) {
      const chosen = !group || group.value === "" || group.value === body.dataset.group;
      const name = body.querySelector(".group")?.textContent ?? "";
      let inside = 0;
      for (const row of body.rows) {
        if (row.classList.contains("group")) continue;
        const text = `${name} ${row.textContent}`.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        inside += !row.hidden;
        all += 1;
      }
      body.hidden = !chosen || inside === 0;
      if (chosen) shown += inside;
    }
    matches.textContent = shown === all ? "" : `${shown} of ${all} rows`;
  };
  filter.addEventListener("input", update);
  group?.addEventListener("change", update);
  controls.hidden = false;
}
