// The record of what was done as a file: exported, joined to this browser's after a look at what that would change, taken
// back again, and cleared. What a file is and how two records are joined, `record.js` says.
(() => {
  "use strict";
  const { course, courseRecord: record, courseLessons: lessons = [], coursePages: pages = [], coursePaths = {} } = window;
  const panel = document.querySelector(".course-progress");
  if (!course || !panel) return;
  const LARGEST = 2_000_000; // bytes of a file that is read: a record of everything has some hundred thousand
  const SHOWN = 12; // differences that are listed one by one

  const look = panel.querySelector(".course-import");
  const said = look.querySelector("p");
  const list = look.querySelector("ul");
  const button = (name) => panel.querySelector(`[data-do=${name}]`);
  const file = panel.querySelector("input");
  let offered = null; // what was chosen and not yet joined

  // -- in words ---------------------------------------------------------------------------------------------------

  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const inRow = (words) => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");
  const KINDS = {
    exercises: (count) => counted(count, "exercise"),
    predictions: (count) => counted(count, "prediction"),
    read: (count) => `${counted(count, "lesson")} read`,
    place: (count) => counted(count, "place to go on"),
    seen: (count) => `${counted(count, "section")} seen`,
    known: (count) => `${counted(count, "section")} known`,
    path: () => "the path that was chosen",
    settings: () => "how pages are shown",
  };
  const kinds = (some) => {
    const counts = record.PARTS.map((part) => [part, some.filter((one) => one.part === part).length]);
    return inRow(counts.filter(([, count]) => count).map(([part, count]) => KINDS[part](count)));
  };

  const asks = (key) => (one) => Object.entries(one.predictions ?? {}).some(([label]) => key.startsWith(`${label}-`));
  const lessonOf = (part, key) => {
    if (part === "predictions") return [...lessons, ...pages].find(asks(key));
    return lessons.find((one) => (part === "exercises" ? Object.hasOwn(one.exercises, key) : record.topicOf(one.stem) === key));
  };
  /** What a reader calls an entry; one that no lesson here has goes by its name. */
  const called = ({ part, key }) => {
    const lesson = lessonOf(part, key);
    if (part === "exercises") return (lesson?.exercises[key] ?? key).replaceAll("`", "");
    if (part === "predictions") return `a prediction in “${lesson?.title ?? key}”`;
    if (part === "settings") return `the switch “${key}”`;
    const section = ["seen", "known"].includes(part) && (coursePaths.sections ?? []).find(([label]) => label === key)?.[3];
    return part === "path" ? "the path" : `“${(section || lesson?.title || key).replaceAll("`", "")}”`;
  };
  const state = {
    exercises: ({ solved, tries }) => (solved ? "solved" : tries ? `not solved in ${counted(tries, "try").replace("trys", "tries")}` : "open"),
    predictions: ({ said: words, shown }) => (words ? words.flat().join("; ").replaceAll("`", "").slice(0, 80) : shown ? "looked at" : "open"),
    read: () => "read",
    place: ({ at }) => `left on ${new Date(at).toLocaleDateString("en", { day: "numeric", month: "long", year: "numeric" })}`,
    seen: () => "seen",
    known: ({ holds }) => (holds ? "known" : "not known"),
    path: ({ name }) => (name && (coursePaths.paths?.[name]?.title ?? name)) || "none",
    settings: ({ on, name }) => name || (on ? "on" : "off"),
  };
  const difference = (one) => {
    const [ours, theirs] = [state[one.part](one.ours), state[one.part](one.theirs)];
    const stays = record.same(one.joined, one.ours);
    if (ours === theirs) return `${called(one)}: when, or when to repeat it. ${stays ? "Yours stays" : "What is later counts"}.`;
    return `${called(one)}: ${ours} here, ${theirs} in the file. ${stays ? "Yours stays" : "That of the file counts"}.`;
  };

  // -- what a reader does -----------------------------------------------------------------------------------------

  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([course.text()], { type: "application/json" }));
    link.download = course.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  /** Say something of a file, with what to do about it. */
  const tell = (words, differences = []) => {
    const lines = differences.slice(0, SHOWN).map((one) => Object.assign(document.createElement("li"), { textContent: difference(one) }));
    const more = differences.length - lines.length;
    if (more > 0) lines.push(Object.assign(document.createElement("li"), { textContent: `and ${more} more.` }));
    list.replaceChildren(...lines);
    said.textContent = words;
    button("join").hidden = button("leave").hidden = !offered;
    look.hidden = false;
    said.focus({ preventScroll: true });
  };

  /** What is in a file, or what is wrong with it; one that cannot be a record is not even read. */
  const taken = async (chosen) => {
    if (chosen.size > LARGEST) return { problem: "it is too large for a record of this course" };
    try {
      return record.taken(await chosen.text());
    } catch {
      return { problem: "the browser cannot read it" };
    }
  };
  const offer = ({ record: found, problem }) => {
    offered = null;
    if (problem) {
      tell(`This file cannot be imported: ${problem}. Nothing was changed. Choose a file that was exported here, or a notebook's jaxcourse-progress.json.`);
      return;
    }
    const all = course.compared(found);
    const [fresh, differing] = [all.filter(({ ours }) => ours === undefined), all.filter(({ ours }) => ours !== undefined)];
    const differ = differing.length ? `${kinds(differing)} ${differing.length === 1 ? "is" : "are"} different here:` : "";
    if (all.every(({ ours, joined }) => record.same(ours, joined))) {
      tell(`All that this file would add is here already. Nothing was changed. ${differ}`.trim(), differing);
      return;
    }
    offered = found;
    const adds = fresh.length ? `This file would add ${kinds(fresh)}.` : "This file would add nothing new.";
    tell(`${adds} ${differ || "All that is here stays."}`, differing);
  };

  const put = (words) => {
    offered = null;
    tell(words);
  };
  const ask = "Clear all that this browser has kept of the course: lessons read, exercises solved, predictions?";
  const act = {
    export: download,
    import: () => file.click(),
    clear: () => {
      if (!window.confirm(ask)) return;
      offered = null;
      look.hidden = true;
      course.clear();
    },
    join: () => {
      course.join(offered);
      put("The file was added to what this browser keeps.");
    },
    leave: () => put("Nothing was changed."),
    undo: () => {
      course.undo();
      put("The import was undone. What you have done since has stayed.");
    },
  };
  for (const [name, what] of Object.entries(act)) button(name).addEventListener("click", what);
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const found = await taken(chosen);
    file.value = "";
    offer(found);
  });

  const show = () => (button("undo").hidden = !course.canUndo());
  document.addEventListener("course:change", show);
  show();
  panel.hidden = false;
})();
