// Quiet pages. What proves a sentence, sets a cell up, or says where a row of the sources has gone, is evidence: at first
// it leaves a dot in the margin, which opens that one fold, and with the switch in the page's header all of it stands
// where it belongs. The style sheet asks for `data-evidence`; without a script, and on paper, nothing is hidden.
(() => {
  "use strict";
  const { course } = window;
  const page = document.documentElement;
  const isOn = () => course?.get("settings", "evidence")?.on === true;

  /** At once, so that no fold is seen before it is a dot. */
  const show = () => {
    page.dataset.evidence = isOn() ? "on" : "off";
    document.querySelector(".evidence-switch")?.setAttribute("aria-pressed", String(isOn()));
  };
  const start = () => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-sm evidence-switch";
    button.textContent = "Evidence";
    button.title = "Proofs, set-up code and sources";
    button.addEventListener("click", () => course.put("settings", "evidence", { on: !isOn(), at: Date.now() }));
    document.querySelector(".article-header-buttons")?.prepend(button);
    show();
  };
  show();
  document.addEventListener("course:change", ({ detail }) => (!detail.part || detail.part === "settings") && show());
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
