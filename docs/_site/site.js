// What the theme makes with a script: a wide table or block of code that scrolls can be reached by
// the keyboard, and the buttons of a block of code are no region of the page.
const adapt = () => {
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) {
    wide.tabIndex = wide.scrollWidth > wide.clientWidth ? 0 : -1;
  }
  for (const buttons of document.querySelectorAll("nav.md-code__nav")) {
    buttons.setAttribute("role", "none");
  }
};
new MutationObserver(adapt).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", adapt);
adapt();
