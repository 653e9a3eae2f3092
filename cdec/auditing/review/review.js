"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const cases = data.cases;
  const byId = new Map(cases.map((item) => [item.case, item]));
  const $ = (id) => document.getElementById(id);
  const VERDICTS = ["error", "not-error", "unsure"];
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const FILTERS = ["kind", "topic", "detector", "reviewed", "state", "search"];
  const decisions = new Map();
  const counts = { error: 0, "not-error": 0, unsure: 0 };
  let replaced = 0; // decisions whose correction this page does not offer
  const undone = [];
  const answers = [];
  let shown = [];
  let at = 0;
  let open = null; // members: null shows them where the question is about a chain
  let context = false;
  let draft = { fix: 0, without: [] };

  // One entry of the browser's storage for each reviewer and case, written at each decision:
  // reviewers do not see each other's verdicts, and two tabs do not overwrite each other.
  const UNNAMED = "reviewer";
  const name = () => $("reviewer").value.trim() || UNNAMED;
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
  const placeOf = (reviewer, id) => `by/${encodeURIComponent(reviewer)}/case/${id}`;
  const place = (id) => placeOf(name(), id);
  let earlier = null; // the name before the last change, and its decisions

  // The name belongs to the tab: another tab may have another reviewer. A new tab starts with the last name.
  const tab = {
    get() {
      try { return sessionStorage.getItem(`${base}reviewer`); } catch (error) { return null; }
    },
    set(value) {
      try { sessionStorage.setItem(`${base}reviewer`, value); } catch (error) { /* this tab only */ }
    },
  };

  function valid(record) {
    return record && (record.verdict === "" || VERDICTS.includes(record.verdict))
      && typeof record.comment === "string";
  }

  function parsed(text) {
    if (!text) return null;
    try { const record = JSON.parse(text); return valid(record) ? record : null; } catch (error) { return null; }
  }

  function remember(id, record) {
    const before = decisions.get(id);
    if (before && before.verdict) counts[before.verdict] -= 1;
    if (record && (record.verdict || record.comment)) decisions.set(id, record); else decisions.delete(id);
    if (record && record.verdict) counts[record.verdict] += 1;
  }

  // The correction is stored as well as its number: another list may offer it under another number.
  function put(id, record) {
    remember(id, record);
    const stored = decisions.has(id) && { ...record, operation: operation(byId.get(id), record) };
    store.set(place(id), stored ? JSON.stringify(stored) : null);
  }

  function restored(id, text) {
    const record = parsed(text);
    if (!record || !record.operation || record.fix === null) return record;
    const { operation: wanted, ...rest } = record;
    return { ...rest, ...recognised(byId.get(id), wanted) };
  }

  function load() {
    decisions.clear();
    undone.length = 0;
    answers.length = 0;
    for (const verdict of VERDICTS) counts[verdict] = 0;
    replaced = 0;
    for (const item of cases) remember(item.case, restored(item.case, store.get(place(item.case))));
    if (replaced) say(`Corrections replaced by the first one, since this page does not offer them: ${replaced}.`);
    const dated = [...decisions].filter(([, record]) => record.verdict && record.time);
    dated.sort((a, b) => (a[1].time < b[1].time ? -1 : 1));
    answers.push(...dated.slice(-10).map(([id]) => id));
    if (!store.works) say("This browser cannot store decisions: export them before you close the page.");
  }

  function element(tag, text, attributes = {}) {
    const node = document.createElement(tag);
    if (text) node.textContent = text;
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  }

  // Positions of the words that two sentences have in common, in order.
  function common(one, two) {
    const rows = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
    for (let i = one.length - 1; i >= 0; i -= 1) {
      for (let j = two.length - 1; j >= 0; j -= 1) {
        rows[i][j] = one[i] === two[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
      }
    }
    const found = [new Set(), new Set()];
    for (let i = 0, j = 0; i < one.length && j < two.length;) {
      if (one[i] === two[j]) { found[0].add(i); found[1].add(j); i += 1; j += 1; }
      else if (rows[i + 1][j] >= rows[i][j + 1]) i += 1; else j += 1;
    }
    return found;
  }

  // Words of each side that differ from side A, if the sentences are nearly identical.
  function differences(item) {
    const sentences = item.sides.map((side) => wordsOf(sentenceOf(side)).map((word) => word.toLowerCase()));
    if (!item.kind.startsWith("missing") && item.kind !== "copies-differ") return sentences.map(() => null);
    const marks = sentences.map(() => null);
    sentences.slice(1).forEach((words, number) => {
      const [first, second] = common(sentences[0], words);
      if (2 * second.size < 0.7 * (sentences[0].length + words.length)) return;
      const other = (all, set) => new Set(all.map((_, i) => i).filter((i) => !set.has(i)));
      marks[number + 1] = other(words, second);
      marks[0] = new Set([...(marks[0] || []), ...other(sentences[0], first)]);
    });
    return marks;
  }

  function sentenceOf(side) { return side.mentions.length ? data.mentions[side.mentions[0]].sentence : data.places_of[side.place].sentence; }
  function wordsOf(key) {
    const cut = key.lastIndexOf("#");
    return data.documents[key.slice(0, cut)].sentences[Number(key.slice(cut + 1))];
  }

  // Corpus text enters the page as text nodes only.
  function sentence(key, tokens, marked, mark = "mark") {
    const own = new Set(tokens);
    const kinds = new Map();
    for (const span of data.spans[key] || []) for (const token of span.tokens) kinds.set(token, span.tag);
    const line = element("p", "", { class: "sentence", dir: "auto" });
    let run = null;
    wordsOf(key).forEach((word, position) => {
      const kind = own.has(position) ? "*" : kinds.get(position) || "";
      const differs = Boolean(marked && marked.has(position));
      if (run && run.kind === kind && run.differs === differs) { run.words.push(word); return; }
      if (run) flush(line, run, mark);
      run = { kind, differs, words: [word] };
    });
    if (run) flush(line, run, mark);
    return line;
  }

  function flush(line, run, mark) {
    const text = run.words.join(" ");
    let node = document.createTextNode(text);
    if (run.kind === "*") node = mark === "mark" ? element("mark", text) : element("span", text, { class: "missing" });
    else if (run.kind) {
      node = element("span", text, { class: "argument", title: run.kind });
      node.append(element("small", short(run.kind)));
    }
    if (run.differs) {
      const wrapped = element("span", "", { class: "differs" });
      wrapped.append(node);
      node = wrapped;
    }
    line.append(node, document.createTextNode(" "));
  }

  function short(tag) {
    return tag.startsWith("HUMAN") ? "who" : tag.startsWith("TIME") ? "when" : tag.startsWith("LOC") ? "where" : "what";
  }

  function where(id) {
    const mention = data.mentions[id];
    const [doc, number] = mention.sentence.split("#");
    const tag = mention.tag ? ` · ${mention.tag}` : "";
    return `${doc}, sentence ${number}${tag}${mention.reviewed === false ? " · sentence not reviewed" : ""}`;
  }

  // Headline, date and the sentences before and after.
  function around(key) {
    const [doc, text] = key.split("#");
    const { sentences, start, date } = data.documents[doc];
    const number = Number(text);
    const block = element("div", "", { class: "around" });
    if (date) block.append(element("p", `date: ${date}`));
    const near = [start, start + 1, number - 1, number, number + 1];
    const listed = [...new Set(near)].filter((n) => n >= 0 && n < sentences.length).sort((a, b) => a - b);
    for (const n of listed) {
      const words = sentences[n].join(" ");
      block.append(element("p", n === number ? `${n}: (this sentence)` : `${n}: ${words}`, { dir: "auto" }));
    }
    return block;
  }

  function listed(ids, into, marked) {
    for (const id of ids) {
      const mention = data.mentions[id];
      into.append(element("p", where(id), { class: "where" }), sentence(mention.sentence, mention.tokens, marked));
      if (context) into.append(around(mention.sentence));
    }
  }

  function side(item, number, marked) {
    const each = item.sides[number];
    const label = item.sides.length === 1 ? "Mention" : LETTERS[number % 26];
    const card = element("section", "", { class: "side", "aria-label": `Side ${label}` });
    const size = each.members.length + each.mentions.length;
    if (item.kind === "missing-singleton-singleton" && item.sides.length > 2) card.append(picker(number, label));
    card.append(element("h3", label));
    if (each.place) {
      const spot = data.places_of[each.place];
      const [doc, at_] = spot.sentence.split("#");
      card.append(element("p", `${doc}, sentence ${at_} · no mention here`, { class: "where" }), sentence(spot.sentence, spot.tokens, marked, "missing"));
      if (context) card.append(around(spot.sentence));
      return card;
    }
    const chain = each.descriptor || each.chain;
    const length = !item.kind.startsWith("missing") && !each.members.length ? "" : size === 1 ? "singleton · " : `${size} mentions · `;
    card.append(element("p", length + chain, { class: "chain" }));
    listed(each.mentions, card, marked);
    if (each.members.length && membersOpen(item)) {
      const more = element("div", "", { class: "members", tabindex: "0", role: "region", "aria-label": `Other members of ${label}` });
      listed(each.members.slice(0, 60), more, null);
      if (each.members.length > 60) more.append(element("p", `and ${each.members.length - 60} more`));
      card.append(more);
    }
    return card;
  }

  // After a click the keys act again; with the arrow keys the focus stays.
  function clicked(event) { if (event.detail) $("case").focus(); }

  function membersOpen(item) {
    return open === null ? item.kind !== "missing-singleton-singleton" : open;
  }

  function picker(number, label) {
    const box = element("label", "", { class: "pick" });
    const input = element("input", "", { type: "checkbox", "aria-label": `${label} is the same event` });
    input.checked = !draft.without.includes(number);
    input.addEventListener("change", () => {
      const others_ = draft.without.filter((n) => n !== number);
      if (!input.checked && shown[at].sides.length - others_.length <= 2) {
        input.checked = true;
        say("A link needs at least two mentions.");
        return;
      }
      draft.without = input.checked ? others_ : [...others_, number];
      revise();
    });
    input.addEventListener("click", clicked);
    box.append(input, document.createTextNode(" same event"));
    return box;
  }

  // A decided case keeps its verdict when fix or sides change.
  function revise() {
    const item = shown[at];
    const before = decisions.get(item.case);
    if (!before || !before.verdict) return;
    undone.push([{ id: item.case, before }]);
    put(item.case, { ...before, ...draft, time: new Date().toISOString() });
  }

  const QUESTIONS = {
    "missing-singleton-singleton": "Do all these mentions refer to the same event? If yes, choose Error.",
    "missing-singleton-cluster": "Does each singleton refer to the event of the chain? If yes, choose Error.",
    "missing-cluster-cluster": "Do A and B refer to the same event? If yes, choose Error, and what corrects it.",
    "spurious-member": "Does A refer to a different event than its chain (B)? If yes, choose Error. C, if shown, is the most similar mention of another chain.",
    "two-events": "Do A and B, with their members, refer to two different events? If yes, choose Error.",
    "contradicting-members": "B is a participant, place or time. Is it wrong that the events in A share its chain or name? If yes, choose Error.",
    "no-event": "Is this mention not an event? If it is none, choose Error.",
    "copies-differ": "The sentences are identical. Is one of the annotations wrong? If yes, choose Error, and which is right.",
    "unmarked-mention": "Is a mention missing at A? If yes, choose Error, and the chain to which it belongs.",
  };

  function likelihood(item) {
    const rank = item.rank ? [`rank in the whole list: ${item.rank}`] : [];
    return item.score === null ? rank : [...rank, `probability of an error: ${item.score.toFixed(2)}`];
  }

  function fill(list, lines) {
    list.replaceChildren(...lines.map((line) => element("li", line)));
  }

  function fixes(item) {
    const list = $("fixlist");
    list.replaceChildren(...item.fixes.map((fix, number) => {
      const label = element("label", "");
      const input = element("input", "", { type: "radio", name: "fix", value: String(number) });
      input.checked = number === draft.fix;
      input.addEventListener("change", () => choose(number));
      input.addEventListener("click", clicked);
      const key = element("kbd", String(number + 1), { "aria-hidden": "true" });
      label.append(input, document.createTextNode(" "), key, document.createTextNode(` ${fix.text}`));
      return label;
    }));
  }

  // The correction before a choice: the first one, or none if another is equally probable.
  const suggested = (item) => (item.fixes[0].tied ? null : 0);

  function choose(number) {
    const item = shown[at];
    if (!item || number >= item.fixes.length) return;
    draft.fix = number;
    $("fixlist").querySelectorAll("input")[number].checked = true;
    revise();
  }

  function batch(item) {
    const box = $("batch");
    const all = item.group ? data.groups[item.group] : [];
    box.hidden = all.length < 2;
    if (box.hidden) return;
    const waiting = all.filter((id) => !(decisions.get(id) || {}).verdict);
    box.replaceChildren(element("div", `${all.length} cases of these sentences, ${waiting.length} undecided:`));
    const list = element("ul", "");
    for (const id of all) {
      const words = byId.get(id).words[0];
      const record = decisions.get(id);
      list.append(element("li", `${words}${record && record.verdict ? `: ${record.verdict.replace("-", " ")}` : ""}${id === item.case ? " (this case)" : ""}`));
    }
    const button = element("button", "Error for all undecided", { type: "button", "aria-keyshortcuts": "Shift+E" });
    button.append(element("kbd", "E", { "aria-hidden": "true" }));
    button.addEventListener("click", () => { together("error"); $("case").focus(); });
    const none = element("button", "Not an error for all", { type: "button", "aria-keyshortcuts": "Shift+N" });
    none.append(element("kbd", "N", { "aria-hidden": "true" }));
    none.addEventListener("click", () => { together("not-error"); $("case").focus(); });
    box.append(list, button, document.createTextNode(" "), none);
  }

  function others(item) {
    const box = $("others");
    const lines = data.reviews.flatMap((review) => {
      const vote = review.decisions[item.case];
      return vote ? [`${review.reviewer}: ${vote.verdict.replace("-", " ")}${vote.fix ? `, ${vote.fix}` : ""}${vote.comment ? ` (${vote.comment})` : ""}`] : [];
    });
    box.hidden = !lines.length;
    const list = element("ul", "");
    fill(list, lines);
    box.replaceChildren(element("div", "Verdicts of the reviewers:"), list);
  }

  function render() {
    const item = shown[at];
    const empty = !item;
    for (const id of ["sides", "reasons", "for", "against"]) $(id).replaceChildren();
    $("question").textContent = empty ? "No case matches the filter." : QUESTIONS[item.kind];
    $("title").textContent = empty ? "No cases" : `${at + 1} of ${shown.length}: ${item.kind.replaceAll("-", " ")}, topic ${item.topic}`;
    $("fixes").hidden = empty;
    $("model").hidden = empty;
    const record = (item && decisions.get(item.case)) || { verdict: "", comment: "" };
    draft = { fix: item ? record.fix ?? suggested(item) : 0, without: [...(record.without || [])] };
    $("verdict").textContent = record.verdict ? record.verdict.replace("-", " ") : "undecided";
    $("verdict").dataset.verdict = record.verdict;
    $("comment").value = record.comment;
    $("comment").disabled = empty;
    for (const button of document.querySelectorAll("footer [data-verdict]")) {
      button.setAttribute("aria-pressed", String(button.dataset.verdict === record.verdict));
      button.disabled = empty;
    }
    document.querySelector("[data-do=context]").setAttribute("aria-pressed", String(context));
    document.querySelector("[data-do=members]").setAttribute("aria-pressed", String(Boolean(item && membersOpen(item))));
    progress();
    if (empty) { $("batch").hidden = true; $("others").hidden = true; return; }
    const marks = differences(item);
    $("sides").append(...item.sides.map((_, number) => side(item, number, marks[number])));
    fixes(item);
    batch(item);
    others(item);
    const flags = Object.entries(item.detectors).map(([key, score]) => `${key} ${score.toFixed(2)}`);
    fill($("reasons"), [...item.reasons, `flagged by: ${flags.join(", ")}`, ...likelihood(item)]);
    const feature = (e) => `${e.feature.replaceAll("_", " ")} = ${e.value.toFixed(2)} (${e.adds > 0 ? "+" : "−"}${Math.abs(e.adds).toFixed(2)})`;
    fill($("for"), item.evidence.filter((e) => e.adds > 0).map(feature));
    fill($("against"), item.evidence.filter((e) => e.adds <= 0).reverse().map(feature));
    $("evidence").hidden = !item.evidence.length;
    $("model").open = Boolean(record.verdict);
    $("live").textContent = `${$("title").textContent}, ${$("verdict").textContent}`;
    store.set("at", item.case);
    try { history.replaceState(null, "", `#case=${item.case}`); } catch (error) { /* not allowed here */ }
  }

  function progress() {
    const done = counts.error + counts["not-error"] + counts.unsure;
    $("bar").max = cases.length || 1;
    $("bar").value = done;
    $("counts").textContent = `${done} of ${cases.length} decided: ${counts.error} errors, ${counts["not-error"]} not errors, ${counts.unsure} unsure`;
    $("last").replaceChildren(...answers.slice(-10).reverse().map((id) => {
      const line = element("li", "");
      const item = byId.get(id);
      const link = element("a", item.words.slice(0, 3).join(", "), { href: `#case=${id}` });
      line.append(link, document.createTextNode(`: ${(decisions.get(id) || {}).verdict || "undone"}`));
      return line;
    }));
    $("history").hidden = !answers.length;
  }

  function fits(item) {
    const state = $("state").value;
    const record = decisions.get(item.case) || { verdict: "", comment: "" };
    const text = $("search").value.trim().toLowerCase();
    return (!$("kind").value || item.kind === $("kind").value)
      && (!$("topic").value || item.topic === $("topic").value)
      && (!$("detector").value || $("detector").value in item.detectors)
      && (!$("reviewed").value || item.reviewed === ($("reviewed").value === "yes"))
      && (!text || item.found.includes(text))
      && (state === "all" || (state === "open" && !record.verdict)
        || (state === "comment" && record.comment) || state === record.verdict);
  }

  function filter(keep) {
    shown = cases.filter(fits);
    const spot = shown.findIndex((item) => item.case === keep);
    at = spot >= 0 ? spot : 0;
    open = null;
    render();
  }

  function show(number) {
    at = number;
    open = null;
    say("");
    render();
    scrollTo(0, 0);
  }

  function go(step) {
    keepComment();
    const spot = at + step;
    if (spot < 0 || spot >= shown.length) { say(step > 0 ? "This is the last case." : "This is the first case."); render(); return; }
    show(spot);
  }

  function nextOpen(from) {
    const undecided = (item) => !(decisions.get(item.case) || {}).verdict;
    let spot = shown.findIndex((item, index) => index >= from && undecided(item));
    if (spot < 0) spot = shown.findIndex(undecided);
    if (spot < 0) { say("All cases shown are decided. Press x to export the decisions."); render(); return; }
    show(spot);
  }

  function answered(id) {
    const spot = answers.indexOf(id);
    if (spot >= 0) answers.splice(spot, 1);
    answers.push(id);
    if (answers.length > 50) answers.shift();
  }

  function decide(verdict) {
    const item = shown[at];
    if (!item) return;
    if (verdict === "error" && draft.fix === null) { say("Two corrections are equally probable: choose one first."); return; }
    keepComment();
    const before = decisions.get(item.case) || null;
    const again = before && before.verdict;
    undone.push([{ id: item.case, before }]);
    put(item.case, { verdict, comment: before ? before.comment : "", ...draft, time: new Date().toISOString() });
    answered(item.case);
    // A new verdict on a decided case goes to the next case, a first one to the next undecided.
    if (again) go(1); else nextOpen(at + 1);
  }

  function together(verdict) {
    const item = shown[at];
    if (!item || !item.group) { say("This case has no group of sentences."); return; }
    keepComment();
    const proposed = (id) => (id === item.case ? draft : { fix: suggested(byId.get(id)), without: [] });
    const undecided = data.groups[item.group].filter((id) => !(decisions.get(id) || {}).verdict);
    const waiting = undecided.filter((id) => verdict !== "error" || proposed(id).fix !== null);
    const left = undecided.length - waiting.length;
    if (!undecided.length) { say("All cases of the group are decided."); return; }
    const time = new Date().toISOString();
    undone.push(waiting.map((id) => ({ id, before: decisions.get(id) || null })));
    for (const id of waiting) {
      const before = decisions.get(id);
      put(id, { verdict, comment: before ? before.comment : "", ...proposed(id), time });
      answered(id);
    }
    nextOpen(at + 1);
    say(`${waiting.length} cases: ${verdict.replace("-", " ")}.${left ? ` Two corrections are equally probable, choose one: ${left}.` : ""}`);
  }

  function keepComment() {
    const item = shown[at];
    if (!item) return;
    const before = decisions.get(item.case) || null;
    const comment = $("comment").value.trim();
    if (comment === (before ? before.comment : "")) return;
    undone.push([{ id: item.case, before }]);
    put(item.case, { ...(before || { verdict: "" }), comment, time: new Date().toISOString() });
    progress();
  }

  function undo() {
    const last = undone.pop();
    if (!last) { say("Nothing to undo."); return; }
    for (const { id, before } of last) put(id, before);
    const spot = shown.findIndex((item) => item.case === last[0].id);
    if (spot >= 0) show(spot); else filter(last[0].id);
    say("Undone.");
  }

  // The operation of a decision: that of the chosen fix, without the sides that do not belong.
  function operation(item, record) {
    const chosen = (item.fixes[record.fix || 0] || item.fixes[0]).operation;
    const without = new Set((record.without || []).flatMap((number) => item.sides[number].mentions));
    const merge = (chosen.merge || []).filter((id) => !without.has(id));
    return chosen.merge && without.size && merge.length > 1 ? { ...chosen, merge } : chosen;
  }

  function named(chosen) {
    const lists = ["merge", "move", "remove"].flatMap((key) => chosen[key] || []);
    const maps = ["span", "tag"].flatMap((key) => Object.keys(chosen[key] || {}));
    return [...lists, ...maps, ...Object.values(chosen.add || {})];
  }

  function record() {
    const list = [];
    const places = {};
    const changed = new Set();
    for (const item of cases) {
      const decision = decisions.get(item.case);
      if (!decision || !decision.verdict) continue;
      const chosen = operation(item, decision);
      list.push({ case: item.case, kind: item.kind, verdict: decision.verdict, comment: decision.comment, operation: chosen, time: decision.time });
      for (const id of named(chosen)) { places[id] = data.places[id]; changed.add(data.chains[id]); }
    }
    const members = Object.keys(data.chains).filter((id) => changed.has(data.chains[id]));
    const [chains, sentences] = [data.chains, data.sentences].map((of) => Object.fromEntries(members.map((id) => [id, of[id]])));
    return { format: data.format, reviewer: name(), about: data.about, decisions: list, places, chains, sentences };
  }

  function exported() {
    keepComment();
    const content = record();
    const link = element("a", "", { download: `decisions-${content.reviewer.replace(/[^\w-]+/g, "_")}.json` });
    link.href = URL.createObjectURL(new Blob([`${JSON.stringify(content, null, 1)}\n`], { type: "application/json" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`Decisions exported: ${content.decisions.length}.`);
  }

  // The number of the fix with this operation, and the sides left out of its merge.
  function recognised(item, wanted) {
    const text = JSON.stringify(wanted);
    const merge = new Set(wanted && Array.isArray(wanted.merge) ? wanted.merge : []);
    const without = item.sides.flatMap((each, number) => (each.mentions.some((id) => merge.has(id)) ? [] : [number]));
    for (let fix = 0; fix < item.fixes.length; fix += 1) {
      const own = [{ fix, without: [] }, { fix, without }].find((draft_) => JSON.stringify(operation(item, draft_)) === text);
      if (own) return own;
    }
    replaced += 1;
    return { fix: 0, without: [] };
  }

  async function imported(file) {
    let content;
    try { content = JSON.parse(await file.text()); } catch (error) { say(`${file.name} is not valid JSON.`); return; }
    if (!content || content.format !== data.format || !Array.isArray(content.decisions)) { say(`${file.name} is not a decisions file.`); return; }
    if (!content.about || content.about.digest !== data.about.digest) { say(`${file.name} is for another corpus.`); return; }
    let added = 0; let kept = 0; let unknown = 0;
    replaced = 0;
    const changes = [];
    for (const one of content.decisions) {
      const entry = one || {};
      const item = byId.get(entry.case);
      const mine = decisions.get(entry.case);
      const decision = { verdict: entry.verdict, comment: String(entry.comment || ""), time: String(entry.time || "") };
      if (!item || !valid(decision) || !decision.verdict) unknown += 1;
      else if (mine && mine.verdict) kept += mine.verdict === decision.verdict ? 0 : 1;
      else { changes.push({ id: entry.case, before: mine || null }); put(entry.case, { ...decision, ...recognised(item, entry.operation) }); added += 1; }
    }
    if (changes.length) undone.push(changes);
    filter(shown[at] && shown[at].case);
    say(`Decisions imported: ${added}. Not imported, your decision differs: ${kept}. Not imported, case not on this page or invalid: ${unknown}.${replaced ? ` Correction replaced by the first one, since this page does not offer it: ${replaced}.` : ""}`);
  }

  function say(text) { $("message").textContent = text; }

  const actions = {
    previous: () => go(-1),
    next: () => go(1),
    undo,
    open: () => { keepComment(); nextOpen(at + 1); },
    members: () => { keepComment(); if (shown[at]) open = !membersOpen(shown[at]); render(); },
    context: () => { keepComment(); context = !context; render(); },
  };
  const repeated = new Set(["j", "k", "ArrowRight", "ArrowLeft"]);
  const keys = {
    e: () => decide("error"), n: () => decide("not-error"), u: () => decide("unsure"),
    E: () => together("error"), N: () => together("not-error"),
    z: undo, j: actions.next, ArrowRight: actions.next, k: actions.previous, ArrowLeft: actions.previous,
    m: actions.members, d: actions.context, o: actions.open, x: exported, c: () => $("comment").focus(),
  };
  for (let number = 1; number < 10; number += 1) keys[String(number)] = () => choose(number - 1);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const control = event.target.closest("input, select, textarea, button, summary, a");
    if (event.target === $("comment") && (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey))) {
      event.preventDefault();
      if (event.key === "Escape") $("comment").value = (decisions.get(shown[at].case) || { comment: "" }).comment;
      keepComment();
      $("case").focus();
      return;
    }
    if (control && event.key === "Escape") { $("case").focus(); return; }
    // A held key moves, but decides once only.
    if (control || !keys[event.key] || (event.repeat && !repeated.has(event.key))) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.querySelector("footer").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.verdict) decide(button.dataset.verdict); else actions[button.dataset.do]();
    $("case").focus();
  });
  for (const id of FILTERS) {
    $(id).addEventListener(id === "search" ? "input" : "change", () => {
      keepComment();
      if (id !== "state" && id !== "search") store.set(id, $(id).value || null);
      say("");
      filter();
    });
  }
  $("comment").addEventListener("change", keepComment);
  // Decisions made without a name become those of the name; after another change they can be taken over.
  function renamed() {
    const records = new Map(decisions);
    const before = current;
    if (before === name()) return;
    current = name();
    store.set("reviewer", $("reviewer").value || null);
    tab.set($("reviewer").value);
    load();
    earlier = records.size ? { name: before, records } : null;
    if (earlier && before === UNNAMED) { takeOver(); return; }
    offer();
    filter(shown[at] && shown[at].case);
    say(`Decisions of ${name()}.`);
  }

  function offer() {
    $("take").hidden = !earlier;
    if (earlier) $("take").textContent = `Take over ${earlier.records.size} of ${earlier.name}`;
  }

  function takeOver() {
    let taken = 0;
    for (const [id, record] of earlier.records) {
      if ((decisions.get(id) || {}).verdict) continue;
      put(id, record);
      store.set(placeOf(earlier.name, id), null);
      taken += 1;
    }
    const kept = earlier.records.size - taken;
    const from = earlier.name === UNNAMED ? "without a name" : `of ${earlier.name}`;
    earlier = null;
    offer();
    filter(shown[at] && shown[at].case);
    say(`Decisions ${from} are now those of ${name()}: ${taken}.${kept ? ` Not taken over, ${name()} has decided the case: ${kept}.` : ""}`);
  }

  $("reviewer").addEventListener("change", renamed);
  $("take").addEventListener("click", () => { takeOver(); $("case").focus(); });
  $("export").addEventListener("click", exported);
  $("import").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", async () => {
    const [file] = $("file").files;
    if (file) await imported(file);
    $("file").value = "";
  });
  addEventListener("storage", (event) => {
    const own = `${base}by/${encodeURIComponent(name())}/case/`;
    if (!event.key || !event.key.startsWith(own)) return;
    const id = event.key.slice(own.length);
    if (!byId.has(id)) return;
    remember(id, restored(id, event.newValue));
    const typed = document.activeElement === $("comment") ? $("comment").value : null;
    if (shown[at] && shown[at].case === id) render(); else progress();
    if (typed !== null) $("comment").value = typed;
  });
  addEventListener("hashchange", () => linked());

  function linked() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("case");
    if (!byId.has(wanted)) return false;
    if (!shown.some((item) => item.case === wanted)) for (const id of FILTERS) $(id).value = id === "state" ? "all" : "";
    if (!shown[at] || shown[at].case !== wanted) filter(wanted);
    return true;
  }

  function options(select, values, all) {
    select.append(element("option", all, { value: "" }));
    for (const [value, count] of values) select.append(element("option", `${value.replaceAll("-", " ")} (${count})`, { value }));
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
  const own = tab.get();
  $("reviewer").value = own === null ? store.get("reviewer") || "" : own;
  tab.set($("reviewer").value);
  let current = name();
  for (const id of ["kind", "topic", "detector", "reviewed"]) {
    $(id).value = store.get(id) || "";
    if ($(id).value === "" && $(id).tagName === "SELECT") $(id).selectedIndex = 0;
  }
  load();
  if (!linked()) filter(store.get("at"));
  $("case").focus();
})();
