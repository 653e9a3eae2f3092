// Sorts, filters and searches the table of a task. The choice is in the address, and follows to
// other metrics.
(() => {
  const table = document.querySelector("#board");
  const form = document.querySelector("#filters");
  const heads = [...table.tHead.rows[0].cells];
  const bodies = [...table.tBodies];
  const rows = bodies.flatMap((body) => [...body.rows]);
  const order = new Map(rows.map((row, place) => [row, place]));
  const boxes = [...form.querySelectorAll("[type=checkbox]")];
  const search = form.querySelector("[type=search]");
  const texts = new Map(rows.map((row) => [row, row.cells[0].textContent.toLowerCase()]));
  const first = boxes.filter((box) => box.defaultChecked).map((box) => box.value).join(" ");
  const links = [...document.querySelectorAll('nav[aria-label="Metric"] a')];
  const names = heads.map((head) => head.textContent.trim());
  // The table comes sorted by the first setting.
  const state = { column: 1, up: false, hidden: new Set() };

  function key(row) {
    if (state.column === 0) return row.cells[0].querySelector("a").textContent.toLowerCase();
    const value = Number.parseFloat(row.cells[state.column].dataset.value);
    return Number.isNaN(value) ? null : value;
  }

  function compare(one, other) {
    const [a, b] = [key(one), key(other)];
    if (a === null || b === null) return (a === null) - (b === null) || order.get(one) - order.get(other);
    const sign = a < b ? -1 : Number(a > b);
    return (state.up ? sign : -sign) || order.get(one) - order.get(other);
  }

  function show() {
    for (const body of bodies) body.append(...[...body.rows].sort(compare));
    heads.forEach((head, column) => {
      if (column === state.column) head.setAttribute("aria-sort", state.up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    const words = search.value.toLowerCase().split(" ").filter(Boolean);
    for (const row of rows) {
      row.hidden = row.dataset.hiddenBy.split(" ").some((name) => state.hidden.has(name));
      row.hidden ||= !words.every((word) => texts.get(row).includes(word));
    }
    if (state.hidden.has("family")) fold();
    for (let column = 1; column < heads.length - 1; column += 1) bold(column);
    for (const box of boxes) box.checked = state.hidden.has(box.value);
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${rows.length} rows`;
  }

  // Of the ranked rows of a family that are shown, only the best of the column stays.
  function fold() {
    const column = Math.max(state.column, 1);
    const f1 = (row) => Number.parseFloat(row.cells[column].dataset.value) || 0;
    const best = new Map();
    for (const row of bodies.at(-1).rows) {
      const known = best.get(row.dataset.family);
      if (!row.hidden && (!known || f1(row) > f1(known))) best.set(row.dataset.family, row);
    }
    for (const row of bodies.at(-1).rows) row.hidden ||= best.get(row.dataset.family) !== row;
  }

  // Bold is the best of the ranked rows that are shown; people and gold links have a body before them.
  function bold(column) {
    const cells = [...bodies.at(-1).rows].map((row) => row.cells[column]);
    const f1 = (cell) => Number.parseFloat(cell.textContent);
    const shown = cells.filter((cell) => !cell.parentElement.hidden && !Number.isNaN(f1(cell)));
    const most = Math.max(...shown.map(f1));
    for (const cell of cells) {
      const text = document.createElement(shown.includes(cell) && f1(cell) === most ? "strong" : "span");
      text.textContent = cell.firstChild.textContent;
      cell.firstChild.replaceWith(text);
    }
  }

  function address() {
    const choice = new URLSearchParams();
    choice.set("sort", names[state.column]);
    if (state.up) choice.set("up", "1");
    const hidden = [...state.hidden].join(" ");
    if (hidden !== first) choice.set("hide", hidden);
    if (search.value) choice.set("q", search.value);
    return `#${choice}`;
  }

  function remember() {
    history.replaceState(null, "", address());
    follow();
  }

  function follow() {
    for (const link of links) link.hash = address();
  }

  function recall() {
    const choice = new URLSearchParams(location.hash.slice(1));
    const column = names.indexOf(choice.get("sort") ?? "");
    const sorts = column >= 0 && column < heads.length - 1;
    state.column = sorts ? column : 1;
    state.up = sorts && choice.get("up") === "1";
    const known = new Set(boxes.map((box) => box.value));
    const hidden = choice.get("hide") ?? first;
    state.hidden = new Set(hidden.split(" ").filter((name) => known.has(name)));
    search.value = choice.get("q") ?? "";
    if (location.hash) follow();
  }

  heads.slice(0, -1).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = names[column];
    button.addEventListener("click", () => {
      state.up = column === state.column ? !state.up : column === 0;
      state.column = column;
      show();
      remember();
    });
    head.replaceChildren(button);
  });
  for (const box of boxes) {
    box.addEventListener("change", () => {
      if (box.checked) state.hidden.add(box.value);
      else state.hidden.delete(box.value);
      show();
      remember();
    });
  }
  search.addEventListener("input", () => {
    show();
    remember();
  });
  window.addEventListener("hashchange", () => {
    recall();
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  recall();
  show();
})();
