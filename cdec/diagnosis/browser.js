"use strict";
(() => {
// The error browser. Text of a corpus enters the page as text nodes only.
const data = JSON.parse(document.getElementById("data").textContent);
const { documents, mentions, kinds, views } = data;
for (const one of documents) one[2] = one[2].map((words) => (typeof words === "string" ? words.split(" ") : words));
const FIRST = 6; // mentions of a part that are shown at once
const MARKS = "●□△◇×"; // of metrics
const $ = (id) => document.getElementById(id);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const written = (number) => number.toLocaleString("en");
const counted = (number, noun) => `${written(number)} ${noun}${number === 1 ? "" : "s"}`;

let view = null; // chains of two sides
let listed = []; // the chains that the filters leave
let chosen = null; // the chain that is shown
let opened = null; // mention and side of the dialog

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
const drawn = (tag, attributes, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const option = (text, value) => element("option", { value }, text);

// Lists of items by the value of a function, in order of first occurrence.
function grouped(items, valueOf) {
  const groups = new Map();
  for (const item of items) {
    const value = valueOf(item);
    if (!groups.has(value)) groups.set(value, []);
    groups.get(value).push(item);
  }
  return groups;
}

// ---- views: chains with their members, and the words for their errors ----

const ofSentence = grouped(mentions.keys(), (number) => `${mentions[number][0]} ${mentions[number][1]}`);
const isPair = () => Boolean(view.systems);
const otherOf = (side) => (side === view.sides[0] ? view.sides[1] : view.sides[0]);
const codeOf = (mention, side) => view.codes[side][mention];
const chainOf = (mention, side) => view.chains[side][codeOf(mention, side)];
const nameOf = (chain) => (chain.place ? `${chain.words} (${chain.place})` : chain.words);

function nameOfSide(side) {
  if (isPair() && side !== "key") return view.systems[side === "a" ? 0 : 1];
  return side;
}

const theSide = (side) => (isPair() && side !== "key" ? nameOfSide(side) : `the ${side}`);
const linksOf = (size) => size * (size - 1) / 2;
const limited = (texts) => (texts.length > FIRST ? [...texts.slice(0, FIRST), `and ${texts.length - FIRST} more`] : texts);

function kindOf(side) {
  if (isPair()) return `only ${nameOfSide(side)}`;
  return side === "key" ? "torn key chain" : "mixed response chain";
}

function wordOf(side) {
  if (isPair()) return `that ${nameOfSide(otherOf(side))} lacks`;
  return side === "key" ? "missed" : "wrong";
}

function complete(number) {
  const { codes, chains, sides } = views[number];
  for (const side of Object.keys(codes)) {
    if (chains[side].some((chain) => chain.members)) return;
    chains[side].forEach((chain, code) => Object.assign(chain, {
      side,
      code,
      id: `${number}-${side}-${code}`,
      members: [],
      points: chain.points || 0,
      errors: chain.errors || [],
      words: chain.tally.map(([word]) => word).join(", "),
      place: chain.units.length > 1 ? `${chain.units[0]} +${chain.units.length - 1}` : chain.units.join(""),
    }));
    codes[side].forEach((code, mention) => { if (code >= 0) chains[side][code].members.push(mention); });
  }
  for (const side of sides) {
    const other = side === sides[0] ? sides[1] : sides[0];
    for (const chain of chains[side]) {
      chain.lost = sum(chain.errors);
      chain.lacking = chain.members.filter((mention) => codes[other][mention] === -1).length;
      chain.omitted = chain.members.filter((mention) => codes[other][mention] === -2).length;
      // Links with an end that the setting leaves out of the other side cannot be right there.
      chain.ofSetting = linksOf(chain.members.length) - linksOf(chain.members.length - chain.omitted);
      chain.parts = new Set(chain.members.map((mention) => codes[other][mention]).filter((code) => code >= 0)).size + chain.lacking + chain.omitted;
      const places = chain.members.map((mention) => documents[mentions[mention][0]]).filter(Boolean);
      const texts = chain.members.map((mention) => mentions[mention][3]);
      chain.searched = [chain.words, ...texts, ...places.map(([id]) => id), ...chain.units].join(" ").toLowerCase();
    }
  }
}

const isBad = (chain) => (isPair() ? chain.lost > 0 : chain.points > 0);
const badChains = (side) => view.chains[side].filter(isBad);

function open(number) {
  complete(number);
  view = views[number];
  $("view").value = String(number);
  $("side").replaceChildren(option("all", ""), ...view.sides.map((side) => option(isPair() ? kindOf(side) : `${kindOf(side)}s`, side)));
  if (!isPair()) $("side").append(option("with a mention of one side only", "lacking"));
  $("distance").replaceChildren(option("any", ""), ...kinds.map((kind, place) => [kind, place]).filter(([kind]) => kind).map(([kind, place]) => option(kind, place)));
  const units = new Set(view.sides.flatMap((side) => view.chains[side].flatMap((chain) => chain.units)));
  $("units").hidden = units.size < 2;
  $("units").firstChild.textContent = `${data.unit.charAt(0).toUpperCase()}${data.unit.slice(1)} `;
  $("unit").replaceChildren(option("all", ""), ...[...units].map((unit) => option(unit, unit)));
  $("f1").hidden = !view.scores;
  if (view.scores) drawScores();
  drawDistances();
  $("costs").textContent = isPair() ? pairSentence() : view.sides.map(costSentence).join(" ");
  filter();
}

// ---- the figures ----

function costSentence(side) {
  const points = badChains(side).map((chain) => chain.points).sort((a, b) => b - a);
  const total = sum(points).toFixed(1);
  const lost = sum(badChains(side).map((chain) => chain.lost));
  const ofSetting = sum(badChains(side).map((chain) => chain.ofSetting));
  const reason = ofSetting ? ` ${written(ofSetting)} of the ${counted(lost, `${wordOf(side)} link`)} have an end that ${view.label} leaves out of ${theSide(otherOf(side))}.` : "";
  const worst = points.length > 10 ? `, ${sum(points.slice(0, 10)).toFixed(1)} of them the ten worst` : "";
  return `${counted(points.length, kindOf(side))} cost${points.length === 1 ? "s" : ""} ${total} points of B³ ${side === "key" ? "recall" : "precision"}${worst}.${reason}`;
}

function pairSentence() {
  const sentences = view.sides.map((side, place) => {
    const right = sum(view.links.map((row) => row[2 * place]));
    const wrong = sum(view.links.map((row) => row[2 * place + 1]));
    return `${nameOfSide(side)} has ${counted(right + wrong, "link")} that ${nameOfSide(otherOf(side))} lacks: ${written(right)} right, ${written(wrong)} wrong.`;
  });
  return sentences.join(" ");
}

function drawScores() {
  const ids = Object.keys(data.metrics);
  const values = view.scores.flatMap(({ f1 }) => Object.values(f1).map(Number));
  const low = Math.floor(Math.min(...values) / 10) * 10;
  const high = Math.max(low + 10, Math.ceil(Math.max(...values) / 10) * 10);
  const width = Math.max(280, Math.min(560, $("scores").clientWidth));
  const height = view.scores.length * 21;
  const x = (value) => 104 + (width - 124) * (value - low) / (high - low);
  const described = view.scores.map(({ label, f1 }) => `${label}: ${ids.map((id) => `${data.metrics[id]} ${f1[id]}`).join(", ")}`);
  const plot = drawn("svg", { width, height: height + 42, role: "img", "aria-label": described.join("; ") });
  for (let value = low; value <= high; value += 10) {
    plot.append(drawn("line", { x1: x(value), x2: x(value), y1: 4, y2: height + 4 }));
    plot.append(drawn("text", { x: x(value), y: height + 17, "text-anchor": "middle" }, value));
  }
  view.scores.forEach(({ setting, label, f1 }, row) => {
    const y = row * 21 + 18;
    plot.append(drawn("text", { x: 94, y, "text-anchor": "end", class: setting === view.setting ? "chosen" : "" }, label));
    for (const id of [...ids].reverse()) {
      const mark = drawn("text", { x: x(Number(f1[id])), y, "text-anchor": "middle", class: id === ids[0] ? "mean" : "" }, MARKS[ids.indexOf(id)]);
      mark.append(drawn("title", {}, `${data.metrics[id]} ${f1[id]}`));
      plot.append(mark);
    }
  });
  ids.forEach((id, place) => plot.append(drawn("text", { x: 8 + Math.min(82, (width - 8) / ids.length) * place, y: height + 36, class: place ? "" : "mean" }, `${MARKS[place]} ${data.metrics[id]}`)));
  $("scores").replaceChildren(plot);
}

// A bar for each distance: right, missed and wrong links; of a pair the right and wrong ones of either.
function drawDistances() {
  const names = isPair()
    ? view.systems.flatMap((system) => [`right, only ${system}`, `wrong, only ${system}`])
    : ["right", "missed", "wrong"];
  const styles = isPair() ? ["right", "wrong", "right", "wrong"] : names;
  const longest = Math.max(1, ...view.links.map(sum));
  const bars = view.links.map((numbers, place) => {
    const parts = [...numbers, longest - sum(numbers)].map((number, at) => {
      const part = element("span", { class: styles[at] });
      part.style.flexGrow = number;
      part.hidden = !number;
      return part;
    });
    const text = numbers.map((number, at) => `${written(number)} ${names[at]}`).join("; ");
    const button = element("button", { type: "button", "aria-pressed": "false", "data-distance": place }, `${kinds[place]}: `, element("span", { class: "soft" }, text), element("span", { class: "stack" }, ...parts));
    button.addEventListener("click", () => {
      $("distance").value = $("distance").value === String(place) ? "" : String(place);
      filter();
    });
    return button;
  });
  $("distances").replaceChildren(...bars.filter((bar, place) => kinds[place]));
  $("legend").replaceChildren(...[...new Set(styles)].flatMap((name) => [element("span", { class: `swatch ${name}` }), name]));
}

// ---- the list ----

const conditions = {
  side: (chain, value) => (value === "lacking" ? chain.lacking > 0 : chain.side === value),
  distance: (chain, value) => chain.errors[value] > 0,
  unit: (chain, value) => chain.units.includes(value),
  search: (chain, value) => value.toLowerCase().split(/\s+/).every((word) => chain.searched.includes(word)),
};
const passes = (chain, id, value) => !value || conditions[id](chain, value);

// The chains that the filters leave, but for one of the filters.
function passing(except) {
  const passesRest = (chain) => Object.keys(conditions).every((id) => id === except || passes(chain, id, $(id).value));
  return view.sides.flatMap(badChains).filter(passesRest);
}

function hideEmptyChoices() {
  for (const id of ["side", "distance", "unit"]) {
    const chains = passing(id);
    for (const choice of $(id).options) {
      choice.disabled = !choice.selected && choice.value !== "" && !chains.some((chain) => passes(chain, id, choice.value));
      choice.hidden = choice.disabled;
    }
  }
  for (const button of $("distances").children) {
    const choice = [...$("distance").options].find(({ value }) => value === button.dataset.distance);
    button.disabled = choice.disabled;
    button.setAttribute("aria-pressed", String(choice.selected));
  }
}

function filter() {
  const distance = $("distance").value;
  const worth = (chain) => (distance ? chain.errors[distance] : isPair() ? chain.lost : chain.points);
  listed = passing().sort((a, b) => worth(b) - worth(a));
  hideEmptyChoices();
  const order = distance || isPair() ? "the most links first" : "the costliest first, in points of B³";
  $("count").textContent = listed.length ? `${counted(listed.length, "chain")}, ${order}.` : "No chain passes the filters.";
  $("export").disabled = !listed.length;
  $("export").textContent = `${counted(sum(listed.map((chain) => (distance ? chain.errors[distance] : chain.lost))), "link")} as CSV`;
  $("list").replaceChildren(...listed.map((chain) => {
    const value = distance || isPair() ? written(worth(chain)) : chain.points.toFixed(2);
    const omitted = chain.omitted ? `, ${written(chain.omitted)} left out of ${theSide(otherOf(chain.side))}` : "";
    const lacking = chain.lacking ? `, ${written(chain.lacking)} not in ${theSide(otherOf(chain.side))}` : "";
    const about = ` ${chain.place} · ${counted(chain.members.length, "mention")} in ${counted(chain.parts, "part")}${omitted}${lacking}`;
    const tag = element("span", { class: `tag ${chain.side === view.sides[0] ? "" : "second"}` }, isPair() ? kindOf(chain.side) : kindOf(chain.side).split(" ")[0]);
    return element("li", {}, element("a", { href: `#${chain.id}` }, element("b", {}, chain.words), element("span", {}, value), element("small", {}, tag, about)));
  }));
  if (listed.includes(chosen)) highlight();
  else showFirst();
}

function showFirst() {
  if (listed.length) show(listed[0]);
  else if (view.sides.flatMap(badChains).length) tell("No chain passes the filters.");
  else tell("Both sides have the same chains.");
  if ($("chain").getBoundingClientRect().top < 0) $("chain").scrollIntoView();
}

function tell(text) {
  chosen = null;
  $("chain").replaceChildren(element("p", { role: "status" }, text));
  highlight();
}

function highlight() {
  for (const link of $("list").querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const place = listed.indexOf(chosen);
  if (place < 0) return;
  const link = $("list").children[place].firstChild;
  link.setAttribute("aria-current", "true");
  const above = link.offsetTop - $("list").offsetTop;
  const isInside = above >= $("list").scrollTop && above + link.offsetHeight <= $("list").scrollTop + $("list").clientHeight;
  if (!isInside) $("list").scrollTop = above - 60;
}

// Scroll the page where the heading of the chain, or its item beside it, is out of sight.
function reveal() {
  const heading = $("chain").firstChild.getBoundingClientRect();
  const item = $("list").querySelector("[aria-current]");
  const isItemBelow = item && item.getBoundingClientRect().bottom > innerHeight;
  if (heading.top < 0 || heading.bottom > innerHeight || isItemBelow) $("chain").scrollIntoView();
}

function step(distance) {
  const next = listed[Math.max(0, listed.indexOf(chosen) + distance)];
  if (next) go(next.id);
}

function clearSearch() {
  $("search").value = "";
  filter();
}

function goToFirst(event) {
  event.preventDefault();
  if (!listed.length) return;
  $("search").blur();
  go(listed[0].id);
}

// ---- a sentence ----

function described(mention) {
  const sides = isPair() ? ["key", ...view.sides] : view.sides;
  return sides.map((side) => {
    const chain = chainOf(mention, side);
    return chain ? `${nameOfSide(side)}: ${nameOf(chain)}, ${counted(chain.members.length, "mention")}` : `${codeOf(mention, side) === -2 ? "left out of" : "not in"} ${theSide(side)}`;
  }).join("\n");
}

// The sentence with its mentions: that in focus marked, the others linked to their chains on a side.
function sentence(document_, number, side, styleOf, focus) {
  const line = element("p", { dir: "auto" });
  const inside = (ofSentence.get(`${document_} ${number}`) || []).filter((mention) => view.sides.some((each) => codeOf(mention, each) >= 0));
  const length = (mention) => mentions[mention][2].length;
  let before; // the mention of the token before, and its node
  let node;
  documents[document_][2][number].forEach((token, place) => {
    const owners = inside.filter((mention) => mentions[mention][2].includes(place)).sort((a, b) => length(a) - length(b));
    // A token belongs to the mention in focus, else to the shortest.
    const owner = owners.includes(focus) ? focus : owners[0];
    if (owner !== undefined && owner === before) { node.firstChild.data += ` ${token}`; return; }
    if (place) line.append(" ");
    before = owner;
    node = owner === undefined ? token : linked(owner, side, styleOf, owner === focus, token);
    line.append(node);
  });
  return line;
}

function linked(mention, side, styleOf, isFocus, token) {
  if (isFocus) return element("mark", { class: styleOf(mention), title: described(mention) }, token);
  const target = chainOf(mention, side) || chainOf(mention, otherOf(side));
  const link = element("a", { class: `mention ${styleOf(mention)}`, href: `#${target.id}`, title: described(mention) }, token);
  link.style.setProperty("--hue", (target.code * 137.5) % 360);
  return link;
}

function placeOf(mention, side) {
  const [document_, number] = mentions[mention];
  const [id, unit] = documents[document_];
  const button = element("button", { type: "button", class: "place", title: "Read the document" }, `${id}${unit && ` · ${unit}`} · sentence ${number}`);
  button.addEventListener("click", () => read(mention, side));
  return button;
}

// ---- the chosen chain ----

// The parts of a chain: chains of the other side, then mentions alone there, those that the setting
// leaves out there (PURE-CDEC keeps one of a chain and document), and those that it lacks.
function partsOf(chain) {
  const other = otherOf(chain.side);
  const parts = [...grouped(chain.members, (mention) => {
    const counterpart = chainOf(mention, other);
    if (!counterpart) return codeOf(mention, other) === -2 ? "omitted" : "lacking";
    return counterpart.members.length === 1 && chain.members.length > 1 ? "alone" : counterpart.code;
  })];
  const rank = ([code]) => ["alone", "omitted", "lacking"].indexOf(code);
  parts.sort((a, b) => rank(a) - rank(b) || b[1].length - a[1].length);
  return parts.map(([code, members], place) => ({ code, members, style: rank([code]) < 0 ? `c${place % 6}` : code }));
}

function show(chain) {
  chosen = chain;
  const { side, members } = chain;
  const parts = partsOf(chain);
  const styles = new Map(parts.flatMap((part) => part.members.map((mention) => [mention, part.style])));
  const styleOf = (mention) => {
    if (styles.has(mention)) return `member ${styles.get(mention)}`;
    return codeOf(mention, side) < 0 ? "absent" : "";
  };
  const stripe = element("div", { class: "parts", "aria-hidden": "true" }, ...parts.flatMap((part) => {
    const bars = ["alone", "omitted"].includes(part.style) ? part.members.map(() => 1) : [part.members.length];
    return bars.map((size) => {
      const bar = element("span", { class: part.style });
      bar.style.flexGrow = size;
      return bar;
    });
  }));
  const reason = chain.ofSetting && !isPair() ? `, ${written(chain.ofSetting)} of them with an end that ${view.label} leaves out of ${theSide(otherOf(side))}` : "";
  const cost = isPair() ? "" : `; costs ${chain.points.toFixed(2)} points of B³ ${side === "key" ? "recall" : "precision"}`;
  const right = isPair() ? `, ${written(chain.right)} of them right` : "";
  const distances = chain.errors.map((number, place) => (number ? `${written(number)} ${kinds[place]}` : "")).filter(Boolean);
  const tally = chain.tally.map(([word, number]) => `${word} ${number}×`).join(", ");
  $("chain").replaceChildren(
    element("h2", {}, element("span", { class: `tag ${side === view.sides[0] ? "" : "second"}` }, kindOf(side)), ` ${tally}`),
    element("p", { class: "soft" }, [...limited(chain.units), counted(members.length, "mention"), counted(new Set(members.map((mention) => mentions[mention][0])).size, "document")].join(" · ")),
    element("p", {}, `${written(chain.lost)} of ${counted(linksOf(members.length), "link")} ${wordOf(side)}${right}${reason}${cost}. ${distances.join(", ")}`),
    stripe,
    ...parts.flatMap((part) => partBlock(chain, part, styleOf)),
  );
  highlight();
}

function partBlock(chain, part, styleOf) {
  const other = otherOf(chain.side);
  const { members, style } = part;
  const heading = element("h3", { class: style });
  const blocks = [heading];
  if (part.code === "alone") heading.append(`Alone: ${counted(members.length, "mention")}, each a chain by itself in ${theSide(other)}`);
  else if (part.code === "omitted") heading.append(`Left out of ${theSide(other)} by ${view.label}: ${counted(members.length, "mention")}`);
  else if (part.code === "lacking") heading.append(`Not in ${theSide(other)}: ${counted(members.length, "mention")}`);
  else {
    const counterpart = view.chains[other][part.code];
    heading.append(`${counted(members.length, "mention")} in the chain of ${theSide(other)} `, element("a", { href: `#${counterpart.id}` }, nameOf(counterpart)), ` of ${written(counterpart.members.length)}`);
    const rest = grouped(counterpart.members.filter((mention) => codeOf(mention, chain.side) !== chain.code), (mention) => codeOf(mention, chain.side));
    if (rest.size) blocks.push(companions(chain.side, rest));
  }
  const items = members.map((mention) => () => element("li", {}, ...mentionBlock(mention, chain.side, styleOf)));
  const list = element("ol", { class: `group ${style}` }, ...items.slice(0, FIRST).map((make) => make()));
  blocks.push(list);
  if (items.length > FIRST) {
    const more = element("button", { type: "button" }, counted(items.length - FIRST, "more mention"));
    more.addEventListener("click", () => { list.append(...items.slice(FIRST).map((make) => make())); more.remove(); });
    blocks.push(more);
  }
  return blocks;
}

function mentionBlock(mention, side, styleOf) {
  const [document_, number, , text] = mentions[mention];
  if (document_ < 0) return [element("p", {}, element("mark", { class: styleOf(mention) }, text || "a mention"), " is not in the corpus")];
  const key = isPair() ? [element("span", { class: "soft" }, chainOf(mention, "key") ? ` key chain: ${nameOf(chainOf(mention, "key"))}` : " not in the key")] : [];
  return [placeOf(mention, side), ...key, sentence(document_, number, side, styleOf, mention)];
}

// The other mentions of a chain of the other side, by their chains on this side.
function companions(side, rest) {
  const line = element("p", { class: "soft" }, "together with ");
  const chains = [...rest].sort((a, b) => b[1].length - a[1].length);
  chains.slice(0, 4).forEach(([code, members], place) => {
    const chain = view.chains[side][code];
    const absent = `${code === -2 ? "left out of" : "not in"} ${theSide(side)}`;
    const name = chain ? element("a", { href: `#${chain.id}` }, nameOf(chain)) : absent;
    line.append(place ? ", " : "", `${members.length} ${chain ? "of " : ""}`, name);
  });
  if (chains.length > 4) line.append(` and ${counted(chains.length - 4, "other chain")}`);
  return line;
}

// ---- the document of a mention, coloured by the chains of a side ----

function read(from, side) {
  opened = { from, side };
  const [document_, number] = mentions[from];
  const styleOf = (mention) => {
    const chain = chainOf(mention, side);
    const style = mention === from ? "from" : "";
    if (!chain) return `absent ${style}`;
    return chain.members.length > 1 ? `hue ${style}` : style;
  };
  const [id, , sentences] = documents[document_];
  $("title-of-document").textContent = id;
  $("colours").textContent = `Colours: ${nameOfSide(side)} chains (t)`;
  $("text").replaceChildren(...sentences.map((_, place) => {
    const line = sentence(document_, place, side, styleOf);
    // Equal numbers are one chain, as equal colours are.
    for (const link of line.querySelectorAll(".hue")) link.append(element("sub", {}, link.hash.replace(/.*-/, "")));
    if (place === number) line.className = "here";
    return line;
  }));
  if ($("document").open) return;
  $("document").showModal();
  $("text").querySelector(".here").scrollIntoView({ block: "center" });
}

const recolour = () => read(opened.from, otherOf(opened.side));

// ---- the links of the list as CSV ----

function distanceOf(a, b) {
  const [first, second] = [a, b].map((mention) => mentions[mention][4]);
  return first.findIndex((place, number) => place === second[number]);
}

function cell(value) {
  const text = String(value);
  // A spreadsheet would run it as a formula.
  const safe = /^[=+\-@\t\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function exported() {
  const distance = $("distance").value;
  const lines = [["error", "distance", "chain", "document_a", "sentence_a", "mention_a", "text_a", "document_b", "sentence_b", "mention_b", "text_b"].map(cell).join(",")];
  const end = (mention) => {
    const [document_, number, , text] = mentions[mention];
    if (document_ < 0) return ["", "", text, ""];
    return [documents[document_][0], number, text, documents[document_][2][number].join(" ")];
  };
  for (const chain of listed) {
    const other = otherOf(chain.side);
    chain.members.forEach((a, place) => {
      for (const b of chain.members.slice(place + 1)) {
        const isLink = codeOf(a, other) >= 0 && codeOf(a, other) === codeOf(b, other);
        const far = isLink ? -1 : distanceOf(a, b);
        if (isLink || (distance && far !== Number(distance))) continue;
        const error = isPair() ? kindOf(chain.side) : wordOf(chain.side);
        lines.push([error, kinds[far], nameOf(chain), ...end(a), ...end(b)].map(cell).join(","));
      }
    });
  }
  const url = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
  element("a", { href: url, download: "links.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// ---- the way through the page ----

// Show the chain of the address; of an address without a chain or section, the first one of the list.
function route() {
  const [, number, side, code] = location.hash.match(/^#(\d+)-(\w+)-(\d+)$/) || [];
  const isChain = views[number]?.sides.includes(side) && views[number].chains[side][code];
  if (!isChain) return tellUnknown();
  if ($("document").open) $("document").close();
  if (view !== views[number]) open(Number(number));
  show(view.chains[side][code]);
  reveal();
}

function tellUnknown() {
  if (!view) open(0);
  const id = location.hash.slice(1);
  if (!id || document.getElementById(id)) return;
  tell(`The page has no chain or section “${id}”.`);
  reveal();
}

function go(id) {
  location.hash = id;
  route();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select")) {
    if (event.key === "Escape") {
      event.target.blur();
      if (event.target.id === "search") clearSearch();
    }
    return;
  }
  const keys = $("document").open
    ? { t: recolour }
    : { j: () => step(1), k: () => step(-1), "/": () => $("search").focus() };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
document.addEventListener("click", (event) => {
  // A link to a chain: in a frame its address would be that of the page around it.
  const link = event.target.closest('#browser a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute("href").slice(1));
  if (!link.closest("#list") || innerWidth < 800) $("chain").scrollIntoView();
});
for (const id of ["side", "distance", "unit", "search"]) $(id).addEventListener("input", filter);
document.querySelector("#browser form").addEventListener("submit", goToFirst);
$("view").append(...views.map(({ system, systems, label }, number) => option(`${systems ? systems.join(" beside ") : system}, ${label}`, number)));
$("view").addEventListener("change", () => open(Number($("view").value)));
$("selector").hidden = views.length < 2;
$("export").addEventListener("click", exported);
$("colours").addEventListener("click", recolour);
$("close").addEventListener("click", () => $("document").close());
addEventListener("hashchange", route);

route();
})();
