// Verdicts, comments, and how to undo them.
function answered(id) {
  const spot = answers.indexOf(id);
  if (spot >= 0) answers.splice(spot, 1);
  answers.push(id);
  if (answers.length > 50) answers.shift();
}

function decide(verdict) {
  const item = shown[at];
  if (!item) return;
  if (unnamed(() => decide(verdict))) return;
  if (verdict === "error" && !chosenIn(draft)) { say("Two corrections are equally probable: choose one first."); return; }
  keepComment();
  const before = decisions.get(item.case) || null;
  const again = before ? before.verdict : "";
  const waited = stopped === item.case;
  if (waited && again === verdict) { nextOpen(at + 1); return; }
  const reason = again === verdict ? before.reason || "" : "";
  step([{ id: item.case, before }]);
  put(item.case, { verdict, comment: before ? before.comment : "", reason, ...draft, time: new Date().toISOString() });
  answered(item.case);
  // The page waits for a reason.
  if (again !== verdict && verdict === "not-error" && $("ask").checked) {
    stopped = item.case;
    render();
  // A new verdict on a decided case goes to the next case, a first one to the next undecided.
  } else if (again && !waited) go(1); else nextOpen(at + 1);
}

function together(verdict) {
  const item = shown[at];
  if (!item || !item.group) { say("This case has no group of sentences."); return; }
  if (unnamed(() => together(verdict))) return;
  keepComment();
  const proposed = (id) => (id === item.case ? draft : suggested(byId.get(id)));
  const undecided = data.groups[item.group].filter((id) => !verdictOf(id));
  const waiting = undecided.filter((id) => verdict !== "error" || chosenIn(proposed(id)));
  const left = undecided.length - waiting.length;
  if (!undecided.length) { say("All cases of the group are decided."); return; }
  const time = new Date().toISOString();
  if (waiting.length) step(waiting.map((id) => ({ id, before: decisions.get(id) || null })));
  for (const id of waiting) {
    const before = decisions.get(id);
    put(id, { verdict, comment: before ? before.comment : "", reason: "", ...proposed(id), time });
    answered(id);
  }
  nextOpen(at + 1);
  say(`${waiting.length} cases: ${words(verdict)}.${left ? ` Two corrections are equally probable, choose one: ${left}.` : ""}`);
}

function keepComment() {
  const item = shown[at];
  if (!item) return;
  const before = decisions.get(item.case) || null;
  const comment = $("comment").value.trim();
  if (comment === (before ? before.comment : "")) return;
  step([{ id: item.case, before }]);
  put(item.case, { ...(before || { verdict: "" }), comment, time: new Date().toISOString() });
  progress();
}

function undo() {
  const last = undone.pop();
  if (!last) { say("Nothing to undo."); return; }
  keepUndo();
  for (const { id, before } of last) put(id, before);
  const spot = shown.findIndex((item) => item.case === last[0].id);
  if (spot >= 0) show(spot); else filter(last[0].id);
  say("Undone.");
}
