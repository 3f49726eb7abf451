// A term of the glossary as a card: on hover, on focus, and at the first tap; the second tap follows the link.
// It stays while the pointer is on the word or on the card, and Escape closes it.
(() => {
  "use strict";
  const source = document.getElementById("course-terms");
  if (!source) return;
  const terms = JSON.parse(source.textContent);
  const LINGER = 250;
  const card = document.createElement("div");
  card.className = "course-term";
  card.id = "course-term";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  document.body.append(card);
  let owner = null;
  let timer = 0;

  const made = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };

  const fill = ([term, said]) => card.replaceChildren(made("strong", term), ...window.markup.nodes(said));

  /** Below the word, or above it where there is no room; never beyond the window's sides. */
  const place = (link) => {
    const word = link.getClientRects()[0];
    const { offsetWidth: width, offsetHeight: height } = card;
    const left = Math.max(8, Math.min(word.left, document.documentElement.clientWidth - width - 8));
    const above = word.bottom + height + 8 > innerHeight && word.top > height + 8;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(above ? word.top - height - 4 : word.bottom + 4) + scrollY}px`;
  };

  const show = (link) => {
    clearTimeout(timer);
    if (owner === link) return;
    hide();
    owner = link;
    fill(terms[link.hash.slice(1)]);
    card.hidden = false;
    place(link);
    link.setAttribute("aria-describedby", card.id);
  };

  const hide = () => {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    card.hidden = true;
  };

  /** Leave time to move from the word to the card. */
  const leave = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (document.activeElement !== owner) hide();
    }, LINGER);
  };

  const start = (link) => {
    let touched = false;
    link.addEventListener("pointerenter", ({ pointerType }) => pointerType !== "touch" && show(link));
    link.addEventListener("pointerleave", ({ pointerType }) => pointerType !== "touch" && leave());
    link.addEventListener("pointerdown", ({ pointerType }) => {
      touched = pointerType === "touch" && owner !== link;
    });
    link.addEventListener("focus", () => show(link));
    link.addEventListener("blur", leave);
    link.addEventListener("click", (event) => {
      if (touched) event.preventDefault();
      if (touched) show(link);
      else hide();
      touched = false;
    });
  };

  for (const link of document.querySelectorAll('article a[href*="#term-"]:not(.headerlink)'))
    if (Object.hasOwn(terms, link.hash.slice(1))) start(link);
  card.addEventListener("pointerenter", () => clearTimeout(timer));
  card.addEventListener("pointerleave", leave);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("pointerdown", ({ target }) => {
    if (owner && !owner.contains(target) && !card.contains(target)) hide();
  });
})();
