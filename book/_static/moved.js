// A link may name a place that is on another page now, or is called otherwise. Where this page has no such place, the list
// of all says which does: a page, and behind `#` what the place is called there, if that is something else.
(() => {
  "use strict";
  const base = document.documentElement.dataset.content_root ?? "./";

  /** The place that the address names; anybody may have written it. */
  const named = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  };
  const lead = async () => {
    const place = named();
    if (!place || place.includes("=") || document.getElementById(place)) return;
    const answer = await fetch(`${base}places.json`).catch(() => null);
    const [page, name = place] = (answer?.ok ? (await answer.json())[place] : undefined)?.split("#") ?? [];
    const target = page && new URL(`${base}${page}.html#${name}`, location.href);
    if (target && (target.pathname !== location.pathname || name !== place)) location.replace(target);
  };
  window.addEventListener("hashchange", lead);
  lead();
})();
