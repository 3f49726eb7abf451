// What scrolls sideways shows that it does, can be reached by the Tab key and then scrolled by the arrow keys. Boxes
// that are opened later are measured when they get their size.
(() => {
  "use strict";
  const BOXES = "pre, .cell_output .output, .formula, p:has(> .math), .jaxcourse-picture, .jaxcourse-play-frame, " +
    ".pst-scrollable-table-container, [role=group][tabindex]";
  const NAMES = [[".formula, p", "Formula"], [".jaxcourse-picture", "Picture"], [".cell_output", "Output"], ["pre", "Code"]];

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
  /** Say on which sides there is more; the style sheet shows it. */
  const point = (box) => {
    const right = box.scrollWidth - box.clientWidth - box.scrollLeft;
    const more = [box.scrollLeft > 1 && "left", right > 1 && "right"].filter(Boolean).join(" ");
    if (more && scrolls(box)) box.dataset.more = more;
    else delete box.dataset.more;
  };
  const measure = (box) => {
    point(box);
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

  const seen = new ResizeObserver((changes) => changes.forEach(({ target }) => measure(target)));
  const watch = (part) =>
    part.querySelectorAll(BOXES).forEach((box) => {
      seen.observe(box);
      box.addEventListener("scroll", () => point(box), { passive: true });
    });
  const start = () => {
    watch(document);
    document.addEventListener("course:shown", ({ target }) => watch(target)); // an output of another device
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
