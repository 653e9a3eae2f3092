// The case on the page: question, sides, batch, verdicts of others, reasons of the detectors.
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

function batch(item) {
  const box = $("batch");
  const all = item.group ? data.groups[item.group] : [];
  box.hidden = all.length < 2;
  if (box.hidden) return;
  const waiting = all.filter((id) => !verdictOf(id));
  box.replaceChildren(element("div", `${all.length} cases of these sentences, ${waiting.length} undecided:`));
  const list = element("ul", "");
  fill(list, all.map((id) => `${byId.get(id).words[0]}${verdictOf(id) ? `: ${words(verdictOf(id))}` : ""}${id === item.case ? " (this case)" : ""}`));
  box.append(list);
  for (const [verdict, text, key] of [["error", "Error for all undecided", "E"], ["not-error", "Not an error for all", "N"]]) {
    const button = element("button", `${text} `, { type: "button", "aria-keyshortcuts": `Shift+${key}` });
    button.append(element("kbd", key, { "aria-hidden": "true" }));
    button.addEventListener("click", () => { together(verdict); rest(); });
    box.append(button, document.createTextNode(" "));
  }
}

function voteLine(item, review) {
  const vote = review.decisions[item.case];
  const who = review.readers ? `${review.reviewer} (${review.readers})` : review.reviewer;
  const what = vote.verdict === "error" ? `, ${described(item, vote.claims)}` : "";
  const why = [data.reasons[vote.reason] || vote.reason, vote.comment].filter(Boolean).join("; ");
  return `${who}: ${words(vote.verdict)}${what}${why ? ` (${why})` : ""}`;
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
  $("question").textContent = item ? QUESTIONS[item.kind] : "No case matches the filter.";
  $("title").textContent = item ? `${at + 1} of ${shown.length}: ${words(item.kind)}, topic ${item.topic}` : "No cases";
  for (const id of ["fixes", "model", "batch", "others"]) $(id).hidden = !item;
  $("sides").replaceChildren();
  $("verdict").textContent = record.verdict ? words(record.verdict) : "undecided";
  $("verdict").dataset.verdict = record.verdict;
  $("comment").value = record.comment;
  $("comment").disabled = !item;
  for (const button of document.querySelectorAll("footer [data-verdict]")) {
    button.setAttribute("aria-pressed", String(button.dataset.verdict === record.verdict));
    button.disabled = !item;
  }
  document.querySelector("[data-do=context]").setAttribute("aria-pressed", String(context));
  document.querySelector("[data-do=members]").setAttribute("aria-pressed", String(Boolean(item && membersOpen(item))));
  progress();
  why(record);
  if (!item) return;
  draft = { ...suggested(item), ...(record.fix !== undefined && { fix: record.fix }), own: record.own || null, without: [...(record.without || [])] };
  const marks = differences(item);
  $("sides").append(...item.sides.map((_, number) => side(item, number, marks[number])));
  fixes(item);
  batch(item);
  others(item);
  evidence(item);
  $("model").open = Boolean(record.verdict);
  $("live").textContent = `${$("title").textContent}, ${$("verdict").textContent}`;
  try { history.replaceState(null, "", `#case=${item.case}`); } catch (error) { /* not allowed here */ }
}
