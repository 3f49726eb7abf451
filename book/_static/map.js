// The map of a lesson: below each section in the page's contents, a mark for each prediction and each exercise in it,
// ticked as the reader's record has it; a section is ticked when it has been read. Where the contents are out of sight, the
// same stands in a fold below the lesson's title.
(() => {
  "use strict";
  const { course } = window;
  const article = document.querySelector("article.bd-article");
  const contents = document.querySelector("#pst-page-toc-nav");
  if (!course || !article || !contents) return;
  const stem = /\/notebooks\/(\w+)(?:\.html)?$/.exec(location.pathname)?.[1];

  // -- what is there, and what is done ------------------------------------------------------------------------------

  const isExercise = (box) => box.matches(".exercise");
  const isDone = (box) =>
    isExercise(box) ? course.isSolved(box.id) : course.get("predictions", box.id.slice("predict-".length))?.said !== undefined;
  const nameOf = (box) => box.querySelector(".admonition-title").textContent.replace(/\s+/g, " ").trim();
  /** What stands on its mark: an exercise has its number in the lesson. */
  const short = (box) => (isExercise(box) ? (/(\d+)\D*$/.exec(box.querySelector(".caption-number")?.textContent)?.[1] ?? "✎") : "?");
  const boxesIn = (element) => [...element.querySelectorAll(":is(.exercise, .admonition-predict)[id]")];
  let ends = []; // where sections end
  const isRead = (section) => {
    const all = ends.filter(({ end }) => section.contains(end));
    return all.length > 0 && all.every(({ label }) => course.get("seen", label) !== undefined);
  };
  const sections = [...article.querySelectorAll("section[id] > h2")].map((heading) => heading.parentElement);

  // -- as it is shown -----------------------------------------------------------------------------------------------

  const made = (tag, className, ...content) => {
    const element = document.createElement(tag);
    element.className = className;
    element.append(...content);
    return element;
  };
  const linkTo = (id, ...content) => {
    const link = made("a", "", ...content);
    link.href = `#${encodeURIComponent(id)}`;
    return link;
  };
  const mark = (box) => {
    const [sign, state] = [made("span", ""), made("span", "visually-hidden")];
    sign.ariaHidden = "true";
    const link = linkTo(box.id, sign, made("span", "visually-hidden", nameOf(box)), state);
    link.className = isExercise(box) ? "map-exercise" : "map-prediction";
    link.title = nameOf(box);
    const show = () => {
      link.classList.toggle("map-done", isDone(box));
      sign.textContent = isDone(box) ? "✓" : short(box);
      state.textContent = isDone(box) ? (isExercise(box) ? ", solved" : ", made") : "";
    };
    return { element: made("li", "", link), show };
  };
  const marks = (section) => {
    const all = boxesIn(section).map(mark);
    const list = made("ul", "map-marks", ...all.map(({ element }) => element));
    return { list: all.length ? [list] : [], show: () => all.forEach((one) => one.show()) };
  };
  const tick = (section) => {
    const place = made("span", "map-read");
    const show = () => {
      const [sign, words] = [made("span", "", " ✓"), made("span", "visually-hidden", " (read)")];
      sign.ariaHidden = "true";
      place.replaceChildren(...(isRead(section) ? [sign, words] : []));
    };
    return { place, show };
  };
  const counted = () => {
    const boxes = sections.flatMap(boxesIn);
    const of = (all, word) => `${all.filter(isDone).length} of ${all.length} ${word}${all.length === 1 ? "" : "s"}`;
    const kinds = [["exercise", boxes.filter(isExercise)], ["prediction", boxes.filter((box) => !isExercise(box))]];
    return kinds.filter(([, all]) => all.length).map(([word, all]) => of(all, word)).join(", ");
  };

  /** Each of these has a way to show itself anew. */
  const inContents = () =>
    sections.flatMap((section) => {
      const link = [...contents.querySelectorAll("a")].find(({ hash }) => decodeURIComponent(hash.slice(1)) === section.id);
      if (!link) return [];
      const [{ list, show }, { place, show: showTick }] = [marks(section), tick(section)];
      link.append(place);
      link.after(...list);
      return [show, showTick];
    });
  const inFold = () => {
    const shows = [];
    const lines = sections.map((section) => {
      const [{ list, show }, { place, show: showTick }] = [marks(section), tick(section)];
      shows.push(show, showTick);
      return made("li", "", linkTo(section.id, section.querySelector("h2").firstChild.textContent, place), ...list);
    });
    const words = made("span", "");
    const nav = made("nav", "", made("ol", "", ...lines));
    nav.ariaLabel = "Map of the lesson";
    const fold = made("details", "lesson-map", made("summary", "", "Map: ", words), nav);
    (article.querySelector("p.minutes") ?? article.querySelector("h1")).after(fold);
    return [...shows, () => (words.textContent = counted())];
  };
  const count = () => {
    const line = made("p", "map-count");
    contents.append(line);
    return () => (line.textContent = counted());
  };

  const start = () => {
    if (!sections.length || !counted()) return;
    ends = window.courseWay?.ends(stem) ?? [];
    const shows = [...inContents(), ...inFold(), count()];
    const show = () => shows.forEach((one) => one());
    document.addEventListener("course:change", show);
    show();
  };
  // The theme follows the reader by the links that the contents have when the page is read: ours come later.
  if (document.readyState === "complete") start();
  else addEventListener("load", start, { once: true });
})();
