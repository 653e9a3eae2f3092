// Which cases are shown, how many are decided, and the way between them.
function progress() {
  const done = counts.error + counts["not-error"] + counts.unsure;
  $("bar").max = cases.length || 1;
  $("bar").value = done;
  $("counts").textContent = `${done} of ${cases.length} decided: ${counts.error} errors, ${counts["not-error"]} right, ${counts.unsure} not sure`;
  $("last").replaceChildren(...answers.slice(-10).reverse().map((id) => {
    const line = element("li", "");
    const link = element("a", byId.get(id).words.slice(0, 3).join(", "), { href: `#case=${id}` });
    line.append(link, document.createTextNode(`: ${verdictOf(id) ? answerOf(byId.get(id), verdictOf(id)) : "undone"}`));
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

// Show the cases that fit, from the case ``keep``, or else from the first undecided one.
function filter(keep) {
  // Copies of a sentence are one card, that of the first of them that fits.
  const first = new Map(cases.filter(fits).reverse().map((item) => [item.group || item.case, item]));
  shown = cases.filter((item) => first.get(item.group || item.case) === item);
  const spot = shown.findIndex((item) => parts(item).some((each) => each.case === keep));
  show(Math.max(0, spot >= 0 ? spot : shown.findIndex((item) => !decidedAll(item))), false);
}

const decidedAll = (item) => parts(item).every((each) => verdictOf(each.case));
const here = () => shown[at] && shown[at].case;

function show(number, scroll = true) {
  at = number;
  open = null;
  stopped = null;
  if (scroll) say("");
  render();
  if (scroll) scrollTo(0, 0);
}

function go(step_) {
  keepComment();
  const spot = at + step_;
  if (spot < 0 || spot >= shown.length) { say(step_ > 0 ? "This is the last case." : "This is the first case."); render(); return; }
  show(spot);
}

function nextOpen(from) {
  const undecided = (item) => !decidedAll(item);
  let spot = shown.findIndex((item, index) => index >= from && undecided(item));
  if (spot < 0) spot = shown.findIndex(undecided);
  if (spot < 0) { stopped = null; render(); say("All cases shown are decided. Press x to export the decisions."); return; }
  show(spot);
}

function linked() {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("case");
  if (byId.has(wanted)) reveal(wanted);
  return byId.has(wanted);
}

// Show a case, whatever the filter.
function reveal(id) {
  if (!fits(byId.get(id))) for (const each of FILTERS) $(each).value = each === "state" ? "all" : "";
  if (here() !== id) filter(id);
}
