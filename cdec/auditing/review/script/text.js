// Sentences as text: mentions, arguments and differences are marked.
// Positions of the words that two sentences have in common, in order.
function common(one, two) {
  const rows = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      rows[i][j] = one[i] === two[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
    }
  }
  const found = [new Set(), new Set()];
  for (let i = 0, j = 0; i < one.length && j < two.length;) {
    if (one[i] === two[j]) { found[0].add(i); found[1].add(j); i += 1; j += 1; }
    else if (rows[i + 1][j] >= rows[i][j + 1]) i += 1; else j += 1;
  }
  return found;
}

// Words of each side that differ from side A, if the sentences are nearly identical.
function differences(item) {
  const sentences = item.sides.map((side) => wordsOf(sentenceOf(side)).map((word) => word.toLowerCase()));
  if (!item.kind.startsWith("missing") && item.kind !== "copies-differ") return sentences.map(() => null);
  const marks = sentences.map(() => null);
  sentences.slice(1).forEach((words, number) => {
    const [first, second] = common(sentences[0], words);
    if (2 * second.size < 0.7 * (sentences[0].length + words.length)) return;
    const other = (all, set) => new Set(all.map((_, i) => i).filter((i) => !set.has(i)));
    marks[number + 1] = other(words, second);
    marks[0] = new Set([...(marks[0] || []), ...other(sentences[0], first)]);
  });
  return marks;
}

function sentenceOf(side) { return side.mentions.length ? data.mentions[side.mentions[0]].sentence : data.places_of[side.place].sentence; }
function wordsOf(key) {
  const cut = key.lastIndexOf("#");
  return data.documents[key.slice(0, cut)].sentences[Number(key.slice(cut + 1))];
}

// Corpus text enters the page as text nodes only.
function sentence(key, tokens, marked, mark = "mark") {
  const own = new Set(tokens);
  const kinds = new Map();
  for (const span of data.spans[key] || []) for (const token of span.tokens) kinds.set(token, span.tag);
  const line = element("p", "", { class: "sentence", dir: "auto" });
  let run = null;
  wordsOf(key).forEach((word, position) => {
    const kind = own.has(position) ? "*" : kinds.get(position) || "";
    const differs = Boolean(marked && marked.has(position));
    if (run && run.kind === kind && run.differs === differs) { run.words.push(word); return; }
    if (run) flush(line, run, mark);
    run = { kind, differs, words: [word] };
  });
  if (run) flush(line, run, mark);
  return line;
}

function flush(line, run, mark) {
  const text = run.words.join(" ");
  let node = document.createTextNode(text);
  if (run.kind === "*") node = mark === "mark" ? element("mark", text) : element("span", text, { class: "missing" });
  else if (run.kind) {
    node = element("span", text, { class: "argument", title: run.kind });
    node.append(element("small", short(run.kind)));
  }
  if (run.differs) {
    const wrapped = element("span", "", { class: "differs" });
    wrapped.append(node);
    node = wrapped;
  }
  line.append(node, document.createTextNode(" "));
}

function short(tag) {
  return tag.startsWith("HUMAN") ? "who" : tag.startsWith("TIME") ? "when" : tag.startsWith("LOC") ? "where" : "what";
}

function where(id) {
  const mention = data.mentions[id];
  const [doc, number] = mention.sentence.split("#");
  const tag = mention.tag ? ` · ${mention.tag}` : "";
  return `${doc}, sentence ${number}${tag}${mention.reviewed === false ? " · sentence not reviewed" : ""}`;
}

// Headline, date and the sentences before and after.
function around(key) {
  const [doc, text] = key.split("#");
  const { sentences, start, date } = data.documents[doc];
  const number = Number(text);
  const block = element("div", "", { class: "around" });
  if (date) block.append(element("p", `date: ${date}`));
  const near = [start, start + 1, number - 1, number, number + 1];
  const listed = [...new Set(near)].filter((n) => n >= 0 && n < sentences.length).sort((a, b) => a - b);
  for (const n of listed) {
    const words = sentences[n].join(" ");
    block.append(element("p", n === number ? `${n}: (this sentence)` : `${n}: ${words}`, { dir: "auto" }));
  }
  return block;
}

function listed(ids, into, marked) {
  for (const id of ids) {
    const mention = data.mentions[id];
    into.append(element("p", where(id), { class: "where" }), sentence(mention.sentence, mention.tokens, marked));
    if (context) into.append(around(mention.sentence));
  }
}
