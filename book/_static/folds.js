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
  addEventListener("load", follow); // the boxes have been folded by then
  addEventListener("hashchange", follow);
  return { open };
})();
