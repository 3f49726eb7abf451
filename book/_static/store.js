// What a reader has done, kept in this browser and nowhere else. Other scripts read and write it by part and name:
//   course.get("predicted", "06-3")        what was kept, or undefined
//   course.put("predicted", "06-3", value)  keeps a value that JSON can hold, and tells the page ("course:change", with
//                                           part and name; without them, anything may have changed)
// The page names the course. With the folder of the site, two editions under one host are two: neither reads the other's.
// Where a browser keeps nothing (private windows, pages opened from a file), it lasts as long as the page.
window.course = (() => {
  "use strict";
  const { dataset, src } = document.currentScript;
  const KEY = `${dataset.course ?? "course"} ${src ? new URL("..", src).pathname : "/"}`;
  let kept = {};

  const parsed = (text) => {
    try {
      const value = JSON.parse(text);
      return value && typeof value === "object" && !Array.isArray(value) ? value : {};
    } catch {
      return {};
    }
  };
  const load = () => {
    try {
      kept = parsed(localStorage.getItem(KEY));
    } catch {
      // Storage is forbidden here: what is kept so far stays.
    }
  };
  const save = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // Storage is forbidden or full: it lasts as long as the page.
    }
  };
  const tell = (part, key) => document.dispatchEvent(new CustomEvent("course:change", { detail: { part, key } }));
  const part = (name) => (typeof kept[name] === "object" && kept[name] !== null ? kept[name] : {});

  const all = (name) => ({ ...part(name) });
  const get = (name, key) => (Object.hasOwn(part(name), key) ? part(name)[key] : undefined);
  const put = (name, key, value) => {
    load(); // another tab may have written
    kept[name] = { ...part(name), [key]: value };
    save();
    tell(name, key);
  };
  const text = () => JSON.stringify(kept, null, 2);
  const replace = (json) => {
    kept = parsed(json);
    save();
    tell("");
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
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    load();
    tell("");
  });
  return { all, get, put, text, replace, anchor, file: dataset.file ?? "progress.json" };
})();
