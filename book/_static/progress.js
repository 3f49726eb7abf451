// What a reader has done: seen on a lesson's page, shown in the menu and on the first page, kept by `course`.
//   "read":   a lesson's stem -> true, when its end has been seen
//   "place":  a lesson's stem -> { id, at }, the last heading or exercise seen and when
//   "solved": an exercise's name -> true; other scripts write it too
(() => {
  "use strict";
  const { course, courseLessons: lessons } = window;
  if (!course || !lessons?.length) return;
  const root = document.documentElement.dataset.content_root ?? "./";

  const stemOf = (address) => /\/notebooks\/(\w+)(?:\.html)?$/.exec(address)?.[1];
  const lessonAt = (address) => lessons.find(({ stem }) => stem === stemOf(address));
  const page = ({ stem }, id = "") => `${root}notebooks/${stem}.html${id && `#${encodeURIComponent(id)}`}`;
  const number = ({ stem }) => Number(stem.slice(0, 2));
  const names = ({ exercises }) => Object.keys(exercises);
  const isRead = ({ stem }) => Boolean(course.get("read", stem));
  const isSolved = (name) => Boolean(course.get("solved", name));
  const solvedIn = (lesson) => names(lesson).filter(isSolved).length;
  const numbered = (lesson, name) => `${number(lesson)}.${names(lesson).indexOf(name) + 1}`;
  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  const made = (tag, className, words) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = words;
    return element;
  };

  // -- on a lesson's page ------------------------------------------------------------------------------------------

  /** Keep the last heading or exercise that was seen. Whoever only passes by leaves no trace: it must stay a while. */
  const watch = (lesson) => {
    const article = document.querySelector("article.bd-article");
    if (!article) return;
    const wait = 1500;
    const timers = new Map();
    const stay = (element, keep) => timers.set(element, setTimeout(keep, wait));
    const keepers = new Map();
    const watcher = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        clearTimeout(timers.get(target));
        if (isIntersecting) stay(target, keepers.get(target));
      }
    });
    const follow = (element, keep) => {
      keepers.set(element, keep);
      watcher.observe(element);
    };
    for (const heading of article.querySelectorAll("section[id] > :is(h2, h3)"))
      follow(heading, () => course.put("place", lesson.stem, { id: heading.parentElement.id, at: Date.now() }));
    for (const name of names(lesson)) {
      const exercise = document.getElementById(name);
      if (exercise) follow(exercise, () => course.put("place", lesson.stem, { id: name, at: Date.now() }));
    }
    const end = document.querySelector(".prev-next-footer") ?? article.lastElementChild;
    follow(end, () => course.put("read", lesson.stem, true));
  };

  // -- in the menu -------------------------------------------------------------------------------------------------

  /** What was done in a lesson: for the eye and in words, or null for nothing. */
  const standing = (lesson) => {
    const [solved, count] = [solvedIn(lesson), names(lesson).length];
    const begun = course.get("place", lesson.stem);
    if (!isRead(lesson) && !solved && !begun) return null;
    const state = isRead(lesson) ? "read" : "begun";
    const mark = isRead(lesson) ? "✓" : "…";
    return solved
      ? { mark: `${mark} ${solved}/${count}`, words: `${state}, ${solved} of ${counted(count, "exercise")} solved` }
      : { mark, words: state };
  };

  const tick = (link) => {
    const lesson = lessonAt(link.pathname);
    if (!lesson) return;
    for (const old of link.querySelectorAll("[data-tick]")) old.remove();
    const found = standing(lesson);
    if (!found) return;
    const mark = made("span", "course-tick", ` ${found.mark}`);
    mark.setAttribute("aria-hidden", "true");
    const words = made("span", "visually-hidden", ` (${found.words})`);
    for (const part of [mark, words]) {
      part.dataset.tick = "";
      link.append(part);
    }
  };

  const showMenu = () => document.querySelectorAll("#pst-primary-sidebar li > a").forEach(tick);

  // -- on the first page -------------------------------------------------------------------------------------------

  /** Where to go on: the exercise or section last seen, the first exercise left open, or the next lesson. */
  const goingOn = () => {
    const places = lessons.map((lesson) => ({ lesson, place: course.get("place", lesson.stem) }));
    const seen = places.filter(({ place }) => place?.at).sort((a, b) => b.place.at - a.place.at)[0];
    if (!seen) return null;
    const { lesson, place } = seen;
    const open = names(lesson).find((name) => !isSolved(name));
    if (isRead(lesson) && open && solvedIn(lesson)) return exercise(lesson, open);
    if (!isRead(lesson)) return place.id in lesson.exercises ? exercise(lesson, place.id) : section(lesson, String(place.id));
    const next = lessons.find((other) => number(other) > number(lesson) && !isRead(other)) ?? lessons.find((other) => !isRead(other));
    return next ? { words: `Go on with ${number(next)}: ${next.title}`, address: page(next) } : null;
  };
  const exercise = (lesson, name) => ({
    words: `Go on at ${numbered(lesson, name)}: ${lesson.exercises[name]}`,
    address: page(lesson, name),
  });
  const section = (lesson, id) => ({
    words: `Go on with ${number(lesson)}: ${lesson.title}`,
    address: page(lesson, id),
  });

  const showGoOn = (begin) => {
    document.querySelector("[data-go-on]")?.remove();
    const next = goingOn();
    begin.classList.toggle("course-button-plain", Boolean(next));
    if (!next) return;
    const button = made("a", "course-button", next.words.replaceAll("`", ""));
    button.href = next.address;
    button.dataset.goOn = "";
    begin.before(button);
  };

  const showCard = (card) => {
    const lesson = lessons.find(({ stem }) => stem === card.dataset.lesson);
    const found = lesson && standing(lesson);
    card.querySelector("h3 .course-tick")?.remove();
    if (found) card.querySelector("h3").append(made("span", "course-tick", ` ${found.mark[0]} ${found.words.split(",")[0]}`));
    const solved = lesson ? solvedIn(lesson) : 0;
    card.querySelector(".card-done").textContent = solved ? `, ${solved} solved` : "";
  };

  const summary = () => {
    const read = lessons.filter(isRead).length;
    const all = lessons.flatMap(names);
    return `You have read ${read} of ${counted(lessons.length, "lesson")} and solved ${all.filter(isSolved).length} of ${counted(all.length, "exercise")}.`;
  };

  /** The record as a file. */
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([course.text()], { type: "application/json" }));
    link.download = "strides-to-shards-progress.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  /** Whether a text is a record: an object of objects. */
  const isRecord = (text) => {
    try {
      const value = JSON.parse(text);
      const objects = [value, ...Object.values(value)];
      return objects.every((one) => one && typeof one === "object" && !Array.isArray(one));
    } catch {
      return false;
    }
  };

  const startPanel = (panel) => {
    const status = panel.querySelector("[role=status]");
    const file = panel.querySelector("input");
    const ask = "Clear all that this browser has kept of the course: lessons read, exercises solved, predictions?";
    const act = {
      export: download,
      import: () => file.click(),
      clear: () => {
        if (window.confirm(ask)) course.replace("{}");
      },
    };
    for (const button of panel.querySelectorAll("button")) button.addEventListener("click", act[button.dataset.do]);
    file.addEventListener("change", async () => {
      const text = await file.files[0]?.text();
      file.value = "";
      if (text === undefined) return;
      if (isRecord(text)) course.replace(text);
      else status.textContent = "This file is no record of this course, so nothing was changed. Choose one that was exported here.";
    });
    panel.hidden = false;
    return () => {
      if (status.textContent !== summary()) status.textContent = summary();
    };
  };

  // -- together ----------------------------------------------------------------------------------------------------

  const here = lessonAt(location.pathname);
  if (here) watch(here);
  const begin = document.querySelector("[data-begin]");
  const panel = document.querySelector(".course-progress");
  const showPanel = panel ? startPanel(panel) : () => {};
  const show = () => {
    showMenu();
    if (begin) showGoOn(begin);
    document.querySelectorAll(".course-card").forEach(showCard);
    showPanel();
  };
  show();
  document.addEventListener("course:change", show);
})();
