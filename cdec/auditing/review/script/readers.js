// The reader: a name before the first verdict, and decisions that another name takes over.
let current = UNNAMED;
let earlier = null; // the name before the last change, and its decisions
let after = null; // what waits for the name

// Ask for the name, then act.
function ask(act, suggestion = store.get("reviewer") || "") {
  after = act;
  $("who-name").value = suggestion;
  $("who").showModal();
  $("who-name").select();
}

answer("who", () => {
  const given = $("who-name").value.trim();
  if (!given) return;
  $("reviewer").value = given;
  renamed();
  after();
});

// Whether a verdict has to wait for a name; it is then given, if the case is open for that reader.
function unnamed(act) {
  if (named()) return false;
  const [id, chosen] = [here(), draft];
  ask(() => {
    if (verdictOf(id)) { say(`${name()} has decided that case before: this is the first open one.`); return; }
    reveal(id);
    draft = chosen;
    act();
  });
  return true;
}

// Decisions made without a name become those of the name; after another change they can be taken over.
function renamed() {
  const records = new Map(decisions);
  const before = current;
  store.set("reviewer", named() || null);
  tab.set(named());
  if (before === name()) return;
  current = name();
  say("");
  load();
  if (before === UNNAMED) STORED.forEach(keepFilter); else loadFilters();
  earlier = records.size ? { name: before, records } : null;
  if (earlier && before === UNNAMED) { takeOver(); return; }
  offer();
  filter();
  say($("message").textContent || `Decisions of ${name()}.`);
}

function offer() {
  $("take").hidden = !earlier;
  if (earlier) $("take").textContent = `Take over ${earlier.records.size} of ${earlier.name}`;
}

function takeOver() {
  let taken = 0;
  for (const [id, record] of earlier.records) {
    if (verdictOf(id)) continue;
    put(id, record);
    store.set(placeOf(earlier.name, id), null);
    taken += 1;
  }
  const kept = earlier.records.size - taken;
  const from = earlier.name === UNNAMED ? "without a name" : `of ${earlier.name}`;
  earlier = null;
  offer();
  filter();
  say(`Decisions ${from} are now those of ${name()}: ${taken}.${kept ? ` Not taken over, ${name()} has decided the case: ${kept}.` : ""}`);
}
