// The data of the page, the decisions, and what the browser keeps of them.
const data = JSON.parse(document.getElementById("data").textContent);
const cases = data.cases;
const byId = new Map(cases.map((item) => [item.case, item]));
const $ = (id) => document.getElementById(id);
const VERDICTS = ["error", "not-error", "unsure"];
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const QUESTIONS = data.questions;
const FILTERS = ["kind", "topic", "detector", "reviewed", "state", "search"];
const UNDOS = 200; // steps that are kept
const decisions = new Map();
const counts = { error: 0, "not-error": 0, unsure: 0 };
let replaced = 0; // decisions whose correction this page cannot show
const undone = [];
const answers = [];
let shown = [];
let at = 0;
let stopped = null; // the decided case on which the page waits for a reason
let open = null; // members: null shows them where the question is about a chain
let context = false;
// The correction: the number of a fix, without these sides; or an own one, and then no number.
let draft = { fix: 0, without: [], own: null };

// One entry of the browser's storage for each reviewer and case, written at each decision:
// reviewers do not see each other's verdicts, and two tabs do not overwrite each other.
const UNNAMED = "reviewer";
const named = () => $("reviewer").value.trim();
const name = () => named() || UNNAMED;
const base = `cdec-audit/${data.about.digest}/`;
const store = {
  works: true,
  set(key, value) {
    try {
      if (value === null) localStorage.removeItem(base + key);
      else localStorage.setItem(base + key, value);
    } catch (error) {
      if (this.works) say("This browser cannot store decisions: export them before you close the page.");
      this.works = false;
    }
  },
  get(key) {
    try { return localStorage.getItem(base + key); } catch (error) { this.works = false; return null; }
  },
};
const by = (reviewer) => `by/${encodeURIComponent(reviewer)}/`;
const placeOf = (reviewer, id) => `${by(reviewer)}case/${id}`;
const undoPlace = () => `${by(name())}undo/${data.about.list}`;

// The name belongs to the tab: another tab may have another reviewer.
const tab = {
  get() {
    try { return sessionStorage.getItem(`${base}reviewer`); } catch (error) { return null; }
  },
  set(value) {
    try { sessionStorage.setItem(`${base}reviewer`, value); } catch (error) { /* this tab only */ }
  },
};

const verdictOf = (id) => (decisions.get(id) || { verdict: "" }).verdict;
const words = (code) => code.replaceAll("-", " ");

function valid(record) {
  return record && (record.verdict === "" || VERDICTS.includes(record.verdict))
    && typeof record.comment === "string";
}

function parsed(text) {
  try { return JSON.parse(text); } catch (error) { return null; }
}

function remember(id, record) {
  const before = decisions.get(id);
  if (before && before.verdict) counts[before.verdict] -= 1;
  if (record && (record.verdict || record.comment)) decisions.set(id, record); else decisions.delete(id);
  if (record && record.verdict) counts[record.verdict] += 1;
}

// The correction is stored as well as its number: another list may offer it under another number.
const packed = (id, record) => record && { ...record, claims: claimsOf(byId.get(id), record) };

function put(id, record) {
  remember(id, record);
  store.set(placeOf(name(), id), decisions.has(id) ? JSON.stringify(packed(id, record)) : null);
}

function restored(id, record) {
  if (!valid(record)) return null;
  const { claims: wanted, ...rest } = record;
  return !wanted || (record.fix === null && !record.own) ? rest : { ...rest, ...recognised(byId.get(id), wanted) };
}

// A step is the cases that it changes, with their records before.
function step(changes) {
  undone.push(changes);
  if (undone.length > UNDOS) undone.shift();
  keepUndo();
}

function keepUndo() {
  const steps = undone.map((changes) => changes.map(({ id, before }) => ({ id, before: packed(id, before) })));
  store.set(undoPlace(), steps.length ? JSON.stringify(steps) : null);
}

function loadUndo(text) {
  const steps = parsed(text);
  const known = (change) => change && byId.has(change.id) && (change.before === null || valid(change.before));
  const sound = (Array.isArray(steps) ? steps : []).filter((changes) => Array.isArray(changes) && changes.length && changes.every(known));
  undone.splice(0, undone.length, ...sound.map((changes) => changes.map(({ id, before }) => ({ id, before: restored(id, before) }))));
}

function load() {
  decisions.clear();
  answers.length = 0;
  for (const verdict of VERDICTS) counts[verdict] = 0;
  replaced = 0;
  for (const item of cases) remember(item.case, restored(item.case, parsed(store.get(placeOf(name(), item.case)))));
  if (replaced) say(`Corrections replaced by the first one, since this page does not offer them: ${replaced}.`);
  loadUndo(store.get(undoPlace()));
  const dated = [...decisions].filter(([, record]) => record.verdict && record.time);
  dated.sort((a, b) => (a[1].time < b[1].time ? -1 : 1));
  answers.push(...dated.slice(-10).map(([id]) => id));
  if (!store.works) say("This browser cannot store decisions: export them before you close the page.");
}

const STORED = FILTERS.slice(0, 4);
const filterPlace = (id) => `${by(name())}filter/${id}`;
const keepFilter = (id) => store.set(filterPlace(id), $(id).value || null);

function loadFilters() {
  for (const id of STORED) {
    $(id).value = store.get(filterPlace(id)) || "";
    if ($(id).value === "") $(id).selectedIndex = 0;
  }
}

function element(tag, text, attributes = {}) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// The keys act on the case.
const rest = () => $("case").focus({ preventScroll: true });

// The form of a dialog is answered before the next key; its event "close" comes later.
function answer(id, accept, decline = () => {}) {
  $(id).addEventListener("submit", (event) => {
    event.preventDefault();
    $(id).close();
    rest();
    if (event.submitter && event.submitter.value === "ok") accept(); else decline();
  });
}

function say(text) { $("message").textContent = text; }
