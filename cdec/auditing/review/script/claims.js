// Corrections of the key: what a decision changes, and how to name it.
const memberOf = new Map();
for (const chain of data.chains) {
  for (const [id, doc, number, tokens, text] of chain.members) {
    memberOf.set(id, { chain, sentence: `${doc}#${number}`, place: `${doc}/${tokens}`, text });
  }
}

// The claims of a decision: those of the chosen fix, without the sides that do not belong.
function claimsOf(item, record) {
  if (record.own) return record.own;
  const { claims } = item.fixes[record.fix || 0] || item.fixes[0];
  const without = new Set((record.without || []).flatMap((number) => item.sides[number].mentions));
  const left = claims.filter((claim) => !without.has(claim.mention));
  if (!without.size || !left.length) return claims;
  const anchor = item.sides.flatMap((each) => (each.evidence ? [] : each.mentions)).find((id) => !without.has(id));
  return left.map((claim) => (without.has(claim.to) ? { ...claim, to: anchor } : claim));
}

// Equal for equal claims, in any order, and through any mention of a chain.
function canonical(claims) {
  const label_ = (id) => (memberOf.has(id) ? memberOf.get(id).chain.chain : id);
  const target = ({ to }) => (to === undefined ? null : to.startsWith("new:") ? "new:" : label_(to));
  const parts = (claim) => [claim.mention || claim.add || "", claim.chain ? label_(claim.chain) : "", target(claim), claim.tokens || "", claim.tag || ""];
  return JSON.stringify((claims || []).map(parts).map((each) => JSON.stringify(each)).sort());
}

function mentionsIn(claims) {
  const target = ({ to }) => (to && !to.startsWith("new:") ? to : "");
  return claims.flatMap((claim) => [claim.mention || claim.chain, target(claim)]).filter(Boolean);
}

function sound(claims) {
  if (!Array.isArray(claims)) return false;
  const texts = (claim) => claim && typeof claim === "object" && Object.values(claim).every((value) => typeof value === "string");
  const says = (claim) => (claim.mention || claim.chain || claim.add) && (claim.to !== undefined || claim.tokens || claim.tag);
  return claims.every((claim) => texts(claim) && says(claim)) && mentionsIn(claims).every((id) => memberOf.has(id));
}

// The fix with these claims and the sides left out of them; or an own correction.
function recognised(item, wanted) {
  const text = canonical(wanted);
  const named = new Set(Array.isArray(wanted) ? mentionsIn(wanted) : []);
  const without = item.sides.flatMap((each, number) => (each.evidence || each.mentions.some((id) => named.has(id)) ? [] : [number]));
  for (let fix = 0; fix < item.fixes.length; fix += 1) {
    const equal = [[], without].find((left) => canonical(claimsOf(item, { fix, without: left })) === text);
    if (equal) return { fix, without: equal, own: null };
  }
  if (sound(wanted)) return { fix: null, without: [], own: wanted };
  replaced += 1;
  return { fix: 0, without: [], own: null };
}

// Whether a decision differs from the own one on a case.
function differs(item, { verdict, claims }) {
  if (verdict !== verdictOf(item.case)) return true;
  return verdict === "error" && canonical(claims) !== canonical(claimsOf(item, decisions.get(item.case)));
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

function described(item, claims) {
  const fix = item.fixes.find((each) => canonical(each.claims) === canonical(claims));
  if (fix) return fix.text;
  const who = claims.map((claim) => mentionName(item, claim.mention || claim.chain || claim.add)).join(", ");
  const [{ to = "" }] = claims;
  if (to.startsWith("new:")) return `${who}: a chain without others`;
  if (!to) return `${who}: ${claims.map((claim) => claim.tokens || claim.tag || "no event").join(", ")}`;
  const moves = claims.some((claim) => memberOf.has(claim.mention) && memberOf.get(claim.mention).chain.members.length > 1);
  return `${moves ? "move" : "add"} ${who} to the chain ${memberOf.has(to) ? label(memberOf.get(to).chain) : to}`;
}

// Mentions of these sides belong to a chain.
function toward(item, numbers, chain) {
  const ids = numbers.flatMap((number) => item.sides[number].mentions);
  return ids.map((mention) => ({ mention, to: chain.members[0][0] }));
}
