// The home of whoever comes back: on the first page, at its top, what to do in thirty minutes. What is due again, one
// section that is not read and those behind it for which there is time, one exercise for practice. Where nothing is kept, the page stays as it is: it has a door.
(() => {
  "use strict";
  const { course, courseWay: way, courseProgress: progress, courseRecord: record } = window;
  const home = document.querySelector(".home");
  if (!home || !progress) return;
  const WHOLE = 30; // minutes
  const LONGEST = 15; // of the section
  const MOST = 3; // things to repeat, and sections: all of it must be seen within one screen
  const SHORTEST = 1; // of the section: a heading with a line below it is nothing to come back for
  const tasks = JSON.parse(home.querySelector("script").textContent);
  const minutesOf = Object.assign({}, ...Object.values(tasks));

  // -- what to do --------------------------------------------------------------------------------------------------

  const isKept = () => record.PARTS.some((part) => part !== "path" && Object.keys(course.all(part)).length) || Boolean(way.chosen());
  /** What is not read: without a path from the lesson on where the reader was last, without lessons that were read. */
  const unread = () => {
    const stops = way.unread().filter(({ minutes }) => minutes >= SHORTEST);
    if (way.chosen()) return stops;
    const open = stops.filter(({ stem }) => !progress.isRead(stem));
    const here = Math.max(0, open.findIndex(({ stem }) => stem === progress.last()));
    return [...open.slice(here), ...open.slice(0, here)];
  };
  /** Of the exercises for practice in sections that were read, each day another one. */
  const practice = () => {
    const read = (label) => course.get("seen", label) !== undefined || progress.isRead(way.section(label)?.stem);
    const known = new Set(Object.keys(tasks).filter(read).flatMap((label) => Object.keys(tasks[label])));
    const open = progress.practice().filter((name) => known.has(name));
    const day = Math.floor(Date.now() / 86400e3);
    return open.length ? { ...progress.exercise(open[day % open.length]), minutes: minutesOf[open[day % open.length]] } : null;
  };
  /** A prediction takes a minute for each of its fields. */
  const again = (one) => ({ ...one, minutes: one.part === "exercises" ? (minutesOf[one.key] ?? 0) : (course.get(one.part, one.key).said?.length ?? 1) });
  /** Those that come first for as long as there is time, and at least one. */
  const fitting = (all, time) => {
    const ends = all.map((_, i) => sum(all.slice(0, i + 1)));
    return all.filter((_, i) => !i || (i < MOST && ends[i] <= time));
  };
  const sum = (some) => some.reduce((minutes, one) => minutes + (one?.minutes ?? 0), 0);

  const planned = () => {
    const [stops, task, all] = [unread(), practice(), progress.planned()];
    const stop = stops.find(({ minutes }) => minutes <= LONGEST);
    const due = all.filter(({ isDue }) => isDue).map(again);
    const first = fitting(due, WHOLE - sum([stop, task]));
    const read = stop ? fitting(stops.slice(stops.indexOf(stop)), WHOLE - sum([...first, task])) : [];
    return { due, first, later: all.find(({ isDue }) => !isDue), read, next: stops[0], task };
  };

  // -- in words ----------------------------------------------------------------------------------------------------

  const long = (minutes) => `${Math.ceil(minutes)} minute${Math.ceil(minutes) === 1 ? "" : "s"}`;
  const made = (tag, className, ...content) => {
    const element = document.createElement(tag);
    element.className = className;
    element.append(...content);
    return element;
  };
  const link = (words, address) => Object.assign(made("a", "", words), { href: address });
  const day = (time) => new Date(time).toLocaleDateString("en", { day: "numeric", month: "long" });
  const step = (name, minutes, ...content) =>
    made("li", "", made("p", "home-step", made("strong", "", name), minutes ? `, ${long(minutes)}` : ""), ...content);
  const line = (...words) => made("p", "", ...words);

  const stepAgain = ({ due, first, later }) => {
    if (!due.length) return step("Repeat", 0, line(`Nothing is due today.${later ? ` The next comes on ${day(later.due)}.` : ""}`));
    const more = due.length - first.length;
    const rest = more ? [line(link(`and ${more} more`, "#to-repeat"))] : [];
    return step("Repeat", sum(first), ...first.map(({ words, address }) => line(link(words, address))), ...rest);
  };
  const whose = () => (way.chosen() ? "on your path" : "of the course");
  /** The way to where a path is chosen, for whoever has come to the end of one. */
  const another = () => {
    const place = document.querySelector(".course-paths")?.closest("section[id]");
    return place && way.chosen() ? [link("Choose another path", `#${place.id}`), "."] : [];
  };
  const stepRead = ({ read, next }) => {
    if (!next) return step("Read", 0, line(`All sections ${whose()} are read. `, ...another()));
    const longer = ["The next one ", whose(), " is ", way.linked(next), `, ${long(next.minutes)}.`];
    if (!read.length) return step("Read", 0, line(`No section of at most ${LONGEST} minutes is left. `, ...longer));
    const sections = read.map((stop) => line(way.linked(stop)));
    return step("Read", sum(read), ...sections, ...(read[0] === next ? [] : [line(...longer)]));
  };
  const stepPractise = ({ task }) =>
    task
      ? step("Practise", task.minutes, line(link(task.words, task.address)))
      : step("Practise", 0, line("No exercise for practice is open in what you have read."));

  const show = () => {
    const plan = planned();
    home.querySelector("ol").replaceChildren(stepAgain(plan), stepRead(plan), stepPractise(plan));
    const whole = sum([...plan.first, ...plan.read, plan.task]);
    home.querySelector(".home-time").textContent = whole ? `${long(whole)} in all, in this order.` : "";
  };
  /** A page that is being read doesn't change its top: who begins on it finds the home when they come back. */
  const follow = (isFresh) => {
    if (isFresh) home.hidden = !isKept();
    document.documentElement.classList.toggle("course-back", !home.hidden);
    if (!home.hidden) show();
  };
  follow(true);
  document.addEventListener("course:change", ({ detail }) => follow(!detail?.part));
})();
