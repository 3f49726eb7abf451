"""What a step begins with: the reader's own result if the answer has passed, else the course's; what is shipped."""

import jax
import numpy as np
import pytest

from jaxcourse.barometers import _begin, _course, _steps, begin, initial, sighted, simulate

UNTOUCHED = ("clocks", "one-grid", "train")
"""These are shipped, so that nothing is computed."""


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(_begin, "_computed", {})


def passing(monkeypatch, **answers):
    """Let answers have passed their checks: by their variables."""
    monkeypatch.setattr(_begin, "passed_answer", lambda name: answers.get(name.replace("-", "_")))


@pytest.mark.parametrize("name", UNTOUCHED)
def test_without_an_answer_it_is_the_courses_and_a_copy_of_it(name, capsys):
    first = begin(name)
    assert capsys.readouterr().out == f"{name}: the course's\n"
    if name == "train":
        first["last"][:] = 0
        assert begin(name)["last"].any()
    else:
        first[:] = 0
        assert begin(name).any()


def test_an_unknown_step_is_answered_by_those_that_there_are():
    with pytest.raises(ValueError, match="no step 'clock'. There are clocks, one-grid, known-then, .*, bars-that-hold"):
        begin("clock")


def test_what_has_passed_is_asked_with_the_courses_inputs(monkeypatch, capsys):
    asked = []

    def clocks(day, ahead, there):
        asked.append((day.shape, ahead.shape, there.shape))
        return np.zeros((40, 2), np.float32)

    def known_then(x):
        return [x]

    passing(monkeypatch, clocks=clocks, known_then=known_then)
    found = begin("clocks")
    assert not found.any() and found.dtype == np.float64 and asked[0][0][0] == 40 and len(set(asked[0])) == 1
    assert np.array_equal(begin("known-then")[0], begin("one-grid"), equal_nan=True)  # and not what `clocks` leads to
    assert capsys.readouterr().out == "clocks: your own\nknown-then: your own\none-grid: the course's\n"


def test_an_answer_is_asked_once_and_another_one_again(monkeypatch):
    calls = []
    for _ in range(2):

        def train(filled, heard, calls=calls):
            calls.append(filled.shape)
            return initial(1)

        passing(monkeypatch, train=train)
        begin("train")
        begin("train")
    assert calls == [(4320, 40)] * 2


def test_an_answer_that_raises_is_said_and_left(monkeypatch, capsys):
    passing(monkeypatch, one_grid=lambda readings, stations, clocks, minutes: 1 / 0)
    assert np.array_equal(begin("one-grid"), _course.kept().x, equal_nan=True)
    assert capsys.readouterr().out == "one-grid: the course's, since yours raised ZeroDivisionError\n"


def test_a_function_is_given_as_it_is(monkeypatch, capsys):
    def quiet_loss(params, window, heard, reading, there): ...

    assert begin("every-window") is _steps.every_window
    assert capsys.readouterr().out == "every-window: the course's\n"
    assert begin("quiet-loss") is _steps.quiet_loss
    passing(monkeypatch, quiet_loss=quiet_loss)
    assert begin("quiet-loss") is quiet_loss
    assert capsys.readouterr().out == "quiet-loss: the course's\nquiet-loss: your own\n"


def test_a_readers_network_cleans_the_record(monkeypatch):
    passing(monkeypatch, train=lambda filled, heard: initial())
    theirs = begin("innovations")[1]
    want = _course.calm(initial(), _course.kept().x)[1]
    assert np.array_equal(theirs, want) and theirs.sum() != _course.clean_record()[1].sum()


def test_all_answers_of_the_course_give_what_the_course_has(monkeypatch, capsys):
    far, (score, _) = _course.far(), _course.traces()
    passing(
        monkeypatch,
        travel_times=_steps.travel_times,
        scores=_steps.scores,
        the_map=lambda *given: _steps.the_map(*given[:3], first=given[3], count=given[4]),
        bars_that_hold=_steps.fit,
    )
    assert np.array_equal(begin("travel-times"), far)
    # An innovation at the edge of the clip falls on either side of it, as the compiler rounds.
    near = np.isclose(begin("scores")[0], score, atol=1e-3 * np.abs(score).max())
    assert near.mean() > 0.99
    assert np.array_equal(begin("the-map")[0], _course.course_map()[0])
    theta, covariance = begin("bars-that-hold")
    want, _ = _course.found_source()
    assert np.allclose(theta, want, rtol=1e-3) and covariance.shape == (5, 5)
    assert capsys.readouterr().out.count("your own") == 4


def test_the_answer_of_the_whole_season_is_what_was_planted():
    theta, covariance = _course.found_source()
    truth, best = _course.network().truth, int(np.argmax(_course.course_map()[0]))
    lat, lon = (float(angles[best]) for angles in _course.nodes())
    degree = np.pi / 180 * 6371.0
    planted = [
        (truth.lon - lon) * degree * np.cos(np.radians(lat)),
        (truth.lat - lat) * degree,
        truth.origin / 60,
        truth.speed,
        truth.amplitude,
    ]
    assert (np.abs(theta - planted) < 3 * np.sqrt(np.diag(covariance))).all()


def test_the_fit_is_given_the_rows_that_the_lesson_gives_it():
    """Else the lesson's last pages show another place than its own cell did."""
    filled, heard, source = begin("innovations")
    first = int(begin("the-map")[1][np.argmax(begin("the-map")[0])]) - 60
    rows = slice(first, first + 170)
    want = filled[rows], np.maximum(source[rows] - first, 0), heard[rows]
    for got, wanted in zip(_course.stretch().record, want, strict=True):
        np.testing.assert_array_equal(got, wanted)


# -- what is shipped ----------------------------------------------------------------------------------------------


def test_what_is_shipped_is_what_the_seed_gives():
    with jax.numpy_dtype_promotion("standard"):  # optax promotes
        made = _course.make_shipped()
    kept = _course.kept()
    again = "write it anew by `python -m jaxcourse.barometers`"
    assert np.allclose(made.clocks, kept.clocks, atol=0.05), again
    assert np.array_equal(np.isnan(made.x), np.isnan(kept.x)) and np.nanmax(np.abs(made.x - kept.x)) < 1e-9, again
    _, filled, heard = _steps.known_then(kept.x)
    ours, theirs = (_steps.loss_of(params, filled, heard) for params in (made.weights, kept.weights))
    assert np.allclose(ours, theirs, atol=0.02), again
    assert {name: leaf.shape for name, leaf in kept.weights.items()} == {k: v.shape for k, v in initial().items()}


def test_what_is_shipped_takes_little_room_and_comes_back_as_it_was():
    assert _course.FILE.stat().st_size < 160_000
    kept = _course.kept()
    again = _course.unpack(_course.pack(kept))
    assert np.array_equal(again.x, kept.x, equal_nan=True) and np.array_equal(again.clocks, kept.clocks)


def test_a_mean_that_the_file_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="more than three readings"):
        _course.pack(_course.ShippedData(np.zeros((1, 2)), np.array([[1000.0], [1000 + 1 / 700]]), {}))


def test_with_their_own_clocks_and_without_a_wave_nothing_is_found():
    season, quiet = simulate(0), simulate(0, quiet=True)
    mended, own, nothing = sighted(season), sighted(season, np.zeros((40, 2))), sighted(quiet)
    assert mended.statistic > 1.4 * max(own.statistic, nothing.statistic)
    assert abs(mended.minute - season.truth.origin / 60) < 20
