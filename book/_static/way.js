// The path that a reader has chosen, or none: kept by `course` under "path"; which sections are read, under "seen", and
// which are known without that, under "known". What paths and sections there are, `paths.js` says. Cards, menu, headings,
// the ends of sections and the button at a page's end follow it.
//   courseWay.next(stem)      the first open section of the path, of one lesson or of all; null without a path
//   courseWay.unread()        all open ones, of the path, or without one of the course: { label, stem, minutes, title }
//   courseWay.section(label)  one of them, open or not; undefined where it is not taught
//   courseWay.linked(stop)    a link to such a section
//   courseWay.ends(stem)      where each section of a lesson ends that is on any path, or has a heading of the second
//                             level: { label, end }
//   courseWay.see(label)      the section has been read
//   courseWay.know(labels, holds)  the reader knows some sections, or does not
//   courseWay.knows(stem)     how many sections of a lesson, or of all, are known, and how many there are: { known, of }
//   courseWay.begins(stem)    the section with which to begin in a lesson whose first ones are known; else null
//   courseWay.left(name)      of a path: its title, its minutes, those that are left, and its first open section
// A section is open while it is neither read nor known.
window.courseWay = (() => {
  "use strict";
  const { course, coursePaths: { lessons = [], sections = [], paths = {} } = {} } = window;
  const root = document.documentElement.dataset.content_root ?? "./";
  const all = sections.map(([label, lesson, minutes, title]) => ({
    label,
    minutes,
    stem: lessons[lesson],
    title: (title ?? "").replaceAll("`", ""),
  }));
  const stemAt = (address) => /\/notebooks\/(\w+)(?:\.html)?$/.exec(address)?.[1];
  const here = stemAt(location.pathname);
  const page = ({ stem, label }) => `${root}notebooks/${stem}.html#${encodeURIComponent(label)}`;
  const number = ({ stem }) => Number(stem.slice(0, 2));

  // -- what is kept ------------------------------------------------------------------------------------------------

  /** The path that was chosen: a record from elsewhere may name one that this copy does not have. */
  const chosen = () => {
    const name = course.get("path", "chosen")?.name;
    return name && Object.hasOwn(paths, name) ? { name, title: paths[name].title, stops: paths[name].at.map((i) => all[i]) } : null;
  };
  const choose = (name) => course.put("path", "chosen", { name, at: Date.now() });
  const isSeen = ({ label }) => course.get("seen", label) !== undefined;
  const see = (label) => {
    if (!isSeen({ label })) course.put("seen", label, Date.now());
  };
  const isKnown = ({ label }) => course.get("known", label)?.holds === true;
  const isOpen = (stop) => !isSeen(stop) && !isKnown(stop);
  const know = (labels, holds) => labels.forEach((label) => course.put("known", label, { holds, at: Date.now() }));
  const sectionsIn = (stem) => all.filter((stop) => !stem || stop.stem === stem);
  const knows = (stem) => ({ known: sectionsIn(stem).filter(isKnown).length, of: sectionsIn(stem).length });
  const begins = (stem) => {
    const [first, ...rest] = sectionsIn(stem);
    return first && isKnown(first) ? (rest.find(isOpen) ?? null) : null;
  };
  const sum = (stops) => stops.reduce((total, { minutes }) => total + minutes, 0);
  const left = (name) => {
    const stops = paths[name].at.map((i) => all[i]);
    const open = stops.filter(isOpen);
    return { title: paths[name].title, minutes: sum(stops), left: sum(open), first: open[0] ?? null };
  };
  const stopsIn = (stem) => (chosen()?.stops ?? []).filter((stop) => !stem || stop.stem === stem);
  const next = (stem) => stopsIn(stem).find(isOpen) ?? null;
  const unread = () => (chosen()?.stops ?? all).filter(isOpen);
  const section = (label) => all.find((stop) => stop.label === label);
  /** What follows a section on the path: the first open one behind it. */
  const after = (stop) => {
    const rest = stopsIn().slice(stopsIn().indexOf(stop) + 1);
    return rest.find(isOpen) ?? rest[0];
  };

  // -- in words ----------------------------------------------------------------------------------------------------

  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const long = (minutes) => (minutes > 120 ? `${Number((minutes / 60).toFixed(1))} hours` : counted(Math.ceil(minutes), "minute"));
  /** How far one is with some sections: "4 of 9 sections, 2 known, 32 minutes left". */
  const standing = (stops) => {
    const [open, known] = [stops.filter(isOpen), stops.filter((stop) => isKnown(stop) && !isSeen(stop)).length];
    const read = `${stops.length - open.length - known} of ${counted(stops.length, "section")}${known ? `, ${known} known` : ""}`;
    return `${read}, ${open.length ? `${long(sum(open))} left` : known ? "nothing left" : "all read"}`;
  };
  const made = (tag, className, ...content) => {
    const element = document.createElement(tag);
    element.className = className;
    element.append(...content);
    element.dataset.way = "";
    return element;
  };
  const link = (stop) => {
    const found = document.createElement("a");
    found.href = page(stop);
    found.textContent = stop.stem === here ? stop.title : `${number(stop)}: ${stop.title}`;
    return found;
  };

  // -- on a lesson's page ------------------------------------------------------------------------------------------

  const sectionOf = (label) => document.getElementById(label)?.closest("section");
  /** What of a section stands before the sections in it, as far as it is seen and not written here. */
  const own = (section) => {
    const inner = [...section.children].findIndex((child) => child.matches("section"));
    const before = [...section.children].slice(0, inner < 0 ? undefined : inner);
    return before.filter((child) => child.getClientRects().length && child.dataset.way === undefined);
  };
  /** The labels of this page's sections that are on no path; a section without one goes by its id. */
  const others = () => {
    const known = new Set(all.map(({ label }) => label));
    const sections = [...document.querySelectorAll("article.bd-article section[id]:has(> h2)")];
    const names = sections.map((section) => [...[...section.querySelectorAll(":scope > span[id]")].map(({ id }) => id), section.id]);
    return names.filter((found) => !found.some((name) => known.has(name))).map(([label]) => label);
  };
  const ends = (stem) =>
    [...all.filter((stop) => stop.stem === stem).map(({ label }) => label), ...(stem === here ? others() : [])]
      .map((label) => ({ label, section: sectionOf(label) }))
      .filter(({ section }) => section && own(section).length)
      .map(({ label, section }) => ({ label, end: own(section).at(-1) }));

  /** A section of the path, with its minutes. */
  const step = (stop) => [link(stop), `, ${long(stop.minutes)}`];
  /** What a reader has left out on the way here: what is open on this page may be read by the time it ends. */
  const leftOpen = () => {
    const open = stopsIn().find((stop) => isOpen(stop) && stop.stem !== here);
    return open ? [" Still open on it: ", ...step(open)] : [];
  };
  /** At the end of each section of the path, where to go on: not where that is what comes next anyway. */
  const showAfter = (stop) => {
    const section = sectionOf(stop.label);
    if (!section) return;
    const to = after(stop);
    const there = to && sectionOf(to.label); // undefined on another page, as is what follows the last section here
    const order = [...document.querySelectorAll("article.bd-article section:has(> :is(h1, h2, h3))")];
    if (there && order[order.indexOf(section) + 1] === there) return;
    const words = to ? ["Next on your path: ", ...step(to)] : ["Here your path ends.", ...leftOpen()];
    const line = made("p", "course-way-next", ...words);
    own(section).at(-1)?.after(line);
  };
  const showHead = (stops) => {
    const head = document.querySelector("article.bd-article p.minutes") ?? document.querySelector("article.bd-article h1");
    const words = stops.length ? `On your path: ${standing(stops)}.` : `This lesson is not on your path, ${chosen().title}.`;
    head?.after(made("p", "course-way", words));
  };
  /** Say of each section of the second level that neither it nor any in it is on the path. */
  const showOff = (stops) => {
    const onIt = stops.map(({ label }) => sectionOf(label));
    for (const minutes of document.querySelectorAll("article.bd-article section section > p.minutes")) {
      const section = minutes.parentElement;
      if (!onIt.some((one) => section.contains(one))) minutes.append(made("span", "", " · not on your path"));
    }
  };
  const forward = () => document.querySelector(".prev-next-footer a.right-next");
  /** The button at the page's end leads to the path's next section in another lesson. */
  const showNextPage = (stops) => {
    const button = forward();
    const last = stops.at(-1);
    const rest = last ? stopsIn().slice(stopsIn().indexOf(last) + 1) : stopsIn();
    const to = rest.find(isOpen);
    if (!button || !to) return;
    const ours = button.cloneNode(true);
    ours.href = page(to);
    ours.title = "next on your path";
    ours.dataset.way = "";
    ours.querySelector(".prev-next-subtitle").textContent = "next on your path";
    ours.querySelector(".prev-next-title").textContent = `${number(to)}: ${to.title}`;
    button.after(ours);
    button.hidden = true;
  };
  /** On a page that is no lesson, the button follows the path where it led to a lesson, or the path begins with that page. */
  const showBeginning = ({ name }) => {
    const isFirst = location.pathname.endsWith(`/${paths[name].page}.html`);
    if (isFirst || stemAt(forward()?.pathname)) showNextPage([]);
  };
  const showLesson = () => {
    const stops = stopsIn(here);
    showHead(stops);
    if (!stops.length) return showNextPage(stops);
    stops.forEach(showAfter);
    showOff(stops);
    showNextPage(stops);
  };

  /** Below the heading of each section that is known, that it is, and a way to take that back. */
  const showKnown = () => {
    for (const stop of sectionsIn(here).filter((one) => isKnown(one) && sectionOf(one.label))) {
      const section = sectionOf(stop.label);
      const button = made("button", "course-button course-button-plain", "I don't know it yet");
      button.type = "button";
      button.setAttribute("aria-label", `${button.textContent}: ${stop.title || "this section"}`);
      button.addEventListener("click", () => {
        know([stop.label], false);
        const heading = section.querySelector(":scope > :is(h1, h2, h3, h4)");
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      });
      const line = made("p", "course-way course-known", "You know this section. ", button);
      (section.querySelector(":scope > p.minutes") ?? section.querySelector(":scope > :is(h1, h2, h3, h4)"))?.after(line);
    }
  };

  // -- on other pages ----------------------------------------------------------------------------------------------

  const showMenu = (path) => {
    for (const one of document.querySelectorAll("#pst-primary-sidebar li > a")) {
      const stem = stemAt(one.pathname);
      const off = Boolean(path && stem && !stopsIn(stem).length);
      one.classList.toggle("course-off-way", off);
      if (off) one.append(made("span", "visually-hidden", " (not on your path)"));
    }
  };
  const showCard = (card, path) => {
    const stops = stopsIn(card.dataset.lesson);
    card.classList.toggle("course-off-way", Boolean(path && !stops.length));
    const known = sectionsIn(card.dataset.lesson).filter(isKnown);
    if (!path && !known.length) return;
    const inAll = `You know ${known.length} of ${counted(sectionsIn(card.dataset.lesson).length, "section")}: ${long(sum(known))}`;
    const words = !path ? inAll : stops.length ? `On your path: ${standing(stops)}` : "Not on your path";
    card.querySelector(".card-facts")?.after(made("p", "course-way", words));
  };
  /** Where a path is chosen, the way to its first open section: the button for it is at the first page's top, out of sight. */
  const wayOn = () => {
    const to = next();
    if (!to) return null;
    return made("p", "course-way-next", stopsIn().some(isSeen) ? "Go on with " : "Begin with ", ...step(to));
  };
  const showChoice = (choice, path) => {
    for (const radio of choice.querySelectorAll("input")) {
      radio.hidden = false;
      radio.checked = radio.value === (path?.name ?? "");
    }
    const words = path ? `On your path: ${standing(path.stops)}.` : "";
    const status = choice.querySelector("[role=status]");
    if (status.textContent !== words) status.textContent = words; // it is read out
    const on = wayOn();
    if (on) status.after(on);
  };
  /** On the page that lists the paths: what is read, and a button by which one is taken. */
  const showListed = (path) => {
    for (const name of Object.keys(paths)) {
      const section = document.getElementById(`path-${name}`)?.closest("section");
      if (!section) continue;
      const button = made("button", "course-button course-button-plain", name === path?.name ? "Your path" : "Take this path");
      button.type = "button";
      button.setAttribute("aria-pressed", String(name === path?.name));
      button.setAttribute("aria-label", `${button.textContent}: ${paths[name].title}`);
      button.addEventListener("click", () => {
        choose(name === path?.name ? "" : name);
        document.getElementById(`path-${name}`)?.closest("section").querySelector("button[data-way]").focus();
      });
      const on = name === path?.name ? wayOn() : null;
      section.querySelector("h2, h3").after(button, ...(on ? [on] : []));
    }
  };

  const show = () => {
    const path = chosen();
    for (const old of document.querySelectorAll("[data-way]")) old.remove();
    for (const button of document.querySelectorAll(".prev-next-footer a.right-next[hidden]")) button.hidden = false;
    showMenu(path);
    document.querySelectorAll(".course-card").forEach((card) => showCard(card, path));
    document.querySelectorAll(".course-paths").forEach((choice) => showChoice(choice, path));
    showListed(path);
    if (path && here) showLesson();
    if (path && !here) showBeginning(path);
    if (here) showKnown();
  };
  for (const choice of document.querySelectorAll(".course-paths"))
    choice.addEventListener("change", ({ target }) => choose(target.value));
  document.addEventListener("course:change", ({ detail }) => {
    // What is seen while one reads changes no page that is being read.
    if (["path", "known"].includes(detail?.part) || !detail?.part || (detail.part === "seen" && !here)) show();
  });
  show();
  return { next, unread, section, linked: link, ends, see, chosen, choose, know, isKnown, knows, begins, left, long, all, page };
})();
