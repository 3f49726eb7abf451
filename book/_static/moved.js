// A link may name a place that is on another page now. Where this page has no such place, the list of all says which does.
(() => {
  "use strict";
  const base = document.documentElement.dataset.content_root ?? "./";

  const lead = async () => {
    const place = decodeURIComponent(location.hash.slice(1));
    if (!place || place.includes("=") || document.getElementById(place)) return;
    const answer = await fetch(`${base}places.json`).catch(() => null);
    const page = answer?.ok ? (await answer.json())[place] : undefined;
    const target = page && new URL(`${base}${page}.html#${place}`, location.href);
    if (target && target.pathname !== location.pathname) location.replace(target);
  };
  window.addEventListener("hashchange", lead);
  lead();
})();
