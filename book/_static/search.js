// The search. Its index is fetched when somebody searches, and not before. It finds sections, exercises and terms, and
// leads to the words, which are marked on the page where they stand. A query is split as `tokens` in `site_search.py`
// splits a text.
(() => {
  "use strict";
  const MOST = 30;
  const COMMON = new Set(
    ("a about after also an and are as be because been before but by can do does for from had has have how if in " +
      "into is it its may more most no not of on one only or other same so such than that the their them then there " +
      "these they this those to two up was what when which who will with without you your").split(" "),
  );
  const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu;
  const CHAIN = /[a-z_]\w*(?:\[\])?(?:\.[a-z_]\w*(?:\[\])?)+/g;
  const CALL = /\b[a-z_]\w*\((?:'\w+'|none)(?:, ?(?:'\w+'|none))*\)/g;
  const ASSIGNED = /[\w.]*\[[^[\]]*\]\s*([-+*/]?)=(?!=)[^,;]*/g; // x[0] = 1: what JAX has in its place
  const root = document.documentElement.dataset.content_root ?? "./";

  const singular = (word) => {
    if (word.length < 4 || !word.endsWith("s") || word.endsWith("ss")) return word;
    return word.endsWith("ies") && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  };
  const words = (text) => (text.toLowerCase().match(WORD) ?? []).filter((word) => word.length > 1);
  const plain = (text) => words(text).map(singular).join(" ");

  // -- the query ---------------------------------------------------------------------------------------------------

  /** What a query asks for: names with dots and calls as a whole, then the words that are left. */
  const asked = (query) => {
    let text = query.toLowerCase().replaceAll('"', "'");
    const names = [];
    const take = (pattern, clean) => {
      for (const [found] of text.matchAll(pattern)) names.push(clean(found));
      text = text.replace(pattern, " ");
    };
    take(CALL, (call) => call.replaceAll(" ", ""));
    text = text.replace(ASSIGNED, (_, sign) => (sign ? ".at[].add" : ".at[].set"));
    text = text.replace(/\[[^[\]]*\]/g, "[]").replace(/(^|\s)\.(?=[a-z])/g, "$1");
    take(CHAIN, (chain) => chain.replace(/^.*?\.(?=at\[\])/, "")); // whatever the array is called
    const left = words(text);
    const rare = left.filter((word) => !COMMON.has(word));
    return [...names, ...(rare.length || names.length ? rare : left).map(singular)];
  };

  /** Whether a word begins as another one, up to one slip of the finger: a letter too many, too few or wrong, or two
   * exchanged. */
  const slips = (typed, word) => {
    if (word.length < typed.length - 1) return false;
    let at = 0;
    while (at < typed.length && typed[at] === word[at]) at++;
    const rest = (ours, theirs) => word.startsWith(typed.slice(at + ours), at + theirs);
    const exchanged = typed[at] === word[at + 1] && typed[at + 1] === word[at];
    return rest(1, 1) || rest(1, 0) || rest(0, 1) || (exchanged && rest(2, 2));
  };
  /** The words of the index that are one slip away from one that is not in it; of short ones, too many are. */
  const isWhole = (part, word) => word.length <= part.length + 1;
  const rarity = (token, index) => Math.log(1 + (2 * index.places.length) / index.terms[token].length);
  const near = (part, index) => (/^\p{L}{3,}$/u.test(part) ? index.words.filter((word) => slips(part, word)) : []);

  /** A query as it was meant: a word that the index has neither whole nor as a beginning becomes the nearest one in it that
   * stands in most places. */
  const mended = (query, index) =>
    query.replace(/[\p{L}\p{N}_]+/gu, (typed) => {
      const part = singular(typed.toLowerCase());
      if (COMMON.has(typed.toLowerCase()) || index.tokens.some((token) => token.startsWith(part))) return typed;
      const words = near(part, index);
      const whole = words.filter((word) => isWhole(part, word));
      return (whole.length ? whole : words).sort((a, b) => rarity(a, index) - rarity(b, index))[0] ?? typed;
    });

  /** The tokens of the index that a part of a query means, each with how well it fits. */
  const meant = (part, index) => {
    const found = new Map();
    const has = (token) => Object.hasOwn(index.terms, token);
    if (has(part)) found.set(part, 1);
    for (let rest = part; !found.size && rest.includes("."); ) {
      rest = rest.slice(rest.indexOf(".") + 1);
      if (has(rest)) found.set(rest, 0.7);
    }
    if (part.length > 1) for (const token of index.tokens) if (token.startsWith(part) && token !== part) found.set(token, 0.35);
    if (has(part)) return found;
    // Whoever slips has rarely a rare word in mind: these count alike, however many places they have.
    const words = near(part, index);
    const common = Math.min(...words.map((word) => rarity(word, index)));
    for (const word of words) {
      const fit = isWhole(part, word) ? 0.6 : 0.2;
      found.set(word, Math.max(found.get(word) ?? 0, (fit * common) / rarity(word, index)));
    }
    return found;
  };

  const ORDER = { page: 4, section: 3, term: 2, exercise: 1 };

  /** The places that a query finds, best first: the exact title, then all parts of the query, then the rarer ones. */
  const search = (query, index) => {
    const parts = [...new Set(asked(query))];
    const points = new Map();
    for (const part of parts) {
      const best = new Map();
      for (const [token, fit] of meant(part, index)) {
        const list = index.terms[token];
        const rare = rarity(token, index);
        for (let i = 0; i < list.length; i += 2) {
          const titled = index.titles[list[i]].has(token) ? 4 : 0;
          const value = fit * rare * (1 + Math.log(list[i + 1]) + titled);
          if (value > (best.get(list[i]) ?? 0)) best.set(list[i], value);
        }
      }
      for (const [place, value] of best) {
        const old = points.get(place) ?? { value: 0, parts: 0 };
        points.set(place, { value: old.value + value, parts: old.parts + 1 });
      }
    }
    const wanted = plain(mended(query, index));
    const score = ([place, { value, parts: met }]) => {
      const [, , title, kind] = index.places[place];
      const name = index.plain[place];
      const exact = wanted && index.called[place].includes(wanted) ? 1000 * ORDER[kind] : wanted && name.startsWith(`${wanted} `) ? 6 : 0;
      return { place, score: exact + value * (met / parts.length) ** 2 - title.length / 1000 };
    };
    return [...points].map(score).sort((a, b) => b.score - a.score || a.place - b.place);
  };

  // -- the index ---------------------------------------------------------------------------------------------------

  /** What is asked again and again is computed once. */
  const prepare = (index) => {
    index.tokens = Object.keys(index.terms);
    index.words = index.tokens.filter((token) => /^\p{L}{3,}$/u.test(token));
    index.plain = index.places.map(([, , title]) => plain(title));
    // What readers call a place counts as its title does.
    const names = ([, , title, , , ...called]) => [title, ...called];
    index.called = index.places.map((place) => names(place).map(plain));
    index.titles = index.places.map((place) => new Set(names(place).flatMap((name) => [...words(name).map(singular), ...asked(name)])));
    return index;
  };

  let loading;
  const load = () => {
    loading ??= new Promise((done, fail) => {
      if (window.courseIndex) return done(prepare(window.courseIndex));
      const script = document.createElement("script");
      script.src = `${root}_static/search_index.js`;
      script.onload = () => done(prepare(window.courseIndex));
      script.onerror = () => {
        loading = undefined; // the network may be back at the next letter
        fail(new Error("no index"));
      };
      document.head.append(script);
    });
    return loading;
  };

  // -- what is found -----------------------------------------------------------------------------------------------

  const made = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };

  /** A place that was found, with a link in which the query is as it was meant: by that, the page marks its words. */
  const item = ([page, id, title, kind, lead], index, query) => {
    const [name, pageTitle] = index.pages[page];
    const link = document.createElement("a");
    link.href = `${root}${name}.html?q=${encodeURIComponent(query)}${id && `#${id}`}`;
    const where = { page: "", section: ` › ${pageTitle}`, exercise: ` › ${pageTitle}, exercise`, term: ` › ${pageTitle}` };
    link.append(made("strong", title), made("span", where[kind]));
    if (lead) link.append(made("small", lead));
    const line = document.createElement("li");
    line.append(link);
    return line;
  };

  const count = (found, query, typed) => {
    if (!found.length) return `Nothing was found for “${query}”. Try a single word, or the name of a function.`;
    const shown = found.length > MOST ? `, the first ${MOST} are shown` : "";
    const slipped = query === typed ? "" : `, since there is no “${typed}”`;
    return `${found.length} ${found.length === 1 ? "place" : "places"} for “${query}”${slipped}${shown}. Arrow keys move, Enter opens.`;
  };

  const startBox = (box) => {
    const [form, input, status, list] = ["form", "input", "[role=status]", "ol"].map((name) => box.querySelector(name));
    const show = async () => {
      const query = input.value.trim();
      let index;
      try {
        index = await load();
      } catch {
        status.textContent = "The index of the search did not arrive. Is the network there?";
        return;
      }
      if (query !== input.value.trim()) return; // a later letter has its own answer
      const found = query ? search(query, index) : [];
      const meantBy = found.length ? mended(query, index) : query;
      list.replaceChildren(...found.slice(0, MOST).map(({ place }) => item(index.places[place], index, meantBy)));
      status.textContent = query ? count(found, meantBy, query) : "";
    };
    input.addEventListener("focus", () => load().catch(() => {}));
    input.addEventListener("input", show);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.click();
    });
    box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const stops = [input, ...list.querySelectorAll("a")];
      const next = stops[stops.indexOf(document.activeElement) + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
    list.addEventListener("click", () => box.closest("dialog")?.close()); // the page may be this one
    return { input, show };
  };

  // -- marks on the page to which a search leads ---------------------------------------------------------------------

  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  /** What marks the parts of a query in a text: brackets may hold anything, and words may have an ending. */
  const pattern = (query) => {
    const parts = asked(query).map((part) => {
      const flat = escaped(part.replace(/(?<=\p{L}{2})y$/u, "")).replaceAll("\\[\\]", "\\[[^\\]]*\\]").replaceAll(",", ",\\s*").replaceAll("'", "['\"]");
      return /^[\p{L}\p{N}_]+$/u.test(part) ? `(?<![\\p{L}\\p{N}_])${flat}[\\p{L}\\p{N}]{0,3}(?![\\p{L}\\p{N}_])` : flat;
    });
    return parts.length ? new RegExp(parts.join("|"), "giu") : null;
  };

  /** The ranges of a pattern in an element's text, also where a line of code is cut into coloured pieces. */
  const ranges = (element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const pieces = [];
    let text = "";
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.parentElement.closest("script, style, button, .headerlink")) continue;
      pieces.push({ node, start: text.length });
      text += node.data;
    }
    const point = (at) => {
      const piece = pieces.findLast(({ start }) => start <= at);
      return [piece.node, at - piece.start];
    };
    return [...text.matchAll(wanted)].map((match) => {
      const range = new Range();
      range.setStart(...point(match.index));
      const [node, at] = point(match.index + match[0].length - 1);
      range.setEnd(node, at + 1);
      return range;
    });
  };

  const isSeen = (range) => range.startContainer.parentElement.checkVisibility({ visibilityProperty: true });

  /** Go to the first of what a search looked for that can be seen; where all of it is folded, the first fold opens. What
   * the reader is to find out alone stays closed. */
  const lead = (article, wanted) => {
    const target = document.getElementById(window.course?.anchor() ?? "");
    const place = target?.closest("dt")?.parentElement ?? target;
    const found = ranges(place ?? article, wanted);
    const folded = found.filter(({ startContainer: { parentElement: one } }) => !one.closest(".solution, .predict-output, .predict-after"));
    const first = found.find(isSeen) ?? folded[0];
    if (!first) return;
    if (!isSeen(first)) window.courseFolds?.open(first.startContainer.parentElement);
    const box = first.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) first.startContainer.parentElement.scrollIntoView({ block: "center" });
  };

  /** Mark what a search looked for, and go there. */
  const mark = () => {
    const query = new URLSearchParams(location.search).get("q");
    const article = document.querySelector("article.bd-article");
    const wanted = query && article && pattern(query);
    if (!wanted || !CSS.highlights) return;
    CSS.highlights.set("course-search", new Highlight(...ranges(article, wanted)));
    if (document.readyState === "complete") lead(article, wanted);
    else addEventListener("load", () => lead(article, wanted), { once: true }); // boxes have been folded by then
    document.addEventListener("keydown", ({ key }) => key === "Escape" && CSS.highlights.delete("course-search"));
  };

  // -- together ----------------------------------------------------------------------------------------------------

  const boxes = [...document.querySelectorAll(".course-search")].map(startBox);
  const query = new URLSearchParams(location.search).get("q");
  const onPage = document.querySelector(".bd-search-container .course-search input");
  if (onPage) {
    onPage.value = query ?? "";
    onPage.focus();
    boxes.find(({ input }) => input === onPage).show();
  } else mark();
  window.courseSearch = async (words) => {
    const index = await load();
    return search(words, index).map(({ place }) => index.places[place]);
  };
  window.addEventListener("hashchange", mark);
})();
