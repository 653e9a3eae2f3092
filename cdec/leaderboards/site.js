// Sorts, filters, searches and compares the rows of the table of a task. The choice is in the
// address, and follows to other metrics.
(() => {
  const table = document.querySelector("#board");
  const form = document.querySelector("#filters");
  const heads = [...table.tHead.rows[0].cells].slice(0, -1);
  const names = heads.map((head) => head.textContent.trim());
  const bodies = [...table.tBodies];
  const ranked = [...bodies.at(-1).rows]; // people and gold links have a body before them
  const rows = bodies.flatMap((body) => [...body.rows]);
  const boxes = [...form.querySelectorAll("[type=checkbox]")];
  const search = form.querySelector("[type=search]");
  const links = [...document.querySelectorAll('nav[aria-label="Metric"] a')];
  const title = (row) => row.querySelector(".title").textContent;
  const number = (row, at) => Number.parseFloat(row.cells[at].dataset.value); // may be NaN
  const hidden = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const usual = hidden().join(" ");
  const ticked = []; // the rows to compare, two at most
  let [column, up] = [1, false]; // the table comes sorted by the first setting

  function order(one, other) {
    if (column === 0) return (up ? 1 : -1) * title(one).localeCompare(title(other));
    const [a, b] = [number(one, column), number(other, column)];
    return Number.isNaN(a) - Number.isNaN(b) || (up ? a - b : b - a) || 0;
  }

  function show() {
    const chosen = hidden();
    const words = search.value.toLowerCase().split(" ");
    for (const row of rows) {
      const text = row.cells[0].textContent.toLowerCase();
      row.hidden = row.dataset.hiddenBy.split(" ").some((name) => chosen.includes(name));
      row.hidden ||= !words.every((word) => text.includes(word));
    }
    if (chosen.includes("family")) fold();
    for (let at = 1; at < heads.length; at += 1) bold(at);
    for (const row of [...rows].sort(order)) row.parentElement.append(row); // ties as they came
    heads.forEach((head, at) => {
      if (at === column) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${rows.length} rows`;
    for (const link of links) link.hash = location.hash;
  }

  // Of the ranked rows of a family that are shown, only the best of the column stays.
  function fold() {
    const f1 = (row) => number(row, Math.max(column, 1)) || 0;
    const seen = new Set();
    for (const row of ranked.filter((one) => !one.hidden).sort((a, b) => f1(b) - f1(a))) {
      row.hidden = seen.has(row.dataset.family);
      seen.add(row.dataset.family);
    }
  }

  // Bold is the best of the ranked rows that are shown.
  function bold(at) {
    const cells = ranked.map((row) => row.cells[at]);
    const f1 = (cell) => (cell.parentElement.hidden ? 0 : Number.parseFloat(cell.textContent) || 0);
    const most = Math.max(...cells.map(f1));
    for (const cell of cells) {
      const text = document.createElement(most && f1(cell) === most ? "strong" : "span");
      text.textContent = cell.textContent;
      cell.replaceChildren(text);
    }
  }

  // The difference of two ticked rows is the last row.
  function compare() {
    const foot = table.tFoot ?? table.createTFoot();
    foot.replaceChildren();
    if (ticked.length < 2) return;
    const line = foot.insertRow();
    const head = line.appendChild(document.createElement("th"));
    head.scope = "row";
    head.className = "head";
    head.textContent = `${title(ticked[0])} minus ${title(ticked[1])}`;
    for (let at = 1; at < heads.length; at += 1) {
      const points = 100 * (number(ticked[0], at) - number(ticked[1], at));
      line.insertCell().textContent = Number.isNaN(points) ? "–" : (points < 0 ? "" : "+") + points.toFixed(1);
    }
    line.insertCell();
  }

  function remember() {
    const choice = new URLSearchParams({ sort: names[column] });
    if (up) choice.set("up", "1");
    if (hidden().join(" ") !== usual) choice.set("hide", hidden().join(" "));
    if (search.value) choice.set("q", search.value);
    history.replaceState(null, "", `#${choice}`);
    show();
  }

  function recall() {
    const choice = new URLSearchParams(location.hash.slice(1));
    const at = names.indexOf(choice.get("sort"));
    [column, up] = at < 0 ? [1, false] : [at, choice.get("up") === "1"];
    const chosen = (choice.get("hide") ?? usual).split(" ");
    for (const box of boxes) box.checked = chosen.includes(box.value);
    search.value = choice.get("q") ?? "";
    show();
  }

  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = names[at];
    button.addEventListener("click", () => {
      [column, up] = [at, at === column ? !up : at === 0];
      remember();
    });
    head.replaceChildren(button);
  });
  for (const row of rows) {
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", title: "compare", ariaLabel: `compare ${title(row)}` });
    box.addEventListener("change", () => {
      if (box.checked) ticked.push(row);
      else ticked.splice(ticked.indexOf(row), 1);
      if (ticked.length > 2) ticked.shift().querySelector("input").checked = false;
      compare();
    });
    row.cells[0].prepend(box, " ");
  }
  form.addEventListener("input", remember);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", recall);
  form.hidden = false;
  recall();
})();
