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
  if (isCopies(item)) { together(item, verdict); return; }
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
  if (again !== verdict && verdict === "not-error" && asksWhy(item)) {
    stopped = item.case;
    render();
  // A new verdict on a decided case goes to the next case, a first one to the next undecided.
  } else if (again && !waited) go(1); else nextOpen(at + 1);
}

// Copies of a sentence: the answer holds for each link with a tick, the others are different.
function together(item, verdict) {
  keepComment();
  const ids = parts(item).map((each) => each.case);
  const input = (name_, id) => $("batch").querySelector(`[data-${name_}="${id}"]`);
  const time = new Date().toISOString();
  const again = Boolean(verdictOn(item));
  const records = ids.map((id) => {
    const own = verdict === "error" && !input("part", id).checked ? "not-error" : verdict;
    const before = decisions.get(id);
    return [id, { verdict: own, comment: before ? before.comment : "", reason: "", fix: Number(input("fix", id).value), without: [], own: null, time }];
  });
  step(ids.map((id) => ({ id, before: decisions.get(id) || null })));
  for (const [id, record_] of records) put(id, record_);
  answered(item.case);
  if (again) go(1); else nextOpen(at + 1);
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
