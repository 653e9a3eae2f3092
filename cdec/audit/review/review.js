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

  // The browser's storage, one entry a case: a decision is kept the moment it is made.
  const store = {
    works: true,
    set(key, value) {
      try {
        if (value === null) localStorage.removeItem(prefix + key);
        else localStorage.setItem(prefix + key, value);
      } catch (error) {
        if (this.works) say("This browser keeps no decisions: export before you close the page.");
        this.works = false;
      }
    },
    get(key) {
      try { return localStorage.getItem(prefix + key); } catch (error) { this.works = false; return null; }
    },
  };

  function sound(record) {
    return record && (record.verdict === "" || VERDICTS.includes(record.verdict))
      && typeof record.comment === "string";
  }

  function restore() {
    for (const one of cases) {
      const text = store.get(`case/${one.case}`);
      if (!text) continue;
      try {
        const record = JSON.parse(text);
        if (sound(record)) decisions.set(one.case, record);
      } catch (error) { /* what another program wrote is no decision */ }
    }
    $("reviewer").value = store.get("reviewer") || "";
    $("kind").value = store.get("kind") || "";
    $("topic").value = store.get("topic") || "";
    if (!store.works) say("This browser keeps no decisions: export before you close the page.");
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
    const made = document.createElement(name);
    if (text) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // Corpus text goes into the page as text nodes only.
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
    return `${doc}, sentence ${number} · ${mention.tag}${mention.reviewed ? "" : " · not reviewed"}`;
  }

  function listed(ids, into) {
    for (const id of ids) {
      into.append(element("p", where(id), { class: "where" }), sentence(id));
    }
  }

  function side(one, number, all, kind) {
    const names = all.length === 1 ? ["Mentions"] : ["A", "B", "C", "D", "E", "F", "G", "H"];
    const label = names[number] || String(number + 1);
    const card = element("section", "", { class: "side", "aria-label": `Side ${label}` });
    const size = one.members.length + one.mentions.length;
    const chain = one.descriptor || one.chain;
    card.append(element("h3", label));
    const held = !kind.startsWith("missing") && !one.members.length ? "" : size === 1 ? "alone · " : `${size} mentions · `;
    card.append(element("p", held + chain, { class: "chain" }));
    listed(one.mentions, card);
    if (open && one.members.length) {
      const more = element("div", "", { class: "members", tabindex: "0", "aria-label": `Other members of ${label}` });
      listed(one.members, more);
      card.append(more);
    }
    return card;
  }

  const QUESTIONS = {
    "missing-singleton-singleton": "Error if these are the same event. An error links them.",
    "missing-singleton-cluster": "Error if the lone mention is the chain's event. An error links them.",
    "missing-cluster-cluster": "Error if the chains are the same event. An error makes them one.",
    "spurious-member": "Error if A is not the event of its chain (B). C, if shown, is like A but in another chain. An error takes A out.",
    "contradicting-members": "Error if the actions of A do not belong with B. An error takes A out where others remain.",
    "unfinished-annotation": "Error if links are missing here because the document was left unfinished. An error changes nothing by itself.",
  };

  function fill(list, lines) {
    list.replaceChildren(...lines.map((line) => element("li", line)));
  }

  function render() {
    const one = shown[at];
    const empty = !one;
    for (const id of ["sides", "reasons", "for", "against"]) $(id).replaceChildren();
    $("question").textContent = empty ? "No case fits the filter." : QUESTIONS[one.kind];
    $("title").textContent = empty ? "Nothing to show" : `${at + 1} of ${shown.length}: ${one.kind.replaceAll("-", " ")}, topic ${one.topic}, score ${one.score.toFixed(2)}`;
    $("details").hidden = empty || !one.evidence.length;
    const record = (one && decisions.get(one.case)) || { verdict: "", comment: "" };
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
    $("sides").append(...one.sides.map((each, number) => side(each, number, one.sides, one.kind)));
    const flags = Object.entries(one.detectors).map(([name, score]) => `${name} ${score.toFixed(2)}`);
    fill($("reasons"), [...one.reasons, `flagged by: ${flags.join(", ")}`]);
    const told = (e) => `${e.feature.replaceAll("_", " ")} = ${e.value.toFixed(2)} (${e.adds > 0 ? "+" : "−"}${Math.abs(e.adds).toFixed(2)})`;
    fill($("for"), one.evidence.filter((e) => e.adds > 0).map(told));
    fill($("against"), one.evidence.filter((e) => e.adds <= 0).reverse().map(told));
    $("live").textContent = `${$("title").textContent}, ${$("verdict").textContent}`;
    store.set("at", one.case);
  }

  function progress() {
    const counts = { error: 0, "not-error": 0, unsure: 0 };
    for (const record of decisions.values()) if (record.verdict) counts[record.verdict] += 1;
    const done = counts.error + counts["not-error"] + counts.unsure;
    $("bar").max = cases.length || 1;
    $("bar").value = done;
    $("counts").textContent = `${done} of ${cases.length} decided: ${counts.error} errors, ${counts["not-error"]} not errors, ${counts.unsure} unsure`;
  }

  function fits(one) {
    const state = $("state").value;
    const record = decisions.get(one.case) || { verdict: "", comment: "" };
    return (!$("kind").value || one.kind === $("kind").value)
      && (!$("topic").value || one.topic === $("topic").value)
      && (state === "all" || (state === "open" && !record.verdict)
        || (state === "comment" && record.comment) || state === record.verdict);
  }

  function filter(keep) {
    shown = cases.filter(fits);
    const place = shown.findIndex((one) => one.case === keep);
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
    const undecided = (one) => !(decisions.get(one.case) || {}).verdict;
    let place = shown.findIndex((one, index) => index >= from && undecided(one));
    if (place < 0) place = shown.findIndex(undecided);
    if (place < 0) { say("Every case shown is decided. Export your decisions with x."); render(); return; }
    at = place;
    open = false;
    say("");
    render();
  }

  function decide(verdict) {
    const one = shown[at];
    if (!one) return;
    keepComment();
    const before = decisions.get(one.case) || null;
    undone.push({ id: one.case, before });
    put(one.case, { verdict, comment: before ? before.comment : "", time: new Date().toISOString() });
    nextOpen(at + 1);
  }

  function keepComment() {
    const one = shown[at];
    if (!one) return;
    const before = decisions.get(one.case) || null;
    const comment = $("comment").value.trim();
    if (comment === (before ? before.comment : "")) return;
    undone.push({ id: one.case, before });
    put(one.case, { verdict: before ? before.verdict : "", comment, time: new Date().toISOString() });
    progress();
  }

  function undo() {
    const last = undone.pop();
    if (!last) { say("Nothing to undo."); return; }
    put(last.id, last.before);
    const place = shown.findIndex((one) => one.case === last.id);
    if (place >= 0) { at = place; render(); } else filter(last.id);
    say("Undone.");
  }

  function record() {
    const made = [];
    const places = {};
    for (const one of cases) {
      const decision = decisions.get(one.case);
      if (!decision || !decision.verdict) continue;
      made.push({ case: one.case, kind: one.kind, verdict: decision.verdict, comment: decision.comment, operation: one.operation, time: decision.time });
      for (const id of Object.values(one.operation).flat()) places[id] = data.places[id];
    }
    return { format: data.format, reviewer: $("reviewer").value.trim() || "reviewer", about: data.about, decisions: made, places };
  }

  function exported() {
    keepComment();
    const content = record();
    const link = element("a", "", { download: `decisions-${content.reviewer.replace(/[^\w-]+/g, "_")}.json` });
    link.href = URL.createObjectURL(new Blob([`${JSON.stringify(content, null, 1)}\n`], { type: "application/json" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`${content.decisions.length} decisions exported.`);
  }

  async function imported(file) {
    let content;
    try { content = JSON.parse(await file.text()); } catch (error) { say(`${file.name} is not JSON.`); return; }
    if (!content || content.format !== data.format || !Array.isArray(content.decisions)) { say(`${file.name} holds no decisions.`); return; }
    if (!content.about || content.about.digest !== data.about.digest) { say(`${file.name} is about another corpus.`); return; }
    const known = new Set(cases.map((one) => one.case));
    let taken = 0; let differ = 0; let foreign = 0;
    for (const given of content.decisions) {
      const mine = decisions.get(given.case);
      const entry = { verdict: given.verdict, comment: String(given.comment || ""), time: String(given.time || "") };
      if (!known.has(given.case) || !sound(entry) || !entry.verdict) foreign += 1;
      else if (mine && mine.verdict) differ += mine.verdict === entry.verdict ? 0 : 1;
      else { undone.push({ id: given.case, before: mine || null }); put(given.case, entry); taken += 1; }
    }
    say(`${taken} decisions imported; ${differ} differ from yours and were left; ${foreign} are on cases not in this page.`);
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
    for (const one of cases) counts.set(one[name], (counts.get(one[name]) || 0) + 1);
    return [...counts];
  }
  options($("kind"), counted("kind"), "every kind");
  options($("topic"), counted("topic").sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true })), "every topic");
  $("about").textContent = `${data.about.corpus}, ${cases.length} cases`;
  restore();
  filter(store.get("at"));
  $("case").focus();
})();
