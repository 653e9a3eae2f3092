// Below the text: the corrections of an error, and why a case is none.
const REASONS = Object.entries(data.reasons);

function option(number, text, checked) {
  const line = element("label", "");
  const input = element("input", "", { type: "radio", name: "fix", value: String(number) });
  input.checked = checked;
  input.addEventListener("change", () => choose(number));
  input.addEventListener("click", clicked);
  line.append(input, document.createTextNode(" "), element("kbd", String(number + 1), { "aria-hidden": "true" }), document.createTextNode(` ${text}`));
  return line;
}

function fixes(item) {
  const last = item.fixes.length;
  const options_ = item.fixes.map((fix, number) => option(number, fix.text, !draft.own && number === draft.fix));
  if (draft.own) options_.push(option(last, described(item, draft.own), true));
  $("fixlist").replaceChildren(...options_);
  $("pairing").textContent = item.sides.map((each, number) => `${letter(item, number)}: ${chainText(item, each)}`).join(" · ");
  $("another-key").textContent = String(last + 1);
  $("another").hidden = !searchable(item).length;
}

function choose(number) {
  const item = shown[at];
  if (!item || number > item.fixes.length) return;
  if (number === item.fixes.length) { if (!draft.own) openTarget(); return; }
  draft = { ...draft, fix: number, own: null };
  $("fixlist").querySelectorAll("input")[number].checked = true;
  revise();
}

// A decided case keeps its verdict when fix or sides change.
function revise() {
  const item = shown[at];
  const before = decisions.get(item.case);
  if (!before || !before.verdict) return;
  step([{ id: item.case, before }]);
  put(item.case, { ...before, ...draft, time: new Date().toISOString() });
  others(item);
}

// Why two events are different: after the answer, digits choose the reason.
const asksWhy = (item) => $("ask").checked && !isCopies(item) && item.kind.startsWith("missing");

function why(record) {
  $("why").hidden = record.verdict !== "not-error" || !shown[at] || !asksWhy(shown[at]);
  for (const button of $("why").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.reason === record.reason));
  }
}

function explain(number) {
  const item = shown[at];
  if (number >= REASONS.length) return;
  const before = decisions.get(item.case);
  const [reason, text] = REASONS[number];
  const waited = stopped === item.case;
  if (!waited) step([{ id: item.case, before }]); // else one step with the verdict
  put(item.case, { ...before, reason, time: new Date().toISOString() });
  if (waited) { nextOpen(at + 1); return; }
  render();
  say(`${answerOf(item, "not-error")}: ${text}.`);
}

function digit(number) { if ($("why").hidden) choose(number); else explain(number); }

REASONS.forEach(([code, text], number) => {
  const button = element("button", "", { type: "button", "data-reason": code, "aria-pressed": "false" });
  button.append(element("kbd", String(number + 1), { "aria-hidden": "true" }), document.createTextNode(` ${text}`));
  button.addEventListener("click", () => { explain(number); rest(); });
  $("why").append(button);
});
