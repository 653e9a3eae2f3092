// A quotation is shown if it, or the label above it, has the words of the search box.
(() => {
  const box = document.querySelector("#search input");
  const lists = [...document.querySelectorAll(".quotes")].map((list) => ({
    list,
    open: list.open,
    label: list.querySelector("summary").textContent.toLowerCase(),
    quotes: [...list.querySelectorAll("blockquote")].map((quote) => ({ quote, text: quote.textContent.toLowerCase() })),
  }));
  function search() {
    const wanted = box.value.trim().toLowerCase();
    let found = 0;
    for (const { list, open, label, quotes } of lists) {
      const whole = label.includes(wanted);
      let shown = 0;
      for (const { quote, text } of quotes) {
        quote.hidden = !whole && !text.includes(wanted);
        shown += quote.hidden ? 0 : 1;
      }
      list.hidden = !shown;
      list.open = wanted ? true : open;
      found += shown ? 1 : 0;
    }
    for (const section of document.querySelectorAll("main section")) {
      section.hidden = wanted !== "" && !section.querySelector(".quotes:not([hidden])");
    }
    document.querySelector("#search output").textContent = wanted ? `${found} of ${lists.length} shown` : "";
  }
  box.addEventListener("input", search);
  document.getElementById("search").hidden = false;
  search();
})();
