// Two searches: sentences of the documents on this page, and a chain for a correction.
const wordsIn = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
const LISTED = 60;
let sentences_ = null;

function everySentence() {
  sentences_ ??= Object.entries(data.documents).flatMap(([doc, { sentences, topic }]) => sentences.map(
    (tokens, number) => ({ doc, number, topic, tokens, text: tokens.join(" ").toLowerCase() }),
  ));
  return sentences_;
}

// A sentence with the tokens marked that have one of the words.
function marked_(tokens, wanted, into) {
  for (const token of tokens) {
    const low = token.toLowerCase();
    into.append(wanted.some((word) => low.includes(word)) ? element("mark", token) : document.createTextNode(token), document.createTextNode(" "));
  }
  return into;
}

function results(list, count, buttons, noun) {
  list.replaceChildren(...buttons.map((button) => { const line = element("li", ""); line.append(button); return line; }));
  const most = count > buttons.length ? `, the first ${buttons.length} are listed` : "";
  return `${count} ${noun}${most}`;
}

function findSentences() {
  const wanted = wordsIn($("find-text").value);
  const topic = shown[at] ? shown[at].topic : "";
  const all = wanted.length ? everySentence().filter(({ text }) => wanted.every((word) => text.includes(word))) : [];
  all.sort((a, b) => Number(b.topic === topic) - Number(a.topic === topic));
  const buttons = all.slice(0, LISTED).map(({ doc, number, tokens, topic: own }) => {
    const button = element("button", "", { type: "button", dir: "auto" });
    button.append(element("small", `${doc}, sentence ${number}${own === topic ? "" : `, topic ${own}`}`), document.createElement("br"));
    button.addEventListener("click", () => showDocument(doc, number, wanted));
    return marked_(tokens, wanted, button);
  });
  $("find-count").textContent = wanted.length ? results($("hits"), all.length, buttons, "sentences") : results($("hits"), 0, [], "sentences");
}

function showDocument(doc, number, wanted) {
  const { sentences, date } = data.documents[doc];
  $("document-title").textContent = date ? `${doc}, ${date}` : doc;
  $("document").replaceChildren(...sentences.map((tokens, at_) => {
    const line = marked_(tokens, at_ === number ? wanted : [], element("li", "", { dir: "auto", value: String(at_) }));
    if (at_ === number) line.setAttribute("aria-current", "true");
    return line;
  }));
  inDocument(true);
  $("document").querySelector("[aria-current]").scrollIntoView({ block: "center" });
  $("back").focus({ preventScroll: true });
}

function inDocument(shows) {
  $("whole").hidden = !shows;
  $("search-part").hidden = shows;
}

function openFind() {
  inDocument(false);
  findSentences();
  $("find").showModal();
  $("find-text").select();
}

// The sides whose mentions can go to another chain, as lists of side numbers.
function searchable(item) {
  const single = item.sides.map((each, number) => (each.mentions.length && each.mentions.every((id) => memberOf.has(id)) ? [number] : [])).filter((list) => list.length);
  const kept = single.flat().filter((number) => !draft.without.includes(number));
  const alone = kept.filter((number) => item.kind.startsWith("missing") && !item.sides[number].members.length);
  const groups = [alone, ...single, kept].filter((list) => list.length);
  return [...new Map(groups.map((list) => [list.join(), list])).values()];
}

function openTarget() {
  const item = shown[at];
  if (!item || !searchable(item).length) return;
  $("movers").replaceChildren(...searchable(item).map((list) => element("option", list.map((number) => letter(item, number)).join(", "), { value: list.join() })));
  $("target-text").value = "";
  findTargets();
  $("target").showModal();
  $("target-text").focus();
}

function findTargets() {
  const item = shown[at];
  const numbers = $("movers").value.split(",").map(Number);
  const own = new Set(numbers.flatMap((number) => item.sides[number].mentions));
  const wanted = wordsIn($("target-text").value);
  const has = (chain) => { const text = [chain.chain, chain.descriptor, ...chain.members.map((member) => member[4])].join(" ").toLowerCase(); return wanted.every((word) => text.includes(word)); };
  const found = data.chains.filter((chain) => chain.topic === item.topic && has(chain) && !chain.members.some(([id]) => own.has(id)));
  found.sort((a, b) => b.members.length - a.members.length);
  const buttons = found.slice(0, LISTED).map((chain) => {
    const button = element("button", label(chain), { type: "button", dir: "auto" });
    const texts = [...new Set(chain.members.map((member) => member[4]))];
    button.append(element("br", ""), element("small", `${texts.slice(0, 8).join(", ")}${texts.length > 8 ? ", …" : ""} · ${chain.members[0][1]}, sentence ${chain.members[0][2]}`));
    button.addEventListener("click", () => {
      draft = { ...draft, fix: null, own: toward(item, numbers, chain) };
      $("target").close();
      fixes(item);
      revise();
      say(`Then: ${described(item, draft.own)}.`);
    });
    return button;
  });
  $("target-count").textContent = results($("targets"), found.length, buttons, `chains of topic ${item.topic}`);
}

$("find-text").addEventListener("input", findSentences);
$("target-text").addEventListener("input", findTargets);
$("movers").addEventListener("change", findTargets);
$("back").addEventListener("click", () => { inDocument(false); $("find-text").focus(); });
$("another").addEventListener("click", openTarget);
for (const id of ["find", "target"]) {
  $(id).addEventListener("close", () => rest());
  $(`${id}-close`).addEventListener("click", () => $(id).close());
}
