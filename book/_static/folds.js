// A link that leads into something folded opens it: an address with an anchor here, a search by `courseFolds.open`.
// On a quiet page, what is folded may be no more than a dot.
window.courseFolds = (() => {
  "use strict";

  /** Open all folds around an element, and the one that it consists of. */
  const open = (element) => {
    for (let one = element.querySelector(":scope > details") ?? element; one; one = one.parentElement) {
      if (one.matches("details")) one.open = true;
      one.classList.remove("toggle-hidden"); // the script of the boxes follows this class
    }
  };
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });

  const follow = () => {
    const target = document.getElementById(window.course?.anchor() ?? "");
    if (!target || isSeen(target.querySelector(":scope > details > :not(summary)") ?? target)) return;
    open(target);
    target.scrollIntoView();
  };
  /** What the button of a box unfolds: who hears a list of them, hears no two alike. */
  const name = (button) => {
    const box = button.closest(".admonition");
    const exercise = box.matches(".solution") ? box.previousElementSibling : box.closest(".exercise");
    const task = exercise?.querySelector(":scope > .admonition-title");
    const words = [button.parentElement, task].filter(Boolean).map((one) => one.textContent.replace(/\s+/g, " ").trim());
    button.setAttribute("aria-label", `Show or hide: ${words.join(", ")}`);
  };
  const start = () => {
    for (const button of document.querySelectorAll(".admonition-title > .toggle-button")) name(button);
    follow();
  };
  addEventListener("load", start); // the boxes have been folded by then
  addEventListener("hashchange", follow);
  return { open };
})();
