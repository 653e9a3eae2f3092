// The page of a reviewer. A decision is a record: verdict, claims, reason, comment, time.
const data = JSON.parse(document.getElementById("data").textContent);
const { cases, facts, groups, questions, documents, mentions } = data;
const byId = new Map(cases.map((item) => [item.case, item]));
const $ = (id) => document.getElementById(id);
const VERDICTS = ["error", "not-error", "unsure"];
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const REASONS = Object.entries(data.reasons);
const MEMBERS = 60; // of a chain that are listed
const decisions = new Map();
const undone = []; // steps: the cases that each changed, with their records before
let shown = [];
let at = 0;
let waits = null; // the case on which the page waits for a reason
let members = null; // null shows them where the question is about a chain
let whole = false; // whether documents are shown
let draft = null; // the correction: a fix without some sides, or claims that no fix has

function element(tag, text, attributes = {}, children = []) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
const say = (text) => { $("message").textContent = text; };
// The keys act on the case.
const rest = () => $("case").focus({ preventScroll: true });

// ---- decisions: the browser has an entry for each reviewer and case ----

const name = () => $("reviewer").value.trim();
const placeOf = (id) => `cdec-audit/${facts.about.digest}/by/${encodeURIComponent(name())}/case/${id}`;
const verdictOf = (id) => (decisions.get(id) || { verdict: "" }).verdict;

function stored(action) {
  try { return action(); } catch (error) {
    say("This browser cannot store decisions: export them before you close the page.");
    return null;
  }
}

function parsed(text) {
  try { return JSON.parse(text); } catch (error) { return null; }
}

function valid(record) {
  return record && ["", ...VERDICTS].includes(record.verdict) && typeof record.comment === "string"
    && Array.isArray(record.claims) && record.claims.every((claim) => claim && typeof claim === "object");
}

function put(id, record) {
  if (record && (record.verdict || record.comment)) decisions.set(id, record); else decisions.delete(id);
  stored(() => (decisions.has(id) ? localStorage.setItem(placeOf(id), JSON.stringify(record)) : localStorage.removeItem(placeOf(id))));
}

function change(records) {
  undone.push(records.map(([id]) => [id, decisions.get(id) || null]));
  for (const [id, record] of records) put(id, record);
}

function load() {
  decisions.clear();
  undone.length = 0;
  for (const { case: id } of name() ? cases : []) {
    const record = parsed(stored(() => localStorage.getItem(placeOf(id))));
    if (valid(record)) decisions.set(id, record);
  }
}

function unnamed() {
  if (name()) return false;
  $("tools").open = true;
  $("reviewer").focus();
  say("Enter your name first: decisions are kept for each name.");
  return true;
}

// ---- corrections ----

const parts = (item) => (item.group ? groups[item.group].map((id) => byId.get(id)) : [item]);
const isCopies = (item) => parts(item).length > 1;
const inQuestion = (item) => item.sides.filter((side) => !side.evidence);
const isLink = (item) => item.kind.startsWith("missing");
const isNew = (to) => to.startsWith("new:");

// The claims of a fix, without the sides that do not belong.
function claimsOf(item, { fix, without, kept }) {
  if (kept) return kept;
  const { claims } = item.fixes[fix || 0];
  const out = new Set(without.flatMap((number) => item.sides[number].mentions));
  const left = claims.filter((claim) => !out.has(claim.mention));
  if (!out.size || !left.length) return claims;
  const anchor = inQuestion(item).flatMap((side) => side.mentions).find((id) => !out.has(id));
  return left.map((claim) => (out.has(claim.to) ? { ...claim, to: anchor } : claim));
}

// Equal for equal claims, in any order, and through any mention of a chain.
function canonical(claims) {
  const chain = (id) => facts.chains[id] || id;
  const target = ({ to }) => (to === undefined ? null : isNew(to) ? "new:" : chain(to));
  const each = (claim) => [claim.mention || claim.add || "", claim.chain ? chain(claim.chain) : "", target(claim), claim.tokens || "", claim.tag || ""];
  return JSON.stringify(claims.map((claim) => JSON.stringify(each(claim))).sort());
}

function named(claims) {
  return claims.flatMap(({ mention, chain, to }) => [mention || chain, to && !isNew(to) ? to : ""]).filter(Boolean);
}

// The fix with these claims, and the sides left out of it; else the claims.
function recognised(item, claims) {
  const ids = new Set(named(claims));
  const absent = item.sides.flatMap((side, number) => (side.evidence || side.mentions.some((id) => ids.has(id)) ? [] : [number]));
  for (const without of inQuestion(item).length - absent.length < 2 ? [[]] : [[], absent]) {
    const fix = item.fixes.findIndex((_, number) => canonical(claimsOf(item, { fix: number, without })) === canonical(claims));
    if (fix >= 0) return { fix, without };
  }
  return { fix: null, without: [], kept: claims };
}

// The first correction, or none if another is equally probable.
const suggested = (item) => ({ fix: item.fixes[0].tied ? null : 0, without: [] });
const draftOf = (item) => (verdictOf(item.case) ? recognised(item, decisions.get(item.case).claims) : suggested(item));

function described(item, claims) {
  const { fix, without } = recognised(item, claims);
  if (fix === null) return `another correction, of ${[...new Set(named(claims))].join(", ")}`;
  const left = without.map((number) => LETTERS[number % 26]).join(", ");
  return `${item.fixes[fix].text}${left && ` (without ${left})`}`;
}

// ---- the case ----

function answerOf(item, verdict) {
  const { answers: [yes, no, neither], yes: first } = questions[item.kind];
  if (!verdict) return "undecided";
  return verdict === "unsure" ? neither : verdict === first ? yes : no;
}

// The verdict of all cases of a card, if it is one.
function verdictOn(item) {
  const given = new Set(parts(item).map((each) => verdictOf(each.case)));
  return given.size === 1 ? [...given][0] : "";
}

function placeText(key) {
  const [doc, number] = key.split("#");
  return `${doc}, sentence ${number}`;
}

// Corpus text enters the page as text nodes only.
function sentence(key, tokens, mark = "mark") {
  const cut = key.lastIndexOf("#");
  const line = element("p", "", { class: "sentence", dir: "auto" });
  documents[key.slice(0, cut)].sentences[Number(key.slice(cut + 1))].forEach((word, position) => {
    const own = tokens.includes(position);
    const last = line.lastElementChild;
    if (own && last && last === line.lastChild.previousSibling && tokens.includes(position - 1)) last.textContent += ` ${word}`;
    else line.append(own ? element(mark === "mark" ? "mark" : "span", word, { class: mark }) : document.createTextNode(word), " ");
  });
  return line;
}

function documentOf(key) {
  const [doc, number] = key.split("#");
  const { sentences, date } = documents[doc];
  const lines = sentences.map((words, at_) => element("li", words.join(" "), { value: at_, dir: "auto", ...(at_ === Number(number) && { "aria-current": "true" }) }));
  return element("div", date ? `date: ${date}` : "", { class: "document", tabindex: "0", role: "region", "aria-label": `Document ${doc}` }, [element("ol", "", {}, lines)]);
}

function quoted(ids, documents_ = whole) {
  return ids.flatMap((id) => {
    const { sentence: key, tokens, tag, reviewed } = mentions[id];
    const where = [placeText(key), tag, reviewed === false && "sentence not reviewed"].filter(Boolean).join(" · ");
    return [element("p", where, { class: "where" }), sentence(key, tokens), ...(documents_ ? [documentOf(key)] : [])];
  });
}

function chainText(item, side) {
  if (side.place) return "no mention here";
  const size = new Set(item.sides.filter((each) => each.chain === side.chain).flatMap((each) => [...each.mentions, ...each.members])).size;
  if (size > 1) return `${side.descriptor || side.chain} · ${size} mentions`;
  return `singleton${side.descriptor && ` · ${side.descriptor}`}`;
}

const membersOpen = (item) => (members === null ? item.kind !== "missing-singleton-singleton" : members);

function sideCard(item, side, number) {
  const letter = item.sides.length === 1 ? "Mention" : LETTERS[number % 26];
  const card = element("section", "", { class: "side", "aria-label": `Side ${letter}` });
  if (isLink(item) && !side.evidence && inQuestion(item).length > 2) card.append(picker(item, number, letter));
  card.append(element("h3", `${letter} · ${chainText(item, side)}`));
  if (side.place) {
    const spot = data.places_of[side.place];
    card.append(element("p", placeText(spot.sentence), { class: "where" }), sentence(spot.sentence, spot.tokens, "missing"), ...(whole ? [documentOf(spot.sentence)] : []));
  }
  card.append(...quoted(side.mentions));
  if (side.members.length && membersOpen(item)) {
    const more = side.members.length - MEMBERS;
    const lines = [...quoted(side.members.slice(0, MEMBERS), false), ...(more > 0 ? [element("p", `and ${more} more`)] : [])];
    card.append(element("div", "", { class: "members", tabindex: "0", role: "region", "aria-label": `Other members of ${letter}` }, lines));
  }
  return card;
}

// A box with its words; after a click the keys act again.
function labelled(input, text, attributes = {}) {
  input.addEventListener("click", (event) => { if (event.detail) rest(); });
  return element("label", "", attributes, [input, ` ${text}`]);
}

function picker(item, number, letter) {
  const input = element("input", "", { type: "checkbox", "aria-label": `${letter} is the same event` });
  input.checked = !draft.without.includes(number);
  input.addEventListener("change", () => {
    const without = input.checked ? draft.without.filter((one) => one !== number) : [...draft.without, number];
    if (inQuestion(item).length - without.length < 2) {
      input.checked = true;
      say("A link needs at least two mentions.");
    } else revise({ ...draft, without });
  });
  return labelled(input, "same event", { class: "pick" });
}

// Copies of a sentence: each once with all its mentions, and below them the links.
function copyCards(item) {
  const places = new Map();
  for (const id of parts(item).flatMap(inQuestion).flatMap((side) => side.mentions)) {
    const { sentence: key, tokens } = mentions[id];
    places.set(key, [...(places.get(key) || []), ...tokens]);
  }
  return [...places].map(([key, tokens], number) => element("section", "", { class: "side", "aria-label": `Copy ${number + 1}` }, [
    element("h3", LETTERS[number % 26]), element("p", placeText(key), { class: "where" }), sentence(key, tokens), ...(whole ? [documentOf(key)] : []),
  ]));
}

function batch(item) {
  const lines = parts(item).map((each) => {
    const input = element("input", "", { type: "checkbox", "data-part": each.case });
    input.checked = verdictOf(each.case) !== "not-error";
    const select = element("select", "", { "aria-label": "Correction", "data-fix": each.case }, each.fixes.map((fix, number) => element("option", fix.text, { value: number })));
    select.value = draftOf(each).fix || 0;
    return element("div", "", { class: "part" }, [labelled(input, mentions[each.sides[0].mentions[0]].text), select]);
  });
  $("batch").replaceChildren(element("p", "Linked by Same; without a tick: different."), ...lines);
}

function fixes(item) {
  const texts = item.fixes.map((fix) => fix.text).concat(draft.kept ? described(item, draft.kept) : []);
  $("fixlist").replaceChildren(...texts.map((text, number) => {
    const input = element("input", "", { type: "radio", name: "fix", value: number });
    input.checked = number === (draft.kept ? item.fixes.length : draft.fix);
    input.addEventListener("change", () => choose(number));
    return labelled(input, `${number + 1}. ${text}`);
  }));
}

function list(id, lines) {
  $(id).replaceChildren(...lines.map((line) => element("li", line)));
}

function voteLine(item, { reviewer, readers, decisions: own }) {
  const { verdict, claims, reason, comment } = own[item.case];
  const why = [data.reasons[reason] || reason, comment].filter(Boolean).join("; ");
  return `${reviewer}${readers && ` (${readers})`}: ${answerOf(item, verdict)}${verdict === "error" ? `, ${described(item, claims)}` : ""}${why && ` (${why})`}`;
}

function evidence(item) {
  const number = (value) => value.toFixed(2);
  const flags = Object.entries(item.detectors).map(([key, score]) => `${key} ${number(score)}`);
  return [
    ...item.reasons, `flagged by: ${flags.join(", ")}`,
    ...(item.rank ? [`rank in the whole list: ${item.rank}`] : []),
    ...(item.score === null ? [] : [`probability of an error: ${number(item.score)}`]),
  ];
}

// The reasons of a link that is none: after the answer, digits choose one.
const asksWhy = (item) => isLink(item) && !isCopies(item);
const answerButtons = [...document.querySelectorAll("footer [data-answer]")];

function render() {
  const item = shown[at];
  const record = (item && decisions.get(item.case)) || { verdict: "", comment: "" };
  const copied = Boolean(item && isCopies(item));
  const given = item ? verdictOn(item) : "";
  $("title").textContent = item ? `${at + 1} of ${shown.length}: ${copied ? "copies of a sentence" : data.words[item.kind]}, topic ${item.topic}` : "No cases";
  $("question").textContent = !item ? "No case matches the filter." : copied ? "These sentences are copies. Same events?" : questions[item.kind].ask;
  $("verdict").textContent = item ? answerOf(item, given) : "";
  $("verdict").dataset.verdict = given;
  $("comment").value = record.comment;
  $("comment").disabled = !item || !name();
  answerButtons.forEach((button, number) => {
    const { answers, yes } = questions[item ? item.kind : cases[0].kind];
    button.dataset.verdict = number === 2 ? "unsure" : (number === 0) === (yes === "error") ? "error" : "not-error";
    button.firstChild.textContent = `${answers[number]} `;
    button.setAttribute("aria-pressed", String(button.dataset.verdict === given));
    button.disabled = !item;
  });
  const pressed = { context: whole, members: Boolean(item && membersOpen(item)) };
  for (const [key, value] of Object.entries(pressed)) document.querySelector(`[data-do=${key}]`).setAttribute("aria-pressed", String(value));
  progress();
  $("why").hidden = !item || record.verdict !== "not-error" || !asksWhy(item);
  for (const button of $("why").children) button.setAttribute("aria-pressed", String(button.dataset.reason === record.reason));
  $("sides").replaceChildren();
  for (const id of ["fixes", "model", "batch", "others"]) $(id).hidden = !item;
  if (!item) return;
  draft = draftOf(item);
  $("sides").append(...(copied ? copyCards(item) : item.sides.map((side, number) => sideCard(item, side, number))));
  $("fixes").hidden = copied;
  $("batch").hidden = !copied;
  if (copied) batch(item); else fixes(item);
  const votes = data.reviews.filter((review) => review.decisions[item.case]);
  $("others").hidden = !votes.length;
  list("votes", votes.map((review) => voteLine(item, review)));
  list("reasons", evidence(item));
  $("model").open = Boolean(record.verdict);
  $("live").textContent = `${$("title").textContent}, ${$("verdict").textContent}`;
  try { history.replaceState(null, "", `#case=${item.case}`); } catch (error) { /* not allowed here */ }
}

function progress() {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, cases.filter((item) => verdictOf(item.case) === verdict).length]));
  const done = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
  $("bar").max = cases.length || 1;
  $("bar").value = done;
  $("counts").textContent = `${done} of ${cases.length} decided: ${counts.error} errors, ${counts["not-error"]} right, ${counts.unsure} not sure`;
}

// ---- answers ----

const now = () => new Date().toISOString();

function decide(verdict) {
  const item = shown[at];
  if (!item || unnamed()) return;
  if (verdict === "error" && !isCopies(item) && draft.fix === null && !draft.kept) { say("Two corrections are equally probable: choose one first."); return; }
  keepComment();
  const again = verdictOn(item);
  const waited = waits === item.case;
  if (waited && again === verdict) { nextOpen(at + 1); return; }
  change(parts(item).map((each) => {
    const { comment = "", reason = "" } = decisions.get(each.case) || {};
    const own = { verdict, comment, reason: again === verdict ? reason : "", time: now() };
    if (!isCopies(item)) return [each.case, { ...own, claims: claimsOf(each, draft) }];
    // The answer holds for each link with a tick; the others are different.
    const input = (key) => $("batch").querySelector(`[data-${key}="${each.case}"]`);
    if (verdict === "error" && !input("part").checked) own.verdict = "not-error";
    return [each.case, { ...own, claims: claimsOf(each, { fix: Number(input("fix").value), without: [] }) }];
  }));
  if (again !== verdict && verdict === "not-error" && asksWhy(item)) {
    waits = item.case;
    render();
  // A new verdict on a decided case goes to the next case, a first one to the next undecided.
  } else if (again && !waited) go(1); else nextOpen(at + 1);
}

// A decided case keeps its verdict when its correction changes.
function revise(chosen) {
  const { case: id } = shown[at];
  draft = chosen;
  if (verdictOf(id)) change([[id, { ...decisions.get(id), claims: claimsOf(shown[at], draft), time: now() }]]);
}

function choose(number) {
  const item = shown[at];
  if (!item || isCopies(item) || number >= item.fixes.length) return;
  revise({ fix: number, without: draft.without });
  $("fixlist").querySelectorAll("input")[number].checked = true;
}

function explain(number) {
  if (number >= REASONS.length) return;
  const { case: id } = shown[at];
  change([[id, { ...decisions.get(id), reason: REASONS[number][0], time: now() }]]);
  if (waits === id) nextOpen(at + 1); else render();
}

function keepComment() {
  const item = shown[at];
  const comment = $("comment").value.trim();
  const before = item && (decisions.get(item.case) || { verdict: "", comment: "", claims: [] });
  if (!item || !name() || comment === before.comment) return;
  change([[item.case, { ...before, comment, time: now() }]]);
  progress();
}

function undo() {
  const last = undone.pop();
  if (!last) { say("Nothing to undo."); return; }
  for (const [id, before] of last) put(id, before);
  reveal(last[0][0]);
  say("Undone.");
}

// ---- which cases are shown, and the way between them ----

const isDecided = (item) => parts(item).every((each) => verdictOf(each.case));

function fits(item) {
  const [kind, topic, state, text] = ["kind", "topic", "state", "search"].map((id) => $(id).value);
  const { verdict, comment } = decisions.get(item.case) || { verdict: "", comment: "" };
  return (!kind || item.kind === kind) && (!topic || item.topic === topic)
    && (!text.trim() || item.found.includes(text.trim().toLowerCase()))
    && (!state || state === verdict || (state === "open" && !verdict) || (state === "comment" && comment));
}

// Show the cases that fit, from the case ``keep``, or else from the first undecided one.
function filter(keep) {
  const first = new Map(cases.filter(fits).reverse().map((item) => [item.group || item.case, item]));
  shown = cases.filter((item) => first.get(item.group || item.case) === item);
  const spot = shown.findIndex((item) => parts(item).some((each) => each.case === keep));
  show(Math.max(0, spot >= 0 ? spot : shown.findIndex((item) => !isDecided(item))));
}

function show(number) {
  at = number;
  members = null;
  waits = null;
  render();
}

function move(number) {
  say("");
  show(number);
  scrollTo(0, 0);
}

function go(step) {
  keepComment();
  const spot = at + step;
  if (spot >= 0 && spot < shown.length) { move(spot); return; }
  render();
  say(step > 0 ? "This is the last case." : "This is the first case.");
}

function nextOpen(from) {
  keepComment();
  const open = (item) => !isDecided(item);
  const later = shown.findIndex((item, index) => index >= from && open(item));
  const spot = later >= 0 ? later : shown.findIndex(open);
  if (spot >= 0) { move(spot); return; }
  show(at);
  say("All cases shown are decided. Press x to export the decisions.");
}

// Show a case, whatever the filter.
function reveal(id) {
  if (!fits(byId.get(id))) for (const each of ["kind", "topic", "state", "search"]) $(each).value = "";
  filter(id);
}

function linked() {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("case");
  if (byId.has(wanted)) reveal(wanted); else filter();
}

// ---- files ----

function exported() {
  if (unnamed()) return;
  keepComment();
  const decided = cases.filter((item) => verdictOf(item.case)).map((item) => ({ case: item.case, kind: item.kind, ...decisions.get(item.case) }));
  const ids = new Set(decided.flatMap(({ claims }) => named(claims)));
  const chains = new Set([...ids].map((id) => facts.chains[id]));
  const only = (values, keep) => Object.fromEntries(Object.entries(values).filter(([id]) => keep(id)));
  const near = (id) => chains.has(facts.chains[id]);
  const content = {
    format: data.format, reviewer: name(), about: facts.about, decisions: decided,
    places: only(facts.places, (id) => ids.has(id)), chains: only(facts.chains, near), sentences: only(facts.sentences, near),
  };
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(content, null, 1)}\n`], { type: "application/json" }));
  element("a", "", { href: url, download: `decisions-${name().replace(/[^\w-]+/g, "_")}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  say(`Decisions exported: ${decided.length}.`);
}

// Decisions of a file are taken for undecided cases only.
async function imported(file) {
  const content = parsed(await file.text().catch(() => "")) || {};
  if (content.format !== data.format || !Array.isArray(content.decisions)) { say(`${file.name} is not a decisions file of the version ${data.format}.`); return; }
  if (!content.about || content.about.digest !== facts.about.digest) { say(`${file.name} is for another corpus.`); return; }
  if (!name() && typeof content.reviewer === "string") { $("reviewer").value = content.reviewer; renamed(); }
  if (unnamed()) return;
  const taken = [];
  let [kept, unknown] = [0, 0];
  for (const one of content.decisions) {
    const { case: id, verdict, claims = [], reason = "", comment = "", time = "" } = one || {};
    const record = { verdict, comment, reason: String(reason), time: String(time), claims };
    if (!byId.has(id) || !verdict || !valid(record)) unknown += 1;
    else if (verdictOf(id)) kept += 1;
    else taken.push([id, { ...record, comment: comment || (decisions.get(id) || record).comment }]);
  }
  if (taken.length) change(taken);
  filter(shown[at] && shown[at].case);
  say(`Decisions imported: ${taken.length}. Not imported, you have decided the case: ${kept}. Not imported, case not on this page or invalid: ${unknown}.`);
}

function renamed() {
  stored(() => sessionStorage.setItem("cdec-audit/reviewer", name()));
  load();
  filter(shown[at] && shown[at].case);
  say(name() ? `Decisions of ${name()}: ${decisions.size}.` : "");
}

// ---- keys, buttons and filters; then the first case ----

const actions = {
  previous: () => go(-1),
  next: () => go(1),
  undo,
  open: () => nextOpen(at + 1),
  members: () => { keepComment(); if (shown[at]) members = !membersOpen(shown[at]); render(); },
  context: () => { keepComment(); whole = !whole; render(); },
};
const keys = {
  s: () => answerButtons[0].click(), d: () => answerButtons[1].click(), u: () => answerButtons[2].click(),
  z: undo, j: actions.next, ArrowRight: actions.next, k: actions.previous, ArrowLeft: actions.previous, o: actions.open,
  m: actions.members, v: actions.context, x: exported, c: () => $("comment").focus(), Enter: () => { if (waits) actions.open(); },
};
for (let number = 1; number < 10; number += 1) keys[number] = () => ($("why").hidden ? choose : explain)(number - 1);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === $("comment") && (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey))) {
    event.preventDefault();
    if (event.key === "Escape") $("comment").value = (decisions.get(shown[at].case) || { comment: "" }).comment;
    keepComment();
    rest();
    return;
  }
  const control = event.target.closest("input, select, textarea, button, summary, a");
  if (control && (event.key === "Escape" || (event.key === "Enter" && control === $("reviewer")))) rest();
  // A held key moves, but decides once only.
  if (control || !keys[event.key] || (event.repeat && !["j", "k", "ArrowRight", "ArrowLeft"].includes(event.key))) return;
  event.preventDefault();
  keys[event.key]();
});
document.querySelector("footer").addEventListener("click", (event) => {
  const button = event.target.closest("[data-answer], [data-do], [data-reason]");
  if (!button) return;
  const { verdict, reason } = button.dataset;
  if (verdict) decide(verdict); else if (reason) explain(REASONS.findIndex(([code]) => code === reason)); else actions[button.dataset.do]();
  if (document.activeElement !== $("reviewer")) rest();
});
REASONS.forEach(([code, text], number) => $("why").append(element("button", `${number + 1}. ${text}`, { type: "button", "data-reason": code, "aria-pressed": "false" })));
for (const id of ["kind", "topic", "state", "search"]) {
  $(id).addEventListener("input", () => { keepComment(); say(""); filter(); });
}
$("comment").addEventListener("change", keepComment);
$("reviewer").addEventListener("change", renamed);
$("export").addEventListener("click", exported);
$("import").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  if ($("file").files.length) await imported($("file").files[0]);
  $("file").value = "";
});
addEventListener("hashchange", linked);

function options(id, values, all) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
  const sorted = [...counts].sort(([one], [two]) => one.localeCompare(two, "en", { numeric: true }));
  $(id).append(element("option", all, { value: "" }), ...sorted.map(([value, count]) => element("option", `${data.words[value] || value} (${count})`, { value })));
}
for (const item of cases) {
  const texts = item.sides.flatMap((side) => [side.place, side.descriptor, ...side.mentions, ...side.mentions.map((id) => mentions[id].text)]);
  item.found = [item.case, ...texts].join(" ").toLowerCase();
}
options("kind", cases.map((item) => item.kind), "all kinds");
options("topic", cases.map((item) => item.topic), "all topics");
$("about").textContent = `${facts.about.corpus}, ${cases.length} cases`;
$("tools").open = innerWidth > 768;
$("reviewer").value = stored(() => sessionStorage.getItem("cdec-audit/reviewer")) || "";
load();
linked();
rest();
