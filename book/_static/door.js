// The bets on the front page: a tap on a picture, and one sentence why. Without a script, the answer is in a fold.
(() => {
  "use strict";
  for (const door of document.querySelectorAll(".door")) {
    const fold = door.querySelector("details");
    const verdict = door.querySelector(".door-verdict");
    const buttons = [...door.querySelectorAll("[data-bet]")];

    const bet = (chosen) => {
      const right = chosen.dataset.bet === door.dataset.right;
      for (const button of buttons) button.setAttribute("aria-pressed", String(button === chosen));
      door.dataset.bet = chosen.dataset.bet;
      const [why, more] = [fold.querySelector("span"), fold.querySelector("a")].map((one) => one.cloneNode(true));
      const strong = document.createElement("strong");
      strong.textContent = `${right ? "Yes" : "No"}, it is ${door.dataset.noun} ${door.dataset.right}.`;
      verdict.replaceChildren(strong, " ", why, " ", more, ".");
    };
    for (const button of buttons) {
      button.hidden = false;
      button.addEventListener("click", () => bet(button));
    }
    fold.hidden = true;
    // On paper nobody taps.
    addEventListener("beforeprint", () => Object.assign(fold, { hidden: false, open: true }));
    addEventListener("afterprint", () => (fold.hidden = true));
  }
})();
