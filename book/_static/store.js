// What a reader has done, kept in this browser and nowhere else. Other scripts read and write it by part and name; what
// the parts are, `record.js` says.
//   course.get("place", "indexing")                  what was kept, or undefined
//   course.put("place", "indexing", value)           keeps a value that JSON can hold, or forgets what undefined is put for
//   course.change("exercises", "unit-vectors", more)  keeps some fields of a value, beside its others
// Each tells the page ("course:change", with part, name and, of a change, the fields; without them, anything may have
// changed). The page names the course. With the folder of the site, two editions under one host are two: neither reads
// the other's. Where a browser keeps nothing (private windows, pages opened from a file), it lasts as long as the page.
window.course = (() => {
  "use strict";
  const record = window.courseRecord;
  const { dataset, src } = document.currentScript;
  const KEY = `${dataset.course ?? "course"} ${src ? new URL("..", src).pathname : "/"}`;
  const JOINED = `${KEY} joined`;
  let kept = record.empty();
  let joined = null; // { before, after } of the last import, as long as it can be undone
  let mayWrite = true; // not over what a newer edition of the site has kept
  let seen = null; // what stood in the storage when it was last read or written
  let isUnsaved = false; // the storage is full, or forbidden: what is kept here is more than what stands there
  let isJoinedHere = false; // so is what can be undone
  let fresh = []; // what was put here in the last moment: { part, key, value, at }
  let today = (found) => found; // a record by the names that this edition has

  const parsed = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };
  /** What can be undone, of what the storage holds: anybody may have written there. */
  const undoable = (found) => (found?.before && found.after ? { before: record.adopted(found.before), after: record.adopted(found.after) } : null);
  const load = () => {
    try {
      const stored = localStorage.getItem(KEY);
      if (isUnsaved && stored === seen) return;
      seen = stored;
      const found = parsed(stored);
      mayWrite = !(found?.v > record.VERSION);
      if (mayWrite) kept = isUnsaved ? record.merged(kept, record.adopted(found)) : record.adopted(found);
      if (!isJoinedHere) joined = undoable(parsed(localStorage.getItem(JOINED)));
    } catch {
      // Storage is forbidden here: what is kept so far stays.
    }
  };
  const save = () => {
    try {
      const written = text();
      if (!mayWrite) return;
      localStorage.setItem(KEY, written);
      [seen, isUnsaved] = [written, false];
    } catch {
      isUnsaved = true; // storage is forbidden or full: it lasts as long as the page
    }
  };
  const tell = (part = "", key = undefined, fields = undefined) =>
    document.dispatchEvent(new CustomEvent("course:change", { detail: { part, key, fields } }));

  const MOMENT = 1000; // milliseconds until each tab has heard of what another one has written
  const recent = () => fresh.filter(({ at }) => Date.now() - at < MOMENT);
  /** Two tabs that write at once know nothing of each other, and the later one writes over what the earlier has just put. */
  const putBack = () => {
    const own = record.empty();
    for (const { part, key, value } of recent()) if (value !== undefined) own[part] = { ...own[part], [key]: value };
    const both = record.merged(kept, own);
    if (record.same(both, kept)) return;
    kept = both;
    save();
  };

  const all = (part) => ({ ...kept[part] });
  const get = (part, key) => (Object.hasOwn(kept[part] ?? {}, key) ? kept[part][key] : undefined);
  const put = (part, key, value, fields) => {
    load(); // another tab may have written
    kept[part] = { ...kept[part], [key]: value };
    if (value === undefined) delete kept[part][key];
    save();
    fresh = [...recent(), { part, key, value, at: Date.now() }];
    tell(part, key, fields);
  };
  const change = (part, key, more) => {
    load();
    put(part, key, { ...get(part, key), ...more }, Object.keys(more));
  };
  const isSolved = (name) => get("exercises", name)?.solved === true;

  const text = () => JSON.stringify(kept, null, 2);
  /** Another record takes the place of this one; `change` is what can be undone of that. */
  const become = (value, change = null) => {
    [kept, fresh] = [value, []];
    joined = change;
    save();
    try {
      if (joined) localStorage.setItem(JOINED, JSON.stringify(joined));
      else localStorage.removeItem(JOINED);
      isJoinedHere = false;
    } catch {
      isJoinedHere = true; // as above: then it can be undone as long as the page lasts
    }
    tell();
  };
  /** Begin with what a text holds: a record of whatever form, or else nothing. */
  const replace = (json) => become(today(record.adopted(parsed(json))));
  /** Join another record to this one; what that changed can be undone until the next time. */
  const join = (other) => {
    load();
    const [before, after] = [kept, record.merged(kept, today(other))];
    become(after, { before, after });
  };
  const canUndo = () => Boolean(joined && !record.same(record.undone(kept, joined), kept));
  const undo = () => {
    load();
    if (joined) become(record.undone(kept, joined));
  };
  const clear = () => become(record.empty());
  const compared = (other) => record.compared(kept, today(other));
  /** Keep predictions, lessons and exercises under the names that they have in this edition, and so what is joined. */
  const settle = (known, topics = {}, exercises = {}) => {
    load();
    today = (found) => record.settled(found, known, topics, exercises);
    const found = today(kept);
    if (record.same(found, kept)) return;
    kept = found;
    save();
  };

  /** Whether what is kept outlasts the page. */
  const lasts = () => {
    try {
      localStorage.setItem(`${KEY} tried`, "");
      localStorage.removeItem(`${KEY} tried`);
      return localStorage instanceof Storage && mayWrite && !isUnsaved; // or else what `layout.html` has put in its place
    } catch {
      return false;
    }
  };
  /** The id that the address leads to; anybody may have written it. */
  const anchor = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  };

  load();
  if (!record.same(kept, record.empty())) save(); // an older form is adopted once
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    load();
    putBack();
    tell();
  });
  const file = dataset.file ?? "progress.json";
  return { all, get, put, change, isSolved, text, replace, join, canUndo, undo, clear, compared, settle, lasts, anchor, file };
})();
