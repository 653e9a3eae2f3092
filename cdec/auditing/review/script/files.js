// Decisions as a file: export, and import with the differences named.
function record() {
  const list = [];
  const places = {};
  const changed = new Set();
  for (const item of cases) {
    const decision = decisions.get(item.case);
    if (!decision || !decision.verdict) continue;
    const { verdict, comment, reason, time } = decision;
    const claims = claimsOf(item, decision);
    list.push({ case: item.case, kind: item.kind, verdict, comment, ...(reason && { reason }), claims, time });
    for (const id of mentionsIn(claims)) { places[id] = memberOf.get(id).place; changed.add(memberOf.get(id).chain); }
  }
  const [chains, sentences] = [{}, {}];
  for (const chain of changed) {
    for (const [id] of chain.members) { chains[id] = chain.chain; sentences[id] = memberOf.get(id).sentence; }
  }
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

let compared = null; // an import that waits for the choice between mine and theirs

async function imported(file) {
  const content = parsed(await file.text().catch(() => ""));
  if (content === null) { say(`${file.name} is not valid JSON.`); return; }
  if (content.format !== data.format || !Array.isArray(content.decisions)) { say(`${file.name} is not a decisions file of the version ${data.format}.`); return; }
  if (!content.about || content.about.digest !== data.about.digest) { say(`${file.name} is for another corpus.`); return; }
  const from = typeof content.reviewer === "string" ? content.reviewer : "";
  if (named()) compare(content.decisions, from || file.name); else ask(() => compare(content.decisions, from || file.name), from);
}

// New decisions are taken; of those that differ from the own ones, the reader chooses.
function compare(list, from) {
  const [fresh, differing] = [[], []];
  let unknown = 0;
  replaced = 0;
  for (const one of list) {
    const { case: id, verdict, comment, reason, time, claims: wanted } = one || {};
    const item = byId.get(id);
    const entry = { verdict, comment: String(comment || ""), reason: String(reason || ""), time: String(time || "") };
    if (!item || !verdict || !valid(entry)) { unknown += 1; continue; }
    const theirs = { ...entry, ...recognised(item, wanted) };
    if (!verdictOf(id)) fresh.push([id, theirs]);
    else if (differs(item, { verdict, claims: claimsOf(item, theirs) })) differing.push([id, theirs]);
  }
  compared = { fresh, differing, unknown };
  if (!differing.length) { taken(false); return; }
  $("compare-title").textContent = `${differing.length} ${differing.length === 1 ? "decision differs" : "decisions differ"} from ${from}`;
  $("differing").replaceChildren(...differing.map(([id, theirs], number) => difference(byId.get(id), theirs, number)));
  $("compare").showModal();
}

function difference(item, theirs, number) {
  const box = element("fieldset", "");
  box.append(element("legend", `${item.words.slice(0, 3).join(", ")}: ${data.words[item.kind]}`));
  for (const [value, whose, own] of [["mine", "mine", decisions.get(item.case)], ["theirs", "theirs", theirs]]) {
    const line = element("label", "");
    const input = element("input", "", { type: "radio", name: `differs-${number}`, value });
    input.checked = value === "mine";
    const what = voteLine(item, { reviewer: whose, decisions: { [item.case]: { ...own, claims: claimsOf(item, own) } } });
    line.append(input, document.createTextNode(` ${what}`));
    box.append(line);
  }
  return box;
}

function taken(chosen) {
  const { fresh, differing, unknown } = compared;
  const theirs = chosen ? differing.filter((_, number) => $("differing").querySelector(`[name=differs-${number}][value=theirs]`).checked) : [];
  const list = [...fresh, ...theirs];
  compared = null;
  if (list.length) step(list.map(([id]) => ({ id, before: decisions.get(id) || null })));
  for (const [id, entry] of list) put(id, { ...entry, comment: entry.comment || (decisions.get(id) || { comment: "" }).comment });
  filter(here());
  const kept = differing.length - theirs.length;
  say(`Decisions imported: ${list.length}. Not imported, your decision differs: ${kept}. Not imported, case not on this page or invalid: ${unknown}.${replaced ? ` Correction replaced by the first one, since this page does not offer it: ${replaced}.` : ""}`);
}

answer("compare", () => taken(true), () => say("Nothing imported."));
$("compare").addEventListener("cancel", () => say("Nothing imported."));
for (const value of ["mine", "theirs"]) {
  $(`all-${value}`).addEventListener("click", () => {
    for (const input of $("differing").querySelectorAll(`[value=${value}]`)) input.checked = true;
  });
}
