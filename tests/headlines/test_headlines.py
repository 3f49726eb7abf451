"""`jaxcourse bench`: its claims, its races and its report. No test depends on who is faster here."""

import dataclasses
import json

import numpy as np
import pytest

from jaxcourse import cli
from jaxcourse.bench import entry
from jaxcourse_author import headlines
from jaxcourse_author.headlines import HEADLINES, Claim, Headline, Least, Machine, _run

HERE = Machine("cpu", "cpu", 2, 1e10, 1e10, 1e11, {"jax": "1"})


def claim(faster="add", slower="sum", times=None):
    return Claim(f"{faster} against {slower}", "a notebook", faster, slower, why=lambda race: "Because.", times=times)


def toy(**changes):
    def contestants(size):
        return {"sum": entry(np.sum, np.ones(size)), "add": entry(np.add.reduce, np.ones(size))}

    parts = {
        "name": "toy",
        "title": "A sum",
        "variable": "n",
        "sizes": (10, 100, 1000),
        "contestants": contestants,
        "claims": (claim(), claim("nowhere", "sum", times=3)),
        "least": lambda size: Least(nbytes=8 * size),
        "wants": ("nowhere",),
    }
    return Headline(**(parts | changes))


@pytest.fixture(scope="module")
def outcome():
    return headlines.measure(toy(), HERE, seconds=0.01)


@pytest.fixture(scope="module")
def results(outcome):
    return headlines.Results(HERE, (outcome,), ("`other` could not be measured: it rains",))


@pytest.mark.parametrize(
    ("times", "interval", "judged"),
    [
        (None, (1.01, 1.2), "holds"),
        (None, (0.9, 1.2), "unclear"),
        (None, (0.5, 0.9), "not here"),
        (3, (2.5, 3.1), "holds"),
        (3, (1.5, 2.9), "less"),
        (3, (0.9, 5.0), "unclear"),
        (3, (0.2, 0.9), "not here"),
        (1, (0.8, 1.3), "holds"),
        (1, (0.5, 4.0), "unclear"),
        (1, (1.6, 4.0), "not here"),
        (1, (0.2, 0.6), "not here"),
    ],
)
def test_a_claim_is_judged_by_the_spread_and_not_by_the_middle(times, interval, judged):
    assert claim(times=times).verdict_on(*interval) == judged


def test_a_race_becomes_times_a_floor_and_findings(outcome):
    assert outcome.sizes == (10, 100, 1000) and outcome.whole
    assert outcome.floor == tuple(8 * n / 1e10 for n in outcome.sizes)
    assert [[time.name for time in times] for times in outcome.times] == [["sum", "add"]] * 3
    first, second = outcome.findings
    low, middle, high = first.ratio
    assert 0 < low <= middle <= high
    assert first.judged in ("holds", "unclear", "not here")
    assert (second.judged, second.ratio, second.why) == ("not tried", None, "It needs nowhere.")
    assert "Not here, since it is not installed: nowhere." in outcome.notes


def test_the_ratio_says_how_many_times_as_fast():
    """Against the one mistake that would turn every claim round."""
    seconds = {"sum": 0.02, "add": 0.01}
    race = headlines._measure.sweep(toy().contestants, (10, 100), seconds=0.01).races[-1]
    timings = [dataclasses.replace(one, samples=(seconds[one.name],) * 5) for one in race.timings]
    fixed = dataclasses.replace(race, timings=tuple(timings))
    finding = headlines._measure._finding(claim(times=2), fixed, ())
    assert finding.ratio == pytest.approx((2, 2, 2))
    assert finding.judged == "holds"


def test_fewer_sizes_are_not_the_sources_own():
    found = headlines.measure(toy(), HERE, seconds=0.01, sizes=2)
    assert found.sizes == (10, 100) and not found.whole
    assert "The source's own size was left out" in repr(headlines.Results(HERE, (found,)))


def test_what_was_found_is_kept_in_a_file_and_read_again(results, tmp_path):
    (tmp_path / "found.json").write_text(results.to_json(), encoding="utf-8")
    again = headlines.read(tmp_path / "found.json")
    assert again == results
    assert repr(again) == repr(results)
    assert again.outcomes[0].findings == results.outcomes[0].findings


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"machine": {"platform": "cpu"}, "outcomes": []}'])
def test_another_file_is_refused_by_name(text, tmp_path):
    (tmp_path / "found.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="found.json is not what `jaxcourse bench --json` writes"):
        headlines.read(tmp_path / "found.json")


def test_the_report_says_all_of_it_in_words_and_in_the_picture(results):
    text = repr(results)
    for part in ("toy: A sum", "n = 1,000", "times the floor", '"add against sum"', "it rains", "Because."):
        assert part in text
    picture = results.picture()
    assert "add against sum" in picture.svg and "add against sum" in picture.alt
    assert "nowhere" not in picture.svg, "what was not tried has no bar"
    assert picture.html in results._repr_html_()


@pytest.mark.parametrize("name", HEADLINES)
def test_each_headline_runs_at_a_size_of_no_work(name):
    """The races themselves say whether all contestants compute the same; set-ups are left to processes of their own."""
    small = dataclasses.replace(HEADLINES[name], sizes=(10, 20, 40))
    command = f"""
import dataclasses, json
from jaxcourse_author import headlines
small = dataclasses.replace(headlines.HEADLINES[{name!r}], sizes={small.sizes})
here = headlines.Machine(**json.loads({json.dumps(dataclasses.asdict(HERE))!r}))
print(headlines.Results(here, (headlines.measure(small, here, seconds=0.01),)).to_json())
"""
    done = _run.subprocess.run([_run.sys.executable, "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (found,) = headlines._results.of_dict(json.loads(done.stdout)).outcomes
    assert len(found.findings) == len(small.claims)
    assert {finding.judged for finding in found.findings} <= set(headlines._results.SAID)
    assert all(finding.why for finding in found.findings)


def test_one_that_fails_leaves_the_others_alone(monkeypatch, outcome):
    def asked(name, *options):
        if name == "machine":
            return dataclasses.asdict(HERE)
        if name == "broken":
            raise ValueError("`broken` could not be measured: no memory")
        assert options[options.index("--sizes") + 1] == "2"
        return json.loads(json.dumps(dataclasses.asdict(outcome)))

    monkeypatch.setattr(_run, "_measure_apart", asked)
    told = []
    found = headlines.run([toy(name="broken"), toy()], quick=True, say=lambda *what: told.append(what))
    assert [one.name for one in found.outcomes] == ["toy"]
    assert found.failed == ("`broken` could not be measured: no memory",)
    assert [name for _, _, name in told] == ["what this machine does at best", "broken", "toy", ""]


def test_a_process_that_ends_badly_says_its_last_words():
    with pytest.raises(ValueError, match="`nothing` could not be measured: KeyError: 'nothing'"):
        _run._measure_apart("nothing", "--machine", json.dumps(dataclasses.asdict(HERE)))


def test_the_command_writes_what_it_finds(monkeypatch, tmp_path, capsys, results):
    monkeypatch.setattr(headlines, "run", lambda some, **how: results)
    files = tmp_path / "found.json", tmp_path / "found.svg"
    assert cli.main(["bench", "--only", "ewma", "--json", str(files[0]), "--picture", str(files[1])]) == 1
    assert headlines.read(files[0]).failed == results.failed
    assert files[1].read_text(encoding="utf-8").startswith("<svg")
    assert "add against sum" in capsys.readouterr().out


def test_an_unknown_headline_is_named(capsys):
    assert cli.main(["bench", "--only", "ewma", "fortran"]) == 2
    assert "there is no fortran; there are ewma, quadratic" in capsys.readouterr().err
