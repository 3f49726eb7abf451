// What scrolls sideways can be reached by the Tab key and then scrolled by the arrow keys. Boxes that are opened later
// are measured when they get their size.
(() => {
  "use strict";
  const BOXES = "pre, .cell_output .output, .formula, .jaxcourse-picture, .jaxcourse-play-frame, " +
    ".pst-scrollable-table-container, [role=region]";
  const NAMES = [[".formula", "Formula"], [".jaxcourse-picture", "Picture"], [".cell_output", "Output"], ["pre", "Code"]];

  const scrolls = (box) =>
    box.scrollWidth > box.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
  const name = (box) => {
    if (box.hasAttribute("role") || box.hasAttribute("aria-label")) return; // it has said what it is
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `${NAMES.find(([which]) => box.closest(which))?.[1] ?? "Table"}, scrolls sideways`);
    box.dataset.named = "";
  };
  const unname = (box) => {
    if (!("named" in box.dataset)) return;
    for (const attribute of ["role", "aria-label", "data-named"]) box.removeAttribute(attribute);
  };
  const measure = (box) => {
    if (scrolls(box)) {
      if (!box.hasAttribute("tabindex")) box.dataset.reached = "";
      box.tabIndex = 0;
      name(box);
    } else if ("reached" in box.dataset) {
      box.removeAttribute("tabindex");
      delete box.dataset.reached;
      unname(box);
    }
  };

  const start = () => {
    const seen = new ResizeObserver((changes) => changes.forEach(({ target }) => measure(target)));
    document.querySelectorAll(BOXES).forEach((box) => seen.observe(box));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
