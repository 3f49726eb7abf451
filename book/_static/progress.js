// What a reader has done: seen on a lesson's page, shown in the menu and on the first page, kept by `course`, as the record
// (`record.js`) has it: under "read" and "place" here, under "exercises" and "predictions" by other scripts too.
// What was solved and predicted in a notebook comes in the address of its lesson's page:
//   #solved=NAME,NAME:TRIES&said={"KEY":["TEXT",["TEXT"]]}, with all of the second that is no letter or digit as %XX
//   courseProgress.planned()       what is to be repeated, as `repeat.planned` has it, with { words, address, isDue }
//   courseProgress.practice()      the exercises for practice that are open and not planned
//   courseProgress.exercise(name)  one exercise, as { words, address }
//   courseProgress.isRead(stem)    whether the end of a lesson has been seen
//   courseProgress.last()          the stem of the lesson where the reader was last; undefined for nowhere
window.courseProgress = (() => {
  "use strict";
  const { course, courseLessons: lessons, coursePages: pages = [], courseWay: way } = window;
  if (!course || !lessons?.length) return undefined;
  const root = document.documentElement.dataset.content_root ?? "./";

  const stemOf = (address) => /\/notebooks\/(\w+)(?:\.html)?$/.exec(address)?.[1];
  const lessonAt = (address) => lessons.find(({ stem }) => stem === stemOf(address));
  /** The address of a lesson, or of another page that asks for predictions. */
  const page = ({ stem, page: other }, id = "") => `${root}${other ?? `notebooks/${stem}`}.html${id && `#${encodeURIComponent(id)}`}`;
  const number = ({ stem }) => Number(stem.slice(0, 2));
  const names = ({ exercises }) => Object.keys(exercises);
  const topic = ({ stem }) => window.courseRecord.topicOf(stem);
  const placeIn = (lesson) => course.get("place", topic(lesson));
  const isRead = (lesson) => Boolean(course.get("read", topic(lesson)));
  const { isSolved } = course;
  /** The exercises of today by each name that they have had. */
  const earlier = Object.assign({}, ...lessons.map((lesson) => lesson.earlier ?? {}));
  const solvedIn = (lesson) => names(lesson).filter(isSolved).length;
  const onPath = (lesson) => names(lesson).filter((name) => !lesson.practice.includes(name));
  /** The number of an exercise, as its page shows it. */
  const numbered = (lesson, name) => `${number(lesson) ? `${number(lesson)}.` : ""}${names(lesson).indexOf(name) + 1}`;
  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  const made = (tag, className, words) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = words;
    return element;
  };

  // -- on a lesson's page ------------------------------------------------------------------------------------------

  const putPlace = (lesson, id) => course.put("place", topic(lesson), { id, at: Date.now() });

  /** Call something once when the reader does something: who has only opened a page has not yet been anywhere on it. */
  const onceMoved = (start) => {
    const moves = ["scroll", "pointerdown", "keydown"];
    const begin = () => {
      for (const move of moves) removeEventListener(move, begin, true);
      start();
    };
    for (const move of moves) addEventListener(move, begin, { capture: true, passive: true });
  };

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
        if (isIntersecting) stay(target, () => keepers.get(target).forEach((keep) => keep()));
      }
    });
    const follow = (element, keep) => {
      keepers.set(element, [...(keepers.get(element) ?? []), keep]);
      watcher.observe(element);
    };
    for (const heading of article.querySelectorAll("section[id] > :is(h2, h3)"))
      follow(heading, () => putPlace(lesson, heading.parentElement.id));
    for (const name of names(lesson)) {
      const exercise = document.getElementById(name);
      if (exercise) follow(exercise, () => putPlace(lesson, name));
    }
    for (const { label, end } of way?.ends(lesson.stem) ?? []) follow(end, () => way.see(label));
    const end = document.querySelector(".prev-next-footer") ?? article.lastElementChild;
    follow(end, () => course.put("read", topic(lesson), true));
  };

  /** What an exercise is called today. */
  const called = (name) => (Object.hasOwn(earlier, name) ? earlier[name] : name);
  /** What the address says is solved: exercises of this lesson, each with the number of tries. Anything else is nothing. */
  const broughtTo = (lesson) => {
    const brought = /^#solved=([a-z0-9:,-]+)(?:&|$)/.exec(location.hash)?.[1].split(",") ?? [];
    const parts = brought.map((one) => /^([a-z0-9-]+)(?::(\d{1,3}))?$/.exec(one)).filter(Boolean);
    const found = parts.map(([, name, tries]) => [called(name), Number(tries ?? 1)]);
    return [...new Map(found.filter(([name]) => names(lesson).includes(name)))];
  };

  const LONGEST = 20_000; // characters of an address that are read
  /** What the address says was predicted: of questions of this lesson, in the form that the record has. */
  const saidTo = (lesson) => {
    const text = /^#solved=[a-z0-9:,-]*&said=((?:[A-Za-z0-9_.~-]|%[0-9A-F]{2})+)$/.exec(location.hash.slice(0, LONGEST))?.[1] ?? "";
    try {
      const found = Object.entries(JSON.parse(decodeURIComponent(text)));
      const own = new Set(predictionsOf(lesson));
      return found.filter(([key, said]) => own.has(key) && window.courseRecord.isSaid(said));
    } catch {
      return []; // anybody may have written it
    }
  };

  const are = (some) => (some.length === 1 ? "is" : "are");
  /** Tick what was solved, in the order of the lesson; what of that is new here. */
  const tickAll = (lesson) => {
    const fresh = broughtTo(lesson).filter(([name]) => !isSolved(name));
    for (const [name, tries] of fresh.sort(([a], [b]) => names(lesson).indexOf(a) - names(lesson).indexOf(b))) {
      course.change("exercises", name, { solved: true, at: Date.now() });
      if (tries > 1) window.repeat?.missed("exercises", name);
    }
    return fresh.map(([name]) => numbered(lesson, name));
  };
  /** Keep what was predicted, where nothing was said here; what of that is new here. The page then compares it. */
  const keepAll = (lesson) => {
    const fresh = saidTo(lesson).filter(([key]) => !course.get("predictions", key)?.said);
    if (!fresh.length) return fresh;
    course.join(window.courseRecord.ofNotebook({ predictions: Object.fromEntries(fresh) }));
    const last = document.getElementById(window.repeat?.idOf("predictions", fresh.at(-1)[0]));
    const section = last?.closest("section[id]");
    if (section) putPlace(lesson, section.id); // who predicts in the notebook has been there
    return fresh;
  };
  /** Take over what was solved and predicted in the notebook, say so, and take it out of the address: it is no place. */
  const takeFromNotebook = (lesson) => {
    if (!location.hash.startsWith("#solved=")) return;
    const any = broughtTo(lesson).length + saidTo(lesson).length > 0;
    const [solved, said] = [tickAll(lesson), keepAll(lesson)];
    history.replaceState(null, "", location.pathname + location.search);
    if (!any) return;
    const words = [
      ...(solved.length ? [`${counted(solved.length, "exercise")} that you solved in your notebook ${are(solved)} ticked here: ${solved.join(", ")}.`] : []),
      ...(said.length ? [`${counted(said.length, "prediction")} that you made in your notebook ${are(said)} compared below with what the run says.`] : []),
    ];
    const line = made("p", "course-brought", `✓ ${words.join(" ") || "What you did in your notebook is here already."}`);
    line.setAttribute("role", "status");
    head()?.after(line);
  };

  /** The line below the title of a lesson's page. */
  const head = () => document.querySelector("article.bd-article p.minutes") ?? document.querySelector("article.bd-article h1");

  /** A way on from the top of a lesson's page: where the reader was when it was opened, or what is open after a tick. */
  const showGoOnHere = (lesson, place) => {
    document.querySelector("[data-go-on-here]")?.remove();
    const next = way?.chosen() ? onWay(way.next(lesson.stem)) : place && inLesson(lesson, place);
    if (!next) return;
    const heading = place && document.getElementById(place.id)?.querySelector(":scope > :is(h2, h3)")?.firstChild?.textContent;
    if (heading && next.address.endsWith(`#${place.id}`)) next.words = `Go on at “${heading}”`;
    const line = made("p", "course-go-on", "");
    line.dataset.goOnHere = "";
    line.append(goOnButton(next));
    head()?.after(line);
  };

  // -- in the menu -------------------------------------------------------------------------------------------------

  /** How many of some lessons' exercises are solved, in words: those of the core path first. */
  const tally = (some) => {
    const [core, practice] = [some.flatMap(onPath), some.flatMap((lesson) => lesson.practice)];
    const of = (asked) => `${asked.filter(isSolved).length} of ${asked.length}`;
    if (!practice.length) return `${of(core)} exercise${core.length === 1 ? "" : "s"}`;
    return `${of(core)} core exercise${core.length === 1 ? "" : "s"} and ${of(practice)} for practice`;
  };

  /** How many of a lesson's sections are known without being read: for the eye and in words, or null for none. */
  const knownIn = ({ stem }) => {
    const { known, of } = way?.knows(stem) ?? { known: 0, of: 0 };
    if (!known) return null;
    return known === of ? { mark: "known", words: "known" } : { mark: `${known}/${of} known`, words: `${known} of ${counted(of, "section")} known` };
  };
  const isKnown = (lesson) => knownIn(lesson)?.words === "known";

  /** What comes after an exercise: the next of the core path that is left, or else the first; then the next lesson. */
  const after = (lesson, name) => {
    const left = onPath(lesson).filter((one) => one !== name && !isSolved(one));
    const later = left.find((one) => names(lesson).indexOf(one) > names(lesson).indexOf(name));
    const [next, following] = [later ?? left[0], lessons[lessons.indexOf(lesson) + 1]];
    if (next) return { words: `exercise ${numbered(lesson, next)}, ${lesson.exercises[next].replaceAll("`", "")}`, address: page(lesson, next) };
    return following ? { words: `lesson ${number(following)}, ${following.title}`, address: page(following) } : null;
  };
  /** How a reader stands who has solved an exercise: { share, words, next }, or null for one of no lesson. */
  window.courseStanding = (name) => {
    const lesson = homes.exercises.get(name);
    if (!lesson) return null;
    const core = onPath(lesson);
    const share = core.filter(isSolved).length / Math.max(core.length, 1);
    return { share, words: `${tally([lesson])} of lesson ${number(lesson)} solved`, next: after(lesson, name) };
  };

  /** What was done in a lesson: for the eye and in words, or null for nothing. */
  const standing = (lesson) => {
    const [solved, core] = [solvedIn(lesson), onPath(lesson)];
    const ofCore = core.filter(isSolved).length;
    if (!isRead(lesson) && !solved && !placeIn(lesson)) return knownIn(lesson);
    const state = isRead(lesson) ? "read" : "begun";
    const mark = isRead(lesson) ? "✓" : "…";
    return solved
      ? {
          mark: `${mark} ${ofCore}/${core.length}${solved > ofCore ? `+${solved - ofCore}` : ""}`,
          words: `${state}, ${tally([lesson])} solved`,
        }
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

  /** Where to go on in a lesson: at the section last seen, or, for whoever was at an exercise, at the first core one left
   * open, be it before the place or behind it. */
  const inLesson = (lesson, { id }) => {
    const next = onPath(lesson).find((name) => !isSolved(name));
    if (isRead(lesson)) return next && solvedIn(lesson) ? exercise(lesson, next) : null;
    if (!names(lesson).includes(id)) return section(lesson, id);
    if (next) return exercise(lesson, next);
    return isSolved(id) ? section(lesson, id) : exercise(lesson, id);
  };
  /** The lesson last seen, with the place in it. */
  const lastSeen = () => {
    const places = lessons.map((lesson) => ({ lesson, place: placeIn(lesson) }));
    return places.filter(({ place }) => place?.at).sort((a, b) => b.place.at - a.place.at)[0];
  };
  /** Where to go on in the course: in the lesson last seen, or with the next one. */
  const goingOn = () => {
    if (way?.next()) return onWay(way.next());
    const seen = lastSeen();
    if (!seen && !way?.knows().known) return null;
    const here = seen && inLesson(seen.lesson, seen.place);
    if (here) return here;
    const isOpen = (lesson) => !isRead(lesson) && !isKnown(lesson);
    const next = lessons.slice(lessons.indexOf(seen?.lesson) + 1).find(isOpen) ?? lessons.find(isOpen);
    return next ? section(next, way?.begins(next.stem)?.label) : null;
  };
  /** At a section of the path that was chosen. */
  const onWay = (stop) => {
    const lesson = stop && lessons.find(({ stem }) => stem === stop.stem);
    return lesson ? { words: `Go on with ${number(lesson)}: ${stop.title}`, address: page(lesson, stop.label) } : null;
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
    begin.before(goOnButton(next));
  };
  const goOnButton = (next) => {
    const button = made("a", "course-button", next.words.replaceAll("`", ""));
    button.href = next.address;
    button.dataset.goOn = "";
    return button;
  };

  // -- what to repeat ----------------------------------------------------------------------------------------------

  const predictionsOf = ({ predictions = {} }) =>
    Object.entries(predictions).flatMap(([label, digests]) => digests.split(" ").map((digest) => `${label}-${digest}`));
  const homes = {
    exercises: new Map(lessons.flatMap((lesson) => names(lesson).map((name) => [name, lesson]))),
    predictions: new Map([...lessons, ...pages].flatMap((one) => predictionsOf(one).map((key) => [key, one]))),
  };
  /** What is planned, with its lesson or page; a record from elsewhere may name what none has. */
  const planned = () =>
    (window.repeat?.planned() ?? [])
      .map((one) => ({ ...one, lesson: homes[one.part].get(one.key) }))
      .filter(({ lesson }) => lesson);
  /** What a reader calls it. */
  const inWords = ({ part, key, lesson, words }) => {
    if (part === "exercises") return `${numbered(lesson, key)}: ${lesson.exercises[key].replaceAll("`", "")}`;
    return `Prediction in ${lesson.page ? `“${lesson.title}”` : number(lesson)}: ${(words || lesson.title).slice(0, 80)}`;
  };

  const addressOf = ({ part, key, lesson }) => page(lesson, window.repeat.idOf(part, key));
  const toRepeat = (one) => {
    const item = made("li", "", "");
    const link = made("a", "", inWords(one));
    link.href = addressOf(one);
    item.append(link);
    if (one.part !== "exercises") return item;
    if (!one.lesson.values?.includes(one.key)) {
      item.append(" On other inputs: ", made("code", "", window.repeat.call(one.key)));
    }
    // What is written in a notebook is not seen here.
    const done = made("button", "", "Done again");
    done.type = "button";
    done.setAttribute("aria-label", `Done again: ${inWords(one)}`);
    done.addEventListener("click", () => window.repeat.met(one.part, one.key));
    item.append(" ", done);
    return item;
  };

  /** The way to the list from where a reader begins. */
  const showRepeatButton = (count) => {
    document.querySelector("[data-repeat]")?.remove();
    if (!count) return;
    const button = made("a", "course-button course-button-plain", `${count} to repeat`);
    button.href = "#to-repeat";
    button.dataset.repeat = "";
    document.querySelector("[data-begin]")?.after(" ", button);
  };

  /** What repeats an exercise in other clothes comes to whoever has solved that one, and not this one. */
  const planRepeats = () => {
    for (const [name, first] of lessons.flatMap(({ repeats = {} }) => Object.entries(repeats))) {
      const isNext = isSolved(first) && !isSolved(name) && window.repeat?.isNew("exercises", name);
      if (isNext) window.repeat.later("exercises", name);
    }
  };

  const day = (time) => new Date(time).toLocaleDateString("en", { day: "numeric", month: "long" });
  const showRepeat = (place) => {
    const all = planned();
    const due = all.filter(({ part, key }) => window.repeat.isDue(part, key));
    place.hidden = !all.length;
    const later = all.slice(due.length);
    const now = due.length ? `${due.length} to repeat now.` : "Nothing is due today.";
    const then = later.length ? ` ${later.length} more later, the first on ${day(later[0].due)}.` : "";
    place.querySelector("[role=status]").textContent = now + then;
    place.querySelector("ul").replaceChildren(...due.map(toRepeat));
    showRepeatButton(due.length);
  };

  const showCard = (card) => {
    const lesson = lessons.find(({ stem }) => stem === card.dataset.lesson);
    const found = lesson && standing(lesson);
    card.querySelector("h4 .course-tick")?.remove();
    const isOnlyKnown = found?.words.endsWith("known"); // how much of it, the line of the way says
    if (found && !isOnlyKnown) card.querySelector("h4").append(made("span", "course-tick", ` ${found.mark[0]} ${found.words.split(",")[0]}`));
    const solved = lesson ? solvedIn(lesson) : 0;
    card.querySelector(".card-done").textContent = solved ? `, ${solved} solved` : "";
  };

  const summary = () => {
    const read = lessons.filter(isRead).length;
    const lasting = course.lasts() ? "" : " This browser keeps nothing beyond this page: export what you have done, or allow it to keep data.";
    return `You have read ${read} of ${counted(lessons.length, "lesson")} and solved ${tally(lessons)}.${lasting}`;
  };

  // -- together ----------------------------------------------------------------------------------------------------

  const here = lessonAt(location.pathname);
  const topics = Object.fromEntries(lessons.flatMap((lesson) => (lesson.was ?? []).map((old) => [old, topic(lesson)])));
  course.settle([...homes.predictions.keys()], topics, earlier);
  const placeBefore = here && placeIn(here);
  const repeatList = document.querySelector(".course-repeat");
  const begin = document.querySelector("[data-begin]");
  const panel = document.querySelector(".course-progress [role=status]");
  /** Said again only when it has changed: it is read out. */
  const showSummary = () => {
    if (panel && panel.textContent !== summary()) panel.textContent = summary();
  };
  const show = () => {
    planRepeats();
    showMenu();
    if (begin) showGoOn(begin);
    document.querySelectorAll(".course-card").forEach(showCard);
    if (repeatList) showRepeat(repeatList);
    showSummary();
  };
  /** Who solves an exercise, or ticks it, has been there. */
  const onChange = ({ detail }) => {
    const lesson = detail?.part === "exercises" && detail.fields?.includes("solved") && homes.exercises.get(detail.key);
    if (lesson && isSolved(detail.key)) putPlace(lesson, detail.key);
    if (lesson && lesson === here) showGoOnHere(here, placeIn(here));
    show();
  };
  show();
  document.addEventListener("course:change", onChange);
  if (here) {
    onceMoved(() => watch(here));
    showGoOnHere(here, placeBefore);
    takeFromNotebook(here);
    addEventListener("hashchange", () => takeFromNotebook(here));
  }
  return {
    planned: () =>
      planned().map((one) => ({ ...one, words: inWords(one), address: addressOf(one), isDue: window.repeat.isDue(one.part, one.key) })),
    practice: () => lessons.flatMap(({ practice }) => practice).filter((name) => !isSolved(name) && !course.get("exercises", name)?.again?.due),
    exercise: (name) => {
      const lesson = homes.exercises.get(name);
      return { words: `${numbered(lesson, name)}: ${lesson.exercises[name].replaceAll("`", "")}`, address: page(lesson, name) };
    },
    isRead: (stem) => lessons.some((lesson) => lesson.stem === stem && isRead(lesson)),
    last: () => lastSeen()?.lesson.stem,
  };
})();
