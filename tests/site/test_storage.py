"""What a browser keeps, where it refuses to, and where two tabs keep at once: all that a page can do, it does."""

import pytest
from playwright.sync_api import Page, expect

LESSON = "notebooks/10_memory_layout.html"
pytestmark = pytest.mark.lessons("10_memory_layout")

REFUSING = {
    "refused": 'get() { throw new DOMException("no", "SecurityError"); }',
    "there is none": "value: null",
    "without room": 'value: { getItem: () => null, setItem() { throw new DOMException("", "QuotaExceededError"); } }',
}


@pytest.mark.parametrize("how", REFUSING)
def test_where_nothing_can_be_kept_a_page_works(page: Page, complaints: list[str], how: str) -> None:
    page.add_init_script(f'Object.defineProperty(window, "localStorage", {{ configurable: true, {REFUSING[how]} }});')
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(LESSON)
    page.locator(".primary-toggle:visible").click()
    expect(page.locator("#pst-primary-sidebar-modal")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".search-button:visible").click()
    expect(page.locator("#pst-search-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".theme-switch-button:visible").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator(".predict-cover button").first.click()
    expect(page.locator("form.predict-done")).to_have_count(1)
    assert page.evaluate("Object.keys(course.all('predictions')).length") == 1, "it lasts as long as the page"
    page.goto("book/index.html")
    expect(page.locator(".course-progress [role=status]")).to_contain_text(
        "This browser keeps nothing beyond this page"
    )
    assert complaints == []


BOTH = """([name, count]) => Array.from({ length: count }, (_, i) => course.put("seen", `${name}-${i}`, 1))"""


def test_two_tabs_keep_what_both_do_at_once(page: Page, complaints: list[str]) -> None:
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(LESSON)
    words = page.locator("form.predict-form input[type=text]").first
    words.fill("a word")
    words.press("Enter")
    hint = page.locator("form.predict-form .predict-hint").first
    expect(hint).to_contain_text("a word cannot be read")
    for i in range(10):
        page.evaluate(BOTH, [f"ours-{i}", 2])
        other.evaluate(BOTH, [f"theirs-{i}", 2])
    for tab in (page, other):
        tab.wait_for_function('Object.keys(course.all("seen")).length === 40')
    stored = "Object.keys(JSON.parse(course.text()).seen).length"
    assert page.evaluate(stored) == other.evaluate(stored) == 40
    expect(hint, "what is asked here stays").to_contain_text("a word cannot be read")
    expect(words).to_be_focused()
    other.locator(".predict-cover button").first.click()
    expect(page.locator("form.predict-done"), "what is seen there is seen here").to_have_count(1)
    assert complaints == []


def test_a_record_of_another_course_on_this_host_is_not_touched(page: Page) -> None:
    page.goto(LESSON)
    page.evaluate("""() => {
      course.put("seen", "strides", 1);
      const [key] = Object.keys(localStorage).filter((name) => name.includes("/"));
      for (const name of ["course /", key.replace(/ .*/, " /elsewhere/"), "seen"])
        localStorage[name] = '{"v": 3, "seen": {}}';
      course.clear();
    }""")
    foreign = 'Object.values(localStorage).filter((text) => text === \'{"v": 3, "seen": {}}\').length'
    assert page.evaluate(foreign) == 3
