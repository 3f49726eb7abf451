"""Each path of the built site, walked from its first section to its last by what the pages say."""

import pytest
from built import COURSE
from playwright.sync_api import Page, expect

LEADS = """() => Object.keys(coursePaths.paths).flatMap((name) => {
  courseWay.choose(name);
  const sections = [...document.querySelectorAll("article.bd-article section:has(> :is(h1, h2, h3))")];
  const named = (section) => [section, ...section.querySelectorAll(":scope > span[id]")].map(({ id }) => id);
  const { stops } = courseWay.chosen();
  const leads = (stop) => {
    const section = document.getElementById(stop.label).closest("section");
    const line = [...section.children].find((child) => child.classList.contains("course-way-next"));
    const following = sections[sections.indexOf(section) + 1];
    const to = line ? [line.querySelector("a")?.hash.slice(1)] : following ? named(following) : [];
    const next = stops[stops.indexOf(stop) + 1];
    const isRight = next ? to.includes(next.label) : line?.textContent.startsWith("Here your path ends.");
    return isRight ? [] : [`${name}: after ${stop.label} comes ${next?.label}, and it leads to ${to}`];
  };
  return stops.filter(({ stem }) => location.pathname.endsWith(`/${stem}.html`)).flatMap(leads);
})"""
"""Where the sections of a lesson that are on a path lead elsewhere than to the next one of it."""


@pytest.mark.parametrize("page_of", [page for page in COURSE.pages if page.startswith("notebooks/")])
def test_each_section_of_a_path_leads_to_the_next(page: Page, page_of: str) -> None:
    page.goto(f"{page_of}.html")
    assert page.evaluate(LEADS) == []


def test_where_a_path_is_chosen_a_link_leads_to_its_beginning(page: Page) -> None:
    begins = "Object.entries(coursePaths.paths).map(([name, { at }]) => [name, courseWay.page(courseWay.all[at[0]])])"
    for name_of in ("index", "paths"):
        page.goto(f"book/{name_of}.html")
        for name, address in page.evaluate(begins):
            if name_of == "index":
                page.locator(f"[name=course-path][value='{name}']").check()
            else:
                page.locator(f"section:has(> #path-{name}) button[data-way]").click()
            expect(page.locator("article .course-way-next a")).to_have_attribute("href", address)
    page.locator("article .course-way-next a").click()
    page.wait_for_url(f"**/{address.removeprefix('../')}")
