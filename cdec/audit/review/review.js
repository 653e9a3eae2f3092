"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const cases = data.cases;
  const prefix = `cdec-audit/${data.about.digest}/`;
  const $ = (id) => document.getElementById(id);
  const VERDICTS = ["error", "not-error", "unsure"];
  const decisions = new Map();
  const undone = [];
  let shown = [];
  let at = 0;
  let open = false;

  // The storage of the browser, one entry for each case. A decision is stored immediately.
  const store = {
    works: true,
    set(key, value) {
      try {
        if (value === null) localStorage.removeItem(prefix + key);
        else localStorage.setItem(prefix + key, value);
      } catch (error) {
        if (this.works) say("This browser cannot store decisions: export them before you close the page.");
        this.works = false;
      }
    },
    get(key) {
      try { return localStorage.getItem(prefix + key); } catch (error) { this.works = false; return null; }
    },
  };

  function valid(record) {
    return record && (record.verdict === "" || VERDICTS.includes(record.verdict))
      && typeof record.comment === "string";
  }

  function restore() {
    for (const item of cases) {
      const text = store.get(`case/${item.case}`);
      if (!text) continue;
      try {
        const record = JSON.parse(text);
        if (valid(record)) decisions.set(item.case, record);
      } catch (error) { /* not written by this page */ }
    }
    $("reviewer").value = store.get("reviewer") || "";
    $("kind").value = store.get("kind") || "";
    $("topic").value = store.get("topic") || "";
    if (!store.works) say("This browser cannot store decisions: export them before you close the page.");
  }

  function put(id, record) {
    if (record && (record.verdict || record.comment)) {
      decisions.set(id, record);
      store.set(`case/${id}`, JSON.stringify(record));
    } else {
      decisions.delete(id);
      store.set(`case/${id}`, null);
    }
  }

  function element(name, text, attributes = {}) {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  }

  // Corpus text enters the page as text nodes only.
  function sentence(id) {
    const mention = data.mentions[id];
    const { words, spans } = data.sentences[mention.sentence];
    const own = new Set(mention.tokens);
    const kinds = new Map();
    for (const span of spans) for (const token of span.tokens) kinds.set(token, span.tag);
    const line = element("p", "", { class: "sentence", dir: "auto" });
    let run = null;
    words.forEach((word, place) => {
      const kind = own.has(place) ? "*" : kinds.get(place) || "";
      if (run && run.kind === kind) { run.words.push(word); return; }
      if (run) flush(line, run);
      run = { kind, words: [word] };
    });
    if (run) flush(line, run);
    return line;
  }

  function flush(line, run) {
    const text = run.words.join(" ");
    if (run.kind === "*") line.append(element("mark", text));
    else if (run.kind) {
      line.append(element("span", text, { class: "argument", "data-kind": short(run.kind), title: run.kind }));
    } else line.append(document.createTextNode(text));
    line.append(document.createTextNode(" "));
  }

  function short(tag) {
    return tag.startsWith("HUMAN") ? "who" : tag.startsWith("TIME") ? "when" : tag.startsWith("LOC") ? "where" : "what";
  }

  function where(id) {
    const mention = data.mentions[id];
    const [doc, number] = mention.sentence.split("#");
    return `${doc}, sentence ${number} · ${mention.tag}${mention.reviewed ? "" : " · sentence not reviewed"}`;
  }

  function listed(ids, into) {
    for (const id of ids) {
      into.append(element("p", where(id), { class: "where" }), sentence(id));
    }
  }

  function side(item, number, all, kind) {
    const names = all.length === 1 ? ["Mentions"] : ["A", "B", "C", "D", "E", "F", "G", "H"];
    const label = names[number] || String(number + 1);
    const card = element("section", "", { class: "side", "aria-label": `Side ${label}` });
    const size = item.members.length + item.mentions.length;
    const chain = item.descriptor || item.chain;
    card.append(element("h3", label));
    const length = !kind.startsWith("missing") && !item.members.length ? "" : size === 1 ? "singleton · " : `${size} mentions · `;
    card.append(element("p", length + chain, { class: "chain" }));
    listed(item.mentions, card);
    if (open && item.members.length) {
      const more = element("div", "", { class: "members", tabindex: "0", "aria-label": `Other members of ${label}` });
      listed(item.members, more);
      card.append(more);
    }
    return card;
  }

  const QUESTIONS = {
    "missing-singleton-singleton": "Do all these mentions refer to the same event? If yes, choose Error: they will be linked.",
    "missing-singleton-cluster": "Does each singleton refer to the event of the chain? If yes, choose Error: it will be added to the chain.",
    "missing-cluster-cluster": "Do the chains refer to the same event? If yes, choose Error: they will be merged.",
    "spurious-member": "Does A refer to a different event than its chain (B)? If yes, choose Error: A will be removed from the chain. C, if shown, is the most similar mention of another chain.",
    "contradicting-members": "B is a participant, place or time. Is it wrong that the events in A share its chain or name? If yes, choose Error: A will be removed from the chain, unless the chain has no other events.",
    "unfinished-annotation": "Are links missing here because the document was not fully annotated? If yes, choose Error. This verdict alone does not change the key.",
  };

  function fill(list, lines) {
    list.replaceChildren(...lines.map((line) => element("li", line)));
  }

  function render() {
    const item = shown[at];
    const empty = !item;
    for (const id of ["sides", "reasons", "for", "against"]) $(id).replaceChildren();
    $("question").textContent = empty ? "No case matches the filter." : QUESTIONS[item.kind];
    $("title").textContent = empty ? "No cases" : `${at + 1} of ${shown.length}: ${item.kind.replaceAll("-", " ")}, topic ${item.topic}, score ${item.score.toFixed(2)}`;
    $("details").hidden = empty || !item.evidence.length;
    const record = (item && decisions.get(item.case)) || { verdict: "", comment: "" };
    $("verdict").textContent = record.verdict ? record.verdict.replace("-", " ") : "undecided";
    $("verdict").dataset.verdict = record.verdict;
    $("comment").value = record.comment;
    $("comment").disabled = empty;
    for (const button of document.querySelectorAll("footer [data-verdict]")) {
      button.setAttribute("aria-pressed", String(button.dataset.verdict === record.verdict));
      button.disabled = empty;
    }
    progress();
    if (empty) return;
    $("sides").append(...item.sides.map((each, number) => side(each, number, item.sides, item.kind)));
    const flags = Object.entries(item.detectors).map(([name, score]) => `${name} ${score.toFixed(2)}`);
    fill($("reasons"), [...item.reasons, `flagged by: ${flags.join(", ")}`]);
    const feature = (e) => `${e.feature.replaceAll("_", " ")} = ${e.value.toFixed(2)} (${e.adds > 0 ? "+" : "−"}${Math.abs(e.adds).toFixed(2)})`;
    fill($("for"), item.evidence.filter((e) => e.adds > 0).map(feature));
    fill($("against"), item.evidence.filter((e) => e.adds <= 0).reverse().map(feature));
    $("live").textContent = `${$("title").textContent}, ${$("verdict").textContent}`;
    store.set("at", item.case);
  }

  function progress() {
    const counts = { error: 0, "not-error": 0, unsure: 0 };
    for (const record of decisions.values()) if (record.verdict) counts[record.verdict] += 1;
    const done = counts.error + counts["not-error"] + counts.unsure;
    $("bar").max = cases.length || 1;
    $("bar").value = done;
    $("counts").textContent = `${done} of ${cases.length} decided: ${counts.error} errors, ${counts["not-error"]} not errors, ${counts.unsure} unsure`;
  }

  function fits(item) {
    const state = $("state").value;
    const record = decisions.get(item.case) || { verdict: "", comment: "" };
    return (!$("kind").value || item.kind === $("kind").value)
      && (!$("topic").value || item.topic === $("topic").value)
      && (state === "all" || (state === "open" && !record.verdict)
        || (state === "comment" && record.comment) || state === record.verdict);
  }

  function filter(keep) {
    shown = cases.filter(fits);
    const place = shown.findIndex((item) => item.case === keep);
    at = place >= 0 ? place : 0;
    open = false;
    render();
  }

  function go(step) {
    keepComment();
    const place = at + step;
    if (place < 0 || place >= shown.length) { say(step > 0 ? "This is the last case." : "This is the first case."); return; }
    at = place;
    open = false;
    say("");
    render();
  }

  function nextOpen(from) {
    const undecided = (item) => !(decisions.get(item.case) || {}).verdict;
    let place = shown.findIndex((item, index) => index >= from && undecided(item));
    if (place < 0) place = shown.findIndex(undecided);
    if (place < 0) { say("All cases shown are decided. Press x to export the decisions."); render(); return; }
    at = place;
    open = false;
    say("");
    render();
  }

  function decide(verdict) {
    const item = shown[at];
    if (!item) return;
    keepComment();
    const before = decisions.get(item.case) || null;
    undone.push({ id: item.case, before });
    put(item.case, { verdict, comment: before ? before.comment : "", time: new Date().toISOString() });
    nextOpen(at + 1);
  }

  function keepComment() {
    const item = shown[at];
    if (!item) return;
    const before = decisions.get(item.case) || null;
    const comment = $("comment").value.trim();
    if (comment === (before ? before.comment : "")) return;
    undone.push({ id: item.case, before });
    put(item.case, { verdict: before ? before.verdict : "", comment, time: new Date().toISOString() });
    progress();
  }

  function undo() {
    const last = undone.pop();
    if (!last) { say("Nothing to undo."); return; }
    put(last.id, last.before);
    const place = shown.findIndex((item) => item.case === last.id);
    if (place >= 0) { at = place; render(); } else filter(last.id);
    say("Undone.");
  }

  function record() {
    const list = [];
    const places = {};
    for (const item of cases) {
      const decision = decisions.get(item.case);
      if (!decision || !decision.verdict) continue;
      list.push({ case: item.case, kind: item.kind, verdict: decision.verdict, comment: decision.comment, operation: item.operation, time: decision.time });
      for (const id of Object.values(item.operation).flat()) places[id] = data.places[id];
    }
    return { format: data.format, reviewer: $("reviewer").value.trim() || "reviewer", about: data.about, decisions: list, places };
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

  async function imported(file) {
    let content;
    try { content = JSON.parse(await file.text()); } catch (error) { say(`${file.name} is not valid JSON.`); return; }
    if (!content || content.format !== data.format || !Array.isArray(content.decisions)) { say(`${file.name} is not a decisions file.`); return; }
    if (!content.about || content.about.digest !== data.about.digest) { say(`${file.name} is for another corpus.`); return; }
    const known = new Set(cases.map((item) => item.case));
    let added = 0; let kept = 0; let unknown = 0;
    for (const entry of content.decisions) {
      const mine = decisions.get(entry.case);
      const decision = { verdict: entry.verdict, comment: String(entry.comment || ""), time: String(entry.time || "") };
      if (!known.has(entry.case) || !valid(decision) || !decision.verdict) unknown += 1;
      else if (mine && mine.verdict) kept += mine.verdict === decision.verdict ? 0 : 1;
      else { undone.push({ id: entry.case, before: mine || null }); put(entry.case, decision); added += 1; }
    }
    say(`Decisions imported: ${added}. Not imported, your decision differs: ${kept}. Not imported, case not on this page or invalid: ${unknown}.`);
    filter(shown[at] && shown[at].case);
  }

  function say(text) { $("message").textContent = text; }

  const actions = {
    previous: () => go(-1),
    next: () => go(1),
    undo,
    open: () => { keepComment(); nextOpen(at + 1); },
    members: () => { keepComment(); open = !open; render(); },
  };
  const keys = {
    e: () => decide("error"), n: () => decide("not-error"), u: () => decide("unsure"),
    z: undo, j: actions.next, ArrowRight: actions.next, k: actions.previous, ArrowLeft: actions.previous,
    m: actions.members, o: actions.open, x: exported, c: () => $("comment").focus(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.target === $("comment") && (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey))) {
      event.preventDefault();
      if (event.key === "Escape") $("comment").value = (decisions.get(shown[at].case) || { comment: "" }).comment;
      keepComment();
      $("case").focus();
      return;
    }
    if (typing || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.querySelector("footer").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.verdict) decide(button.dataset.verdict); else actions[button.dataset.do]();
  });
  for (const name of ["kind", "topic", "state"]) {
    $(name).addEventListener("change", () => {
      keepComment();
      if (name !== "state") store.set(name, $(name).value || null);
      say("");
      filter();
    });
  }
  $("comment").addEventListener("change", keepComment);
  $("reviewer").addEventListener("input", () => store.set("reviewer", $("reviewer").value || null));
  $("export").addEventListener("click", exported);
  $("import").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", async () => {
    const [file] = $("file").files;
    if (file) await imported(file);
    $("file").value = "";
  });

  function options(select, values, all) {
    select.append(element("option", all, { value: "" }));
    for (const [value, count] of values) select.append(element("option", `${value.replaceAll("-", " ")} (${count})`, { value }));
  }
  function counted(name) {
    const counts = new Map();
    for (const item of cases) counts.set(item[name], (counts.get(item[name]) || 0) + 1);
    return [...counts];
  }
  options($("kind"), counted("kind"), "all kinds");
  options($("topic"), counted("topic").sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true })), "all topics");
  $("about").textContent = `${data.about.corpus}, ${cases.length} cases`;
  restore();
  filter(store.get("at"));
  $("case").focus();
})();
