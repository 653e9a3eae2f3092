// Corrections of the key: what a decision changes, and how to name it.
const LISTS = ["merge", "move", "remove"];
const MAPS = ["span", "tag", "add"];
const memberOf = new Map();
for (const chain of data.chains) {
  for (const [id, doc, number, tokens, text] of chain.members) {
    memberOf.set(id, { chain, sentence: `${doc}#${number}`, place: `${doc}/${tokens}`, text });
  }
}

// The operation of a decision: that of the chosen fix, without the sides that do not belong.
function operation(item, record) {
  if (record.own) return record.own;
  const chosen = (item.fixes[record.fix || 0] || item.fixes[0]).operation;
  const without = new Set((record.without || []).flatMap((number) => item.sides[number].mentions));
  const { merge = [], move = [], ...rest } = chosen;
  const [linked, moved] = [merge, move].map((ids) => ids.filter((id) => !without.has(id)));
  if (!without.size || linked.length < 2) return chosen;
  return { ...rest, merge: linked, ...(moved.length && { move: moved }) };
}

// Equal for equal corrections, in any order of mentions.
function canonical(chosen) {
  const ordered = (value) => (Array.isArray(value) ? [...value].sort() : value && typeof value === "object" ? Object.entries(value).sort() : value);
  return JSON.stringify(Object.entries(chosen || {}).map(([key, value]) => [key, ordered(value)]).sort());
}

function mentionsIn(chosen) {
  const lists = LISTS.flatMap((key) => chosen[key] || []);
  const maps = ["span", "tag"].flatMap((key) => Object.keys(chosen[key] || {}));
  return [...lists, ...maps, ...Object.values(chosen.add || {})];
}

function sound(chosen) {
  if (!chosen || typeof chosen !== "object") return false;
  const filled = ([key, value]) => (LISTS.includes(key) ? Array.isArray(value) && value.length > Number(key === "merge")
    : MAPS.includes(key) && value && typeof value === "object" && Object.values(value).every((text) => text && typeof text === "string"));
  return Object.entries(chosen).every(filled) && mentionsIn(chosen).every((id) => memberOf.has(id));
}

// The fix with this operation and the sides left out of its merge; or an own correction.
function recognised(item, wanted) {
  const text = canonical(wanted);
  const merge = new Set(wanted && Array.isArray(wanted.merge) ? wanted.merge : []);
  const without = item.sides.flatMap((each, number) => (each.evidence || each.mentions.some((id) => merge.has(id)) ? [] : [number]));
  for (let fix = 0; fix < item.fixes.length; fix += 1) {
    const equal = [[], without].find((left) => canonical(operation(item, { fix, without: left })) === text);
    if (equal) return { fix, without: equal, own: null };
  }
  if (sound(wanted)) return { fix: null, without: [], own: wanted };
  replaced += 1;
  return { fix: 0, without: [], own: null };
}

// The correction before a choice: the first one, or none if another is equally probable.
const suggested = (item) => ({ fix: item.fixes[0].tied ? null : 0, without: [], own: null });
const chosenIn = (record) => record.own || typeof record.fix === "number";

function label(chain) {
  const [, , , , text] = chain.members[0];
  const size = chain.members.length;
  return `${chain.descriptor || text} (${size === 1 ? "singleton" : `${size} mentions`})`;
}

// A mention by its letter in the case, or by its words.
function mentionName(item, id) {
  const number = item.sides.findIndex((each) => each.mentions.includes(id));
  return number >= 0 ? LETTERS[number % 26] : (memberOf.get(id) || { text: id }).text;
}

function described(item, chosen) {
  const fix = item.fixes.find((each) => canonical(each.operation) === canonical(chosen));
  if (fix) return fix.text;
  const [target, ...others] = [...(chosen.merge || [])].reverse();
  if (!target || !memberOf.has(target)) return Object.entries(chosen).map(([key, value]) => `${key} ${Object.keys(value).map((each) => mentionName(item, value[each])).join(", ")}`).join("; ");
  if ((chosen.move || []).includes(target)) return `link ${[...others.reverse(), target].map((id) => mentionName(item, id)).join(", ")}: they leave their chains`;
  const verb = others.some((id) => (chosen.move || []).includes(id)) ? "move" : "add";
  return `${verb} ${others.reverse().map((id) => mentionName(item, id)).join(", ")} to the chain ${label(memberOf.get(target).chain)}`;
}

// Mentions of these sides go to a chain; those that are in a chain leave it.
function toward(item, numbers, chain) {
  const ids = numbers.flatMap((number) => item.sides[number].mentions);
  const move = ids.filter((id) => memberOf.get(id).chain.members.length > 1);
  return { merge: [...ids, chain.members[0][0]], ...(move.length ? { move } : {}) };
}
