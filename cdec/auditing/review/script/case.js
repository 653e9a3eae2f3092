// The case on the page: question, sides, batch, verdicts of others, reasons of the detectors.
// The cases of a card: copies of a sentence are one.
const parts = (item) => (item.group ? data.groups[item.group].map((id) => byId.get(id)) : [item]);
const isCopies = (item) => parts(item).length > 1;
const asked = (item) => QUESTIONS[item.kind];
// The answer that a verdict is, in the words of the question.
function answerOf(item, verdict) {
  const { answers: [yes, no, neither], yes: first } = asked(item);
  if (!verdict) return "undecided";
  return verdict === "unsure" ? neither : verdict === first ? yes : no;
}
// The verdict of all cases of a card, if it is one.
function verdictOn(item) {
  const given = new Set(parts(item).map((each) => verdictOf(each.case)));
  return given.size === 1 ? [...given][0] : "";
}

const letter = (item, number) => (item.sides.length === 1 ? "Mention" : LETTERS[number % 26]);

// The number of sides in question.
const questioned = (item) => item.sides.filter((each) => !each.evidence).length;

// Descriptor and size of the chain of a side.
function chainText(item, each) {
  const [first] = each.mentions;
  const size = memberOf.has(first) ? memberOf.get(first).chain.members.length : each.members.length + each.mentions.length;
  if (each.place) return "no mention here";
  return size === 1 ? `singleton${each.descriptor ? ` · ${each.descriptor}` : ""}` : `${each.descriptor || each.chain} · ${size} mentions`;
}

function side(item, number, marked) {
  const each = item.sides[number];
  const name_ = letter(item, number);
  const card = element("section", "", { class: "side", "aria-label": `Side ${name_}` });
  if (item.kind.startsWith("missing") && !each.evidence && questioned(item) > 2) card.append(picker(number, name_));
  const heading = element("h3", `${name_} · `);
  heading.append(element("span", chainText(item, each), { class: "chain" }));
  card.append(heading);
  if (each.place) {
    const spot = data.places_of[each.place];
    const [doc, at_] = spot.sentence.split("#");
    card.append(element("p", `${doc}, sentence ${at_}`, { class: "where" }), sentence(spot.sentence, spot.tokens, marked, "missing"));
    if (context) card.append(around(spot.sentence));
    return card;
  }
  listed(each.mentions, card, marked);
  if (each.members.length && membersOpen(item)) {
    const more = element("div", "", { class: "members", tabindex: "0", role: "region", "aria-label": `Other members of ${name_}` });
    listed(each.members.slice(0, 60), more, null);
    if (each.members.length > 60) more.append(element("p", `and ${each.members.length - 60} more`));
    card.append(more);
  }
  return card;
}

// After a click the keys act again; with the arrow keys the focus stays.
function clicked(event) { if (event.detail) rest(); }

function membersOpen(item) {
  return open === null ? item.kind !== "missing-singleton-singleton" : open;
}

function picker(number, name_) {
  const box = element("label", "", { class: "pick" });
  const input = element("input", "", { type: "checkbox", "aria-label": `${name_} is the same event` });
  input.checked = !draft.without.includes(number);
  input.addEventListener("change", () => {
    const others_ = draft.without.filter((n) => n !== number);
    if (!input.checked && questioned(shown[at]) - others_.length <= 2) {
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

function likelihood(item) {
  const rank = item.rank ? [`rank in the whole list: ${item.rank}`] : [];
  return item.score === null ? rank : [...rank, `probability of an error: ${item.score.toFixed(2)}`];
}

function fill(list, lines) {
  list.replaceChildren(...lines.map((line) => element("li", line)));
}

// Copies of a sentence: each sentence once with all its mentions, and what would be linked.
function copies(item) {
  const places = new Map();
  for (const each of parts(item)) {
    for (const id of each.sides.filter((one) => !one.evidence).flatMap((one) => one.mentions)) {
      const { sentence: key, tokens } = data.mentions[id];
      places.set(key, [...(places.get(key) || []), ...tokens]);
    }
  }
  return [...places].map(([key, tokens], number) => {
    const card = element("section", "", { class: "side", "aria-label": `Copy ${number + 1}` });
    const [doc, at_] = key.split("#");
    card.append(element("h3", LETTERS[number % 26]), element("p", `${doc}, sentence ${at_}`, { class: "where" }), sentence(key, tokens, null));
    if (context) card.append(around(key));
    return card;
  });
}

function batch(item) {
  const box = $("batch");
  box.hidden = !isCopies(item);
  if (box.hidden) return;
  box.replaceChildren(element("p", "Linked by Same; without a tick: different."));
  for (const each of parts(item)) {
    const line = element("div", "", { class: "part" });
    const label_ = element("label", "");
    const input = element("input", "", { type: "checkbox", "data-part": each.case });
    input.checked = verdictOf(each.case) !== "not-error";
    label_.append(input, document.createTextNode(` ${data.mentions[each.sides[0].mentions[0]].text} `));
    const choice = element("select", "", { "aria-label": "Correction", "data-fix": each.case });
    each.fixes.forEach((fix, number) => choice.append(element("option", fix.text, { value: String(number) })));
    const record = decisions.get(each.case);
    const own = record && record.fix !== undefined ? record.fix : suggested(each).fix;
    choice.value = String(own === null ? 0 : own);
    line.append(label_, choice);
    box.append(line);
  }
}

function voteLine(item, review) {
  const vote = review.decisions[item.case];
  const who = review.readers ? `${review.reviewer} (${review.readers})` : review.reviewer;
  const what = vote.verdict === "error" ? `, ${described(item, vote.claims)}` : "";
  const why = [data.reasons[vote.reason] || vote.reason, vote.comment].filter(Boolean).join("; ");
  return `${who}: ${answerOf(item, vote.verdict)}${what}${why ? ` (${why})` : ""}`;
}

// The verdicts of a disputed case are open.
function others(item) {
  const reviews = data.reviews.filter((review) => review.decisions[item.case]);
  $("others").hidden = !reviews.length;
  fill($("votes"), reviews.map((review) => voteLine(item, review)));
}

function evidence(item) {
  const flags = Object.entries(item.detectors).map(([key, score]) => `${key} ${score.toFixed(2)}`);
  fill($("reasons"), [...item.reasons, `flagged by: ${flags.join(", ")}`, ...likelihood(item)]);
  const feature = (e) => `${e.feature.replaceAll("_", " ")} = ${e.value.toFixed(2)} (${e.adds > 0 ? "+" : "−"}${Math.abs(e.adds).toFixed(2)})`;
  fill($("for"), item.evidence.filter((e) => e.adds > 0).map(feature));
  fill($("against"), item.evidence.filter((e) => e.adds <= 0).reverse().map(feature));
  $("evidence").hidden = !item.evidence.length;
}

function render() {
  const item = shown[at];
  const record = (item && decisions.get(item.case)) || { verdict: "", comment: "" };
  const copied = item && isCopies(item);
  const given = item ? verdictOn(item) : "";
  const heading = item && (copied ? "copies of a sentence" : data.words[item.kind]);
  $("question").textContent = item ? (copied ? "These sentences are copies. Same events?" : asked(item).ask) : "No case matches the filter.";
  $("title").textContent = item ? `${at + 1} of ${shown.length}: ${heading}, topic ${item.topic}` : "No cases";
  for (const id of ["fixes", "model", "batch", "others"]) $(id).hidden = !item;
  $("sides").replaceChildren();
  $("verdict").textContent = item ? answerOf(item, given) : "";
  $("verdict").dataset.verdict = given;
  $("comment").value = record.comment;
  $("comment").disabled = !item;
  document.querySelectorAll("footer [data-answer]").forEach((button, number) => {
    if (item) {
      const { answers: said, yes } = asked(item);
      button.dataset.verdict = number === 2 ? "unsure" : (number === 0) === (yes === "error") ? "error" : "not-error";
      button.firstChild.textContent = `${said[number]} `;
    }
    button.setAttribute("aria-pressed", String(Boolean(given) && button.dataset.verdict === given));
    button.disabled = !item;
  });
  document.querySelector("[data-do=context]").setAttribute("aria-pressed", String(context));
  document.querySelector("[data-do=members]").setAttribute("aria-pressed", String(Boolean(item && membersOpen(item))));
  progress();
  why(record);
  if (!item) return;
  draft = { ...suggested(item), ...(record.fix !== undefined && { fix: record.fix }), own: record.own || null, without: [...(record.without || [])] };
  const marks = copied ? [] : differences(item);
  $("sides").append(...(copied ? copies(item) : item.sides.map((_, number) => side(item, number, marks[number]))));
  $("fixes").hidden = copied;
  if (!copied) fixes(item);
  batch(item);
  others(item);
  evidence(item);
  $("model").open = Boolean(record.verdict);
  $("live").textContent = `${$("title").textContent}, ${$("verdict").textContent}`;
  try { history.replaceState(null, "", `#case=${item.case}`); } catch (error) { /* not allowed here */ }
}
