// The small markup of verdicts, in a line: `code`, **strong** and *emphasised* words. It is defined in
// `src/jaxcourse/markup.py`, whose pattern stands here word for word; a test holds the two together.
(() => {
  "use strict";
  const TOKEN = /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\w\*+|\*\*((?=\S)(?:`[^`]+`|[^*`\s]|\s(?!\s*\*))+)\*\*|\*((?=\S)(?:`[^`]+`|[^*`\s]|\s(?!\s*\*))+)\*(?![\w*])/g;

  const made = (tag, ...children) => {
    const element = document.createElement(tag);
    element.append(...children);
    return element;
  };
  const unpadded = (code) => (/^ [\s\S]* $/.test(code) && code.trim() ? code.slice(1, -1) : code);

  /** A line as texts and elements. */
  const nodes = (text) => {
    const found = [];
    let end = 0;
    for (const match of text.matchAll(TOKEN)) {
      const [whole, , code, strong, emphasis] = match;
      if (!(code || strong || emphasis)) continue;
      if (match.index > end) found.push(text.slice(end, match.index));
      if (code) found.push(made("code", unpadded(code)));
      else found.push(made(strong ? "strong" : "em", ...nodes(strong || emphasis)));
      end = match.index + whole.length;
    }
    return end < text.length ? [...found, text.slice(end)] : found;
  };

  /** A text as code, whatever is in it: as `code` in `markup.py`. */
  const code = (text) => {
    const fence = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
    const padding = /^[` ]|[` ]$/.test(text) ? " " : "";
    return text ? `${fence}${padding}${text}${padding}${fence}` : "";
  };

  window.markup = { nodes, code };
})();
