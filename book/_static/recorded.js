// What a cell showed on another device. Above each output of which there is a record stands a switch: what this build
// measured, or what was recorded. What is chosen holds for all outputs and all pages, and predictions are judged by it
// (`window.recorded.chosen()`). Without this script the build's own outputs are all that is there.
(() => {
  "use strict";
  const { course } = window;
  const BUILD = "";
  let here = BUILD; // where no store is, it lasts as long as the page
  const chosen = () => (course ? (course.get("settings", "device")?.name ?? BUILD) : here);

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  /** Neither what covers a prediction's output, nor what is kept behind it. */
  const isContent = (node) => !node.matches?.(".predict-cover, .predict-echo, template.recorded");

  const option = (group, value, words) =>
    make("label", {}, make("input", { type: "radio", name: group, value }), make("span", {}, words));

  /** The switch of one output; its `show` follows what is chosen. */
  const switched = (output, i) => {
    const templates = [...output.querySelectorAll(":scope > template.recorded")];
    const own = [...output.childNodes].filter(isContent);
    const group = `recorded-${i}`;
    const options = [option(group, BUILD, "this build’s CPU"), ...templates.map(({ dataset }) => option(group, dataset.name, dataset.label))];
    const whole = make("p", { class: "recorded-whole" }); // once on a page: it is the same at each output
    const box = make("fieldset", { class: "recorded-switch" }, make("legend", {}, "Measured on"), ...options, whole);
    output.before(box);
    let shown = BUILD;

    const show = () => {
      const template = templates.find(({ dataset }) => dataset.name === chosen());
      const name = template?.dataset.name ?? BUILD;
      box.querySelectorAll("input").forEach((input) => (input.checked = input.value === name));
      whole.textContent = (i === 0 && template?.dataset.whole) || "";
      if (name === shown) return;
      shown = name;
      [...output.childNodes].filter(isContent).forEach((node) => node.remove());
      output.append(...(template ? template.content.cloneNode(true).childNodes : own));
      output.dispatchEvent(new CustomEvent("course:shown", { bubbles: true }));
    };
    box.addEventListener("change", ({ target }) => choose(target.value));
    return show;
  };

  let shows = [];
  let followed = BUILD;
  const follow = () => {
    shows.forEach((show) => show());
    if (chosen() === followed) return;
    followed = chosen();
    document.dispatchEvent(new CustomEvent("recorded:change"));
  };
  const choose = (name) => {
    here = name;
    if (course) course.put("settings", "device", { on: name !== BUILD, name, at: Date.now() });
    else follow();
  };
  const start = () => {
    const outputs = [...document.querySelectorAll(".cell_output:has(> template.recorded)")];
    shows = outputs.map(switched);
    follow();
    document.addEventListener("course:change", ({ detail }) => (!detail.part || detail.part === "settings") && follow());
  };
  window.recorded = { chosen };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
