"""What HTML a record may hold: tables and drawings, and nothing that acts, loads, or restyles the page.

A record is thousands of lines that no reviewer reads. So its HTML is held to a grammar that leaves a browser nothing to
interpret in its own way: tags by name, attributes by name and form, every tag closed, no `<` anywhere else.
"""

from __future__ import annotations

import re

from jaxcourse.svg import BY_WIDTH

_TAGS = frozenset(
    re.findall(
        r"\S+",
        """b br caption circle clipPath code defs desc details div ellipse em g i li line linearGradient marker ol p
    path pattern polygon polyline pre radialGradient rect span stop strong sub summary sup svg table tbody td text tfoot
    th thead title tr tspan ul use""",
    )
)
_EMPTY = {"br"}
"""The tags that HTML never closes."""
_PLAIN = re.compile(r'[^"<>]*\Z')
_OWN = re.compile(r"#[\w.-]+\Z")
_XML = re.compile(r"http://www\.w3\.org/(2000/svg|1999/xlink)\Z")
_FORMS = {"href": _OWN, "xlink:href": _OWN, "xmlns": _XML, "xmlns:xlink": _XML, "class": re.compile(r"[\w -]*\Z")}
"""The form of attributes that could lead somewhere; others are words and numbers."""
_NAMES = frozenset(
    re.findall(
        r"\S+",
        """aria-hidden aria-label border class clip-path clip-rule clipPathUnits colspan cx cy d dx dy fill fill-opacity
    fill-rule font-family font-size font-style font-weight gradientTransform gradientUnits height href id marker-end
    marker-mid marker-start markerHeight markerUnits markerWidth offset opacity orient patternUnits points
    preserveAspectRatio r refX refY role rowspan rx ry scope stop-color stop-opacity stroke stroke-dasharray
    stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width style tabindex
    text-anchor transform version viewBox width x x1 x2 xlink:href xml:space xmlns xmlns:xlink y y1 y2""",
    )
)
_DANGEROUS = re.compile(r"url\((?!#)|expression|@import|javascript:|position\s*:|\\", re.IGNORECASE)
_TAG = re.compile(r'<(?P<close>/)?(?P<name>[a-zA-Z]+)(?P<rest>(?:\s+[a-zA-Z:-]+="[^"<>]*")*)\s*(?P<end>/)?>')
_ATTRIBUTE = re.compile(r'([a-zA-Z:-]+)="([^"<>]*)"')


def html_problem(html: str) -> str:
    """What a record may not hold of some HTML; empty if it may hold all of it.

    Example:
        >>> html_problem('<p class="a">1 &lt; 2</p>'), html_problem("<script>alert(1)</script>")
        ('', 'it has a tag <script>')
        >>> html_problem('<p onclick="x()">')
        'it has the attribute onclick'
    """
    html = html.replace(f"<style>{BY_WIDTH}</style>", "")
    open_tags: list[str] = []
    place = 0
    while (place := html.find("<", place)) >= 0:
        tag = _TAG.match(html, place)
        if not tag:
            return f"it has {html[place : place + 30]!r}, which is no plain tag"
        if problem := _of_tag(tag, open_tags):
            return problem
        place = tag.end()
    return f"its tag <{open_tags[-1]}> is never closed" if open_tags else ""


def _of_tag(tag: re.Match[str], open_tags: list[str]) -> str:
    name = tag["name"]
    if name not in _TAGS:
        return f"it has a tag <{name}>"
    if tag["close"]:
        return "" if open_tags and open_tags.pop() == name else f"it has </{name}> where no <{name}> is open"
    if not (tag["end"] or name in _EMPTY):
        open_tags.append(name)
    problems = (_of_attribute(*found) for found in _ATTRIBUTE.findall(tag["rest"]))
    return next(filter(None, problems), "")


def _of_attribute(name: str, value: str) -> str:
    if name not in _NAMES:
        return f"it has the attribute {name}"
    leads = name not in ("aria-label", "xmlns", "xmlns:xlink") and (_DANGEROUS.search(value) or "&#" in value)
    if leads or not _FORMS.get(name, _PLAIN).match(value):
        return f"its attribute {name} is {value[:40]!r}"
    return ""
