"use strict";
(() => {
// The page of a reviewer. A decision is a record: verdict, claims, reason, comment, time.
const data = JSON.parse(document.getElementById("data").textContent);
const { cases, about, questions, documents, mentions } = data;
const byId = new Map(cases.map((item) => [item.case, item]));
const groups = new Map(); // cases that are read together: copies of a sentence
for (const item of cases) groups.set(item.group || item.case, [...(groups.get(item.group || item.case) || []), item]);
const $ = (id) => document.getElementById(id);
const VERDICTS = ["error", "not-error", "unsure"];
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const REASONS = Object.entries(data.reasons);
const MEMBERS = 60; // of a chain that are listed
const NOTHING = { verdict: "", claims: [], reason: "", comment: "", time: "" };
const decisions = new Map();
const undone = []; // steps: the cases that each changed, with their records before
let shown = [];
let at = 0;
let waits = false; // for the reason of an answer
let draft = null; // the correction: a fix without some sides, or claims that no fix has

function element(tag, text, attributes = {}, children = []) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
const say = (text) => { $("message").textContent = text; };
const rest = () => $("case").focus({ preventScroll: true }); // the keys act on the case

// ---- decisions: the browser has an entry for each reviewer and case ----

const name = () => $("reviewer").value.trim();
const placeOf = (id) => `cdec-audit/${about.digest}/by/${encodeURIComponent(name())}/case/${id}`;
const recordOf = (id) => decisions.get(id) || NOTHING;
const verdictOf = (id) => recordOf(id).verdict;

function stored(action) {
  try { return action(); } catch (error) {
    say("This browser cannot store decisions: export them before you close the page.");
    return null;
  }
}

// The value of a text in JSON if ``check`` holds for it, else null.
function parsed(text, check) {
  try { const value = JSON.parse(text); return value && check(value) ? value : null; } catch (error) { return null; }
}

const valid = ({ verdict, claims, comment }) => ["", ...VERDICTS].includes(verdict) && typeof comment === "string"
  && Array.isArray(claims) && claims.every((claim) => claim && typeof claim === "object");

function put(id, record) {
  const kept = record.verdict || record.comment;
  if (kept) decisions.set(id, record); else decisions.delete(id);
  stored(() => (kept ? localStorage.setItem(placeOf(id), JSON.stringify(record)) : localStorage.removeItem(placeOf(id))));
}

function change(records) {
  undone.push(records.map(([id]) => [id, recordOf(id)]));
  for (const [id, record] of records) put(id, { ...record, time: new Date().toISOString() });
}

function load() {
  decisions.clear();
  undone.length = 0;
  for (const { case: id } of name() ? cases : []) {
    const record = parsed(stored(() => localStorage.getItem(placeOf(id))), valid);
    if (record) decisions.set(id, record);
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

const parts = (item) => groups.get(item.group || item.case);
const isCopies = (item) => parts(item).length > 1;
const isLink = (item) => item.kind.startsWith("missing");
const asksWhy = (item) => isLink(item) && !isCopies(item);
const inQuestion = (item) => item.sides.filter((side) => !side.evidence);
const letterOf = (number) => LETTERS[number % 26];

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
  const chain = (id) => (mentions[id] ? mentions[id].chain : id);
  const target = (to) => (to && to.startsWith("new:") ? "new:" : chain(to));
  return JSON.stringify(claims.map(({ mention, chain: joined, add, to, tokens, tag }) =>
    JSON.stringify([mention, chain(joined), add, target(to), tokens, tag])).sort());
}

const named = (claims) => [...new Set(claims.flatMap(({ mention, chain, to }) => [mention, chain, to]).filter((id) => mentions[id]))];

// The fix with these claims, and the sides left out of it; else the claims.
function recognised(item, claims) {
  const ids = named(claims);
  const absent = [...item.sides.keys()].filter((number) => !item.sides[number].evidence && !item.sides[number].mentions.some((id) => ids.includes(id)));
  for (const without of [[], absent]) {
    const fix = item.fixes.findIndex((_, number) => canonical(claimsOf(item, { fix: number, without })) === canonical(claims));
    if (fix >= 0) return { fix, without };
  }
  return { fix: null, without: [], kept: claims };
}

// Without a decision the first correction, or none if another is equally probable.
function draftOf(item) {
  if (verdictOf(item.case)) return recognised(item, recordOf(item.case).claims);
  return { fix: item.fixes[0].tied ? null : 0, without: [] };
}

// ---- the case ----

// Why the case was flagged, and the text in which the filter searches.
function why({ reasons, detectors, rank, score }) {
  const flags = Object.entries(detectors).map(([name_, value]) => `${name_} ${value.toFixed(2)}`).join(", ");
  const likely = typeof score === "number" ? [`probability of an error: ${score.toFixed(2)}`] : [];
  return [...reasons, `flagged by: ${flags}`, `rank in the whole list: ${rank}`, ...likely];
}

function searched(item) {
  const ids = item.sides.flatMap((side) => [...side.mentions, side.place || ""]);
  const texts = ids.map((id) => (mentions[id] ? mentions[id].text : ""));
  const words = [item.case, `topic ${item.topic}`, data.words[item.kind], ...ids, ...texts, ...item.sides.map((side) => side.descriptor || "")];
  return words.join(" ").toLowerCase();
}

const answersOf = (item) => questions[item.kind][1];
const answerOf = (item, verdict) => answersOf(item)[verdict] || "undecided";

// The verdict of all cases of a group, if it is one.
function verdictOn(item) {
  const given = new Set(parts(item).map((each) => verdictOf(each.case)));
  return given.size === 1 ? [...given][0] : "";
}

// Words, in which some tokens are marked as those of the mention, and others. Corpus text enters the page as text nodes only.
function marked(words, own, others, missing) {
  const nodes = [];
  let last = null;
  let before = "";
  words.forEach((word, position) => {
    let kind = others.includes(position) ? "other" : "";
    if (own.includes(position)) kind = missing ? "missing" : "own";
    if (kind && kind === before) last.textContent += ` ${word}`;
    else {
      last = kind ? element("mark", word, { class: kind }) : null;
      nodes.push(last || word, " ");
    }
    before = kind;
  });
  return nodes;
}

function sentence({ doc, number, tokens, where, missing }) {
  const words = marked(documents[doc].sentences[number], tokens, [], missing);
  return [element("p", where, { class: "where" }), element("p", "", { class: "sentence", dir: "auto" }, words)];
}

function folded(kind, title, children, unfolded) {
  const frame = element("div", "", { tabindex: "0", role: "region", "aria-label": title }, children);
  return element("details", "", { class: kind, ...(unfolded && { open: "" }) }, [element("summary", title), frame]);
}

function documentOf({ doc, number, tokens, missing }) {
  const { sentences, date, marks } = documents[doc];
  const items = sentences.map((words, at_) => element("li", "", { value: at_, dir: "auto", ...(at_ === number && { "aria-current": "true" }) },
    marked(words, at_ === number ? tokens : [], marks[at_], missing)));
  return folded("document", `Document ${doc}${date && `, ${date}`}`, [element("ol", "", {}, items)]);
}

function card(title, spots, more = []) {
  const shown_ = spots.flatMap((spot) => [...sentence(spot), documentOf(spot)]);
  return element("section", "", { class: "side", "aria-label": title }, [element("h3", title), ...shown_, ...more]);
}

function sideCard(item, side, number) {
  const letter = item.sides.length === 1 ? "Mention" : letterOf(number);
  const more = side.members.length - MEMBERS;
  const members = side.members.slice(0, MEMBERS).flatMap((id) => sentence(mentions[id]));
  if (more > 0) members.push(element("p", `and ${more} more`));
  const spots = side.place ? [data.places[side.place]] : side.mentions.map((id) => mentions[id]);
  const made = card(`${letter} · ${item.chains[number]}`, spots, members.length ? [folded("members", `Other members of ${letter}`, members, true)] : []);
  if (isLink(item) && !side.evidence && inQuestion(item).length > 2) made.prepend(picker(item, number, letter));
  return made;
}

// Copies of a sentence: each once with all its mentions.
function copyCards(item) {
  const places = new Map();
  for (const id of parts(item).flatMap(inQuestion).flatMap((side) => side.mentions)) {
    const spot = mentions[id];
    const before = places.get(`${spot.doc}#${spot.number}`);
    places.set(`${spot.doc}#${spot.number}`, before ? { ...before, tokens: [...before.tokens, ...spot.tokens] } : spot);
  }
  return [...places.values()].map((spot, number) => card(letterOf(number), [spot]));
}

const labelled = (input, text, attributes) => element("label", "", attributes, [input, ` ${text}`]);

// Whether a side belongs to the link, which needs two.
function picker(item, number, letter) {
  const input = element("input", "", { type: "checkbox", "aria-label": `${letter} is the same event` });
  input.checked = !draft.without.includes(number);
  input.disabled = input.checked && inQuestion(item).length - draft.without.length < 3;
  input.addEventListener("change", () => {
    revise({ ...draft, without: draft.without.filter((one) => one !== number).concat(input.checked ? [] : number) });
    render();
  });
  return labelled(input, "same event", { class: "pick" });
}

function batch(item) {
  return parts(item).map((each) => {
    const input = element("input", "", { type: "checkbox", "data-part": each.case });
    input.checked = verdictOf(each.case) !== "not-error";
    return labelled(input, `${mentions[each.sides[0].mentions[0]].text}: ${each.fixes[0].text}`);
  });
}

function fixes(item) {
  const texts = item.fixes.map((fix) => fix.text).concat(draft.kept ? `another correction, of ${named(draft.kept).join(", ")}` : []);
  return texts.map((text, number) => {
    const input = element("input", "", { type: "radio", name: "fix", value: number });
    input.checked = number === (draft.kept ? item.fixes.length : draft.fix);
    input.addEventListener("change", () => choose(number));
    return labelled(input, `${number + 1}. ${text}`);
  });
}

const press = (button, on) => button.setAttribute("aria-pressed", String(on));
const fill = (id, children) => $(id).replaceChildren(...children);
const lines = (texts) => texts.map((text) => element("li", text));
const answerButtons = [...document.querySelectorAll(".verdicts button")];

function render() {
  const item = shown[at];
  const [errors, right, unsure] = VERDICTS.map((verdict) => cases.filter((item) => verdictOf(item.case) === verdict).length);
  $("bar").max = cases.length || 1;
  $("bar").value = errors + right + unsure;
  $("counts").textContent = `${errors + right + unsure} of ${cases.length} decided: ${errors} errors, ${right} right, ${unsure} not sure`;
  $("main").hidden = !item;
  for (const button of answerButtons) button.disabled = !item;
  if (!item) { $("title").textContent = "No case matches the filter."; return; }
  const record = recordOf(item.case);
  const copied = isCopies(item);
  const given = verdictOn(item);
  $("title").textContent = `${at + 1} of ${shown.length}: ${copied ? "copies of a sentence" : data.words[item.kind]}, topic ${item.topic}`;
  $("question").textContent = copied ? "These sentences are copies. Same events?" : questions[item.kind][0];
  $("verdict").textContent = answerOf(item, given);
  $("verdict").style.color = given && `var(--${given})`;
  $("comment").value = record.comment;
  $("comment").disabled = !name();
  Object.entries(answersOf(item)).forEach(([verdict, words], number) => {
    answerButtons[number].dataset.verdict = verdict;
    answerButtons[number].firstChild.textContent = `${words} `;
    press(answerButtons[number], verdict === given);
  });
  $("why").hidden = record.verdict !== "not-error" || !asksWhy(item);
  for (const button of $("why").children) press(button, button.dataset.reason === record.reason);
  fill("sides", copied ? copyCards(item) : item.sides.map((side, number) => sideCard(item, side, number)));
  $("fixes").hidden = copied;
  $("batch").hidden = !copied;
  fill("parts", copied ? batch(item) : []);
  fill("fixlist", copied ? [] : fixes(item));
  fill("reasons", lines(why(item)));
  $("model").open = Boolean(record.verdict);
}

// ---- answers ----

function decide(verdict) {
  const item = shown[at];
  if (!item || unnamed()) return;
  const copied = isCopies(item);
  if (verdict === "error" && !copied && draft.fix === null && !draft.kept) {
    $("fixes").scrollIntoView({ block: "center" });
    say("Two corrections are equally probable: choose one, by its number, then answer again.");
    return;
  }
  const again = verdictOn(item) === verdict;
  change(parts(item).map((each) => {
    const before = recordOf(each.case);
    const own = { ...before, verdict, reason: again ? before.reason : "" };
    if (!copied) return [each.case, { ...own, claims: claimsOf(each, draft) }];
    // The answer holds for each link with a tick; the others are different.
    const ticked = $("parts").querySelector(`[data-part="${each.case}"]`).checked;
    return [each.case, { ...own, verdict: verdict === "error" && !ticked ? "not-error" : verdict, claims: each.fixes[0].claims }];
  }));
  waits = !again && verdict === "not-error" && asksWhy(item);
  if (waits) render(); else nextOpen();
}

// A decided case keeps its verdict when its correction changes.
function revise(chosen) {
  const { case: id } = shown[at];
  draft = chosen;
  if (verdictOf(id)) change([[id, { ...recordOf(id), claims: claimsOf(shown[at], draft) }]]);
}

function choose(number) {
  if (!shown[at] || isCopies(shown[at]) || number >= shown[at].fixes.length) return;
  revise({ fix: number, without: draft.without });
  render();
}

function explain(number) {
  if (number >= REASONS.length) return;
  const { case: id } = shown[at];
  change([[id, { ...recordOf(id), reason: REASONS[number][0] }]]);
  if (waits) nextOpen(); else render();
}

// Show the case that was changed last, whatever the filter.
function undo() {
  const last = undone.pop();
  if (!last) { say("Nothing to undo."); return; }
  for (const [id, before] of last) put(id, before);
  if (!fits(byId.get(last[0][0]))) $("state").value = $("search").value = "";
  filter(last[0][0]);
  say("Undone.");
}

// ---- which cases are shown, and the way between them ----

const isDecided = (item) => parts(item).every((each) => verdictOf(each.case));

function fits(item) {
  const state = $("state").value;
  const { verdict, comment } = recordOf(item.case);
  return item.found.includes($("search").value.trim().toLowerCase())
    && (!state || state === verdict || (state === "open" && !verdict) || (state === "comment" && comment));
}

// Show the cases that fit, from that of the case ``keep``, or else from the first undecided one.
function filter(keep) {
  shown = [...groups.values()].map((group) => group.find(fits)).filter(Boolean);
  const spot = shown.findIndex((item) => parts(item).some((each) => each.case === keep));
  show(Math.max(0, spot >= 0 ? spot : shown.findIndex((item) => !isDecided(item))));
}

function show(number) {
  at = number;
  waits = false;
  draft = shown[at] ? draftOf(shown[at]) : null;
  say("");
  render();
  scrollTo(0, 0);
}

function go(step) {
  if (shown[at + step]) show(at + step);
  else say(step > 0 ? "This is the last case." : "This is the first case.");
}

function nextOpen() {
  const undecided = [...shown.keys()].filter((number) => !isDecided(shown[number]));
  show(undecided.find((number) => number > at) ?? undecided[0] ?? at);
  if (!undecided.length) say("All cases shown are decided. Press x to export the decisions.");
}

// ---- files ----

function exported() {
  if (unnamed()) return;
  const decided = cases.filter((item) => verdictOf(item.case)).map((item) => ({ case: item.case, kind: item.kind, ...recordOf(item.case) }));
  const content = { format: data.format, reviewer: name(), about, decisions: decided };
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(content, null, 1)}\n`], { type: "application/json" }));
  element("a", "", { href: url, download: `decisions-${name().replace(/[^\w-]+/g, "_")}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  say(`Decisions exported: ${decided.length}.`);
}

// Decisions of a file are taken for undecided cases only.
async function imported(file) {
  const content = parsed(await file.text().catch(() => ""), (value) => value.format === data.format && Array.isArray(value.decisions));
  if (!content || !content.about || content.about.digest !== about.digest) { say(`${file.name} has no decisions of the version ${data.format} on this corpus.`); return; }
  if (!name() && typeof content.reviewer === "string") { $("reviewer").value = content.reviewer; renamed(); }
  if (unnamed()) return;
  const given = content.decisions.map((one) => ({ ...NOTHING, ...one })).filter((one) => one.verdict && valid(one));
  const taken = given.filter(({ case: id }) => byId.has(id) && !verdictOf(id));
  undone.push(taken.map(({ case: id }) => [id, recordOf(id)]));
  for (const { case: id, kind, ...record } of taken) put(id, record); // with their own times
  filter(shown[at] && shown[at].case);
  say(`Decisions imported: ${taken.length} of ${content.decisions.length}; not those on cases that you have decided, or that this page has not.`);
}

function renamed() {
  stored(() => sessionStorage.setItem("cdec-audit/reviewer", name()));
  load();
  filter(shown[at] && shown[at].case);
  say(name() ? `Decisions of ${name()}: ${decisions.size}.` : "");
}

// ---- keys, buttons and filters; then the first case ----

// Fold or unfold the members of chains, or the documents.
function fold(kind) {
  for (const each of document.querySelectorAll(kind)) each.open = !each.open;
}

const next = () => go(1);
const previous = () => go(-1);
const keys = {
  s: () => decide(answerButtons[0].dataset.verdict), d: () => decide(answerButtons[1].dataset.verdict), u: () => decide("unsure"),
  z: undo, j: next, ArrowRight: next, k: previous, ArrowLeft: previous, o: nextOpen, x: exported,
  m: () => fold(".members"), v: () => fold(".document"), c: () => $("comment").focus(), Enter: () => { if (waits) nextOpen(); },
};
for (let number = 1; number < 10; number += 1) keys[number] = () => ($("why").hidden ? choose : explain)(number - 1);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const control = event.target.closest("input, select, textarea, button, summary, a");
  if (control && (event.key === "Escape" || (event.key === "Enter" && control === $("reviewer")))) rest();
  // A held key moves, but decides once only.
  if (control || !keys[event.key] || (event.repeat && !["j", "k", "ArrowRight", "ArrowLeft"].includes(event.key))) return;
  event.preventDefault();
  keys[event.key]();
});
document.body.addEventListener("click", (event) => {
  const button = event.target.closest("[data-key]");
  if (button) keys[button.dataset.key]();
  // After a click the keys act again.
  if (event.detail && event.target.closest("main input, [data-key]") && document.activeElement !== $("reviewer")) rest();
});
fill("why", REASONS.map(([code, text], number) => element("button", `${number + 1}. ${text}`, { type: "button", "data-key": number + 1, "data-reason": code })));
for (const id of ["state", "search"]) $(id).addEventListener("input", () => { say(""); filter(); });
$("comment").addEventListener("input", () => put(shown[at].case, { ...recordOf(shown[at].case), comment: $("comment").value.trim() }));
$("reviewer").addEventListener("change", renamed);
$("import").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  if ($("file").files.length) await imported($("file").files[0]);
  $("file").value = "";
});

$("about").textContent = `${about.corpus}, ${cases.length} cases`;
$("tools").open = innerWidth > 768;
$("reviewer").value = stored(() => sessionStorage.getItem("cdec-audit/reviewer")) || "";
for (const item of cases) item.found = searched(item);
load();
filter();
rest();
})();
