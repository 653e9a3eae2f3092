// Keys, buttons and filters; then the first case.
const actions = {
  previous: () => go(-1),
  next: () => go(1),
  undo,
  open: () => { keepComment(); nextOpen(at + 1); },
  members: () => { keepComment(); if (shown[at]) open = !membersOpen(shown[at]); render(); },
  context: () => { keepComment(); context = !context; render(); },
  find: () => { keepComment(); openFind(); },
};
// The answer of a button, in the order in which they stand.
const choice = (number) => document.querySelectorAll("footer [data-answer]")[number].click();
const repeated = new Set(["j", "k", "ArrowRight", "ArrowLeft"]);
const keys = {
  s: () => choice(0), d: () => choice(1), u: () => choice(2),
  z: undo, j: actions.next, ArrowRight: actions.next, k: actions.previous, ArrowLeft: actions.previous,
  m: actions.members, v: actions.context, o: actions.open, x: exported, c: () => $("comment").focus(),
  f: actions.find, t: () => openTarget(), Enter: () => { if (stopped) actions.open(); },
};
for (let number = 1; number < 10; number += 1) keys[String(number)] = () => digit(number - 1);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const control = event.target.closest("input, select, textarea, button, summary, a");
  if (event.target === $("comment") && (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey))) {
    event.preventDefault();
    if (event.key === "Escape") $("comment").value = (decisions.get(shown[at].case) || { comment: "" }).comment;
    keepComment();
    rest();
    return;
  }
  if (control && event.key === "Escape") { rest(); return; }
  // A held key moves, but decides once only.
  if (control || !keys[event.key] || (event.repeat && !repeated.has(event.key))) return;
  event.preventDefault();
  keys[event.key]();
});
document.querySelector("footer").addEventListener("click", (event) => {
  const button = event.target.closest("[data-answer], [data-do]");
  if (!button) return;
  if (button.dataset.verdict) decide(button.dataset.verdict); else actions[button.dataset.do]();
  if (!document.querySelector("dialog[open]")) rest();
});
for (const id of FILTERS) {
  $(id).addEventListener(id === "search" ? "input" : "change", () => {
    keepComment();
    if (STORED.includes(id)) keepFilter(id);
    say("");
    filter();
  });
}
$("comment").addEventListener("change", keepComment);
$("reviewer").addEventListener("change", renamed);
$("take").addEventListener("click", () => { takeOver(); rest(); });
$("export").addEventListener("click", exported);
$("import").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  if (file) await imported(file);
  $("file").value = "";
});
$("ask").addEventListener("change", () => {
  store.set("ask", $("ask").checked ? null : "no");
  why(decisions.get(here()) || { verdict: "" });
});
$("menu").addEventListener("click", () => {
  const opened = $("tools").classList.toggle("opened");
  $("menu").setAttribute("aria-expanded", String(opened));
  if (!opened) rest();
});
addEventListener("storage", (event) => {
  if (event.key === base + undoPlace()) { loadUndo(event.newValue); return; }
  const own = `${base}${placeOf(name(), "")}`;
  if (!event.key || !event.key.startsWith(own)) return;
  const id = event.key.slice(own.length);
  if (!byId.has(id)) return;
  remember(id, restored(id, parsed(event.newValue)));
  const typed = document.activeElement === $("comment") ? $("comment").value : null;
  if (here() === id) render(); else progress();
  if (typed !== null) $("comment").value = typed;
});
addEventListener("hashchange", () => linked());

function options(select, values, all) {
  select.append(element("option", all, { value: "" }));
  for (const [value, count] of values) select.append(element("option", `${data.words[value] || words(value)} (${count})`, { value }));
}
function counted(list) {
  const found = new Map();
  for (const value of list) found.set(value, (found.get(value) || 0) + 1);
  return [...found];
}
for (const item of cases) {
  const ids = item.sides.flatMap((each) => (each.place ? [each.place] : each.mentions));
  item.words = item.sides.flatMap((each) => each.mentions.map((id) => data.mentions[id].text));
  item.found = [item.case, ...ids, ...item.words, ...item.sides.map((each) => each.descriptor)].join(" ").toLowerCase();
}
options($("kind"), counted(cases.map((item) => item.kind)), "all kinds");
options($("topic"), counted(cases.map((item) => item.topic)).sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true })), "all topics");
options($("detector"), counted(cases.flatMap((item) => Object.keys(item.detectors))), "all detectors");
$("reviewed-label").hidden = cases.every((item) => item.reviewed === null);
$("about").textContent = `${data.about.corpus}, ${cases.length} cases`;
$("ask").checked = store.get("ask") !== "no";
$("reviewer").value = tab.get() || "";
current = name();
load();
loadFilters();
const link = linked() ? here() : "";
if (!link) filter();
rest();
// Another reader of this browser does not see the decisions of the last one.
if (tab.get() === null && store.get("reviewer")) ask(() => link && reveal(link));
