"""The steps, each on a truth that was planted."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from jax.flatten_util import ravel_pytree

from jaxcourse import devices
from jaxcourse.barometers import DAY, START, Truth, _quiet, _steps, distance, initial, innovations, predict, simulate

TRUTH = Truth(origin=0.25 * DAY, amplitude=0.4)


@pytest.fixture(scope="module")
def season():
    """Half a day of fifteen stations, with a strong wave."""
    return simulate(seed=1, stations=15, days=0.5, truth=TRUTH)


@pytest.fixture(scope="module")
def x(season):
    """Its minute means, by the true clocks."""
    return _steps.minute_means(season.readings, season.stations, season.clocks, 720)


# -- the clocks, one grid, what was known then --------------------------------------------------------------------


def test_clocks_are_told_in_spite_of_late_uploads():
    season = simulate(seed=2, stations=8, days=3.0)
    found = np.asarray(_steps.clock_fits(*_steps.padded(season.uploads, season.stations["station"])))
    off = np.abs(found - season.clocks)
    assert off[:, 0].max() < 10 and off[:, 1].max() < 3


def test_padding_says_nothing():
    season = simulate(seed=2, stations=4, days=3.0)
    day, ahead, there = _steps.padded(season.uploads, season.stations["station"])
    fill = (
        np.ones((4, 40)),
        ahead[:, :1] + np.full((4, 40), 8.0),
        np.zeros((4, 40)),
    )  # they would pull, and are not there
    wide = [np.concatenate(pair, axis=1, dtype=np.float32) for pair in zip((day, ahead, there), fill, strict=True)]
    assert np.allclose(_steps.clock_fits(*wide), _steps.clock_fits(day, ahead, there), atol=0.05)


def test_minute_means_are_those_of_a_table(season, x):
    names, clocks = season.stations["station"], pd.DataFrame(season.clocks, season.stations["station"])
    table = season.readings.merge(clocks, left_on="station", right_index=True)
    seconds = ((table["stamp"] - START).dt.total_seconds() - table[0]) / (1 + table[1] / DAY)
    means = table.assign(minute=(seconds // 60).astype(int)).groupby(["minute", "station"])["pressure"].mean()
    assert np.allclose(x, means.unstack().reindex(index=range(720), columns=names), equal_nan=True)
    assert 0.05 < np.isnan(x).mean() < 0.5


def test_readings_before_the_start_are_in_no_minute():
    when = START + pd.to_timedelta([-30, 3700], unit="s")
    readings = pd.DataFrame({"station": "a", "stamp": when, "pressure": [900.0, 901.0]})
    x = _steps.minute_means(readings, pd.DataFrame({"station": ["a", "b"]}), np.zeros((2, 2)), 60)
    assert np.isnan(x).all()


def test_what_was_known_then_is_the_last_of_a_loop(x):
    x = np.concatenate([x[:200, :4], np.full((200, 1), np.nan)], axis=1)
    x[:9, 1] = np.nan
    source, filled, heard = _steps.known_then(x)
    for i in range(4):
        known = int(np.flatnonzero(~np.isnan(x[:, i]))[0])
        for t in range(200):
            known = t if not np.isnan(x[t, i]) else known
            assert source[t, i] == known and heard[t, i] == (known == t)
            assert filled[t, i] == pytest.approx(x[known, i] - np.nanmean(x[:, i]), abs=1e-5)
    assert not filled[:, 4].any() and not heard[:, 4].any()


# -- what quiet weather is ----------------------------------------------------------------------------------------


def test_the_loss_is_a_normal_density_and_nothing_where_nothing_came():
    rng = np.random.default_rng(0)
    params, window = initial(1), jnp.asarray(rng.normal(size=24), jnp.float32)
    heard, reading = jnp.ones(24), jnp.float32(0.7)
    mean, log_spread = predict(params, window, heard)
    want = -jax.scipy.stats.norm.logpdf(reading, mean, jnp.exp(log_spread)) - 0.5 * jnp.log(2 * jnp.pi)
    given = jax.value_and_grad(_steps.quiet_loss)
    assert given(params, window, heard, reading, jnp.float32(1))[0] == pytest.approx(float(want), rel=1e-4)
    value, slopes = given(params, window, heard, jnp.float32(jnp.nan), jnp.float32(0))
    assert value == 0 and not any(leaf.any() for leaf in jax.tree.leaves(slopes))


def test_innovations_are_readings_after_their_windows():
    rng = np.random.default_rng(0)
    filled, heard = rng.normal(size=(40, 3)).astype(np.float32), (rng.random((40, 3)) < 0.7).astype(np.float32)
    r = innovations(initial(), filled, heard)
    mean, log_spread = predict(initial(), filled[6:30, 2], heard[6:30, 2])
    want = float(heard[30, 2] * (filled[30, 2] - mean) / jnp.exp(log_spread))
    assert r[6, 2] == pytest.approx(want, rel=1e-4, abs=1e-6)
    assert r.shape == (16, 3) and not np.asarray(r)[heard[24:] == 0].any()


def test_the_network_is_that_of_nnx():
    nnx = pytest.importorskip("flax.nnx")
    rngs = nnx.Rngs(5)
    for name, (wide, high) in {"first": (49, 24), "second": (24, 24), "last": (24, 2)}.items():
        layer = nnx.Linear(wide, high, rngs=rngs)
        assert np.array_equal(layer.kernel[...], initial(5)[name]), name
        assert np.array_equal(layer.bias[...], initial(5)[f"{name}_bias"])


def test_each_example_is_clipped_by_itself():
    rng = np.random.default_rng(0)
    record = jnp.asarray(rng.normal(size=(60, 4)), jnp.float32).at[40, 1].set(30), jnp.ones((60, 4))
    batch = np.array([30, 40, 50, 59] * 4), np.array([0, 1, 2, 3] * 4)
    one = jax.jit(jax.grad(_steps.quiet_loss))
    each = [
        one(initial(), record[0][t - 24 : t, i], jnp.ones(24), record[0][t, i], 1.0) for t, i in np.transpose(batch)
    ]
    each = np.stack([ravel_pytree(slope)[0] for slope in each])
    want = np.linalg.norm(each, axis=1)
    assert want.max() > 10 * np.median(want)
    given = jax.jit(lambda limit: _steps.clipped_gradient(None, _steps.quiet_loss, initial(), record, batch, limit))
    for limit in (0.5 * want.min(), np.median(want), 2 * want.max()):
        mean, lengths = given(limit)
        shortened = each * np.minimum(1, limit / want)[:, None]
        assert np.allclose(lengths, want, rtol=1e-4)
        assert np.allclose(ravel_pytree(mean)[0], shortened.mean(axis=0), rtol=1e-3, atol=1e-4 * limit)


def test_a_batch_in_pieces_needs_one_all_reduce():
    mesh = jax.make_mesh((8,), ("d",), (jax.sharding.AxisType.Auto,), devices=devices.simulate())
    place = lambda tree, *spec: jax.device_put(  # noqa: E731
        tree, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec))
    )
    record = place((jnp.ones((60, 4)), jnp.ones((60, 4))))
    batch = place((jnp.arange(24, 56), jnp.zeros(32, int)), "d")
    given = jax.jit(lambda *args: _steps.clipped_gradient(mesh, _steps.quiet_loss, *args, 1.0))
    text = given.lower(place(initial()), record, batch).compile().as_text()
    assert text.count(" all-reduce(") == 1 and " all-gather(" not in text


def test_rows_are_shared_out_and_none_comes_twice_in_an_epoch():
    rows = [np.concatenate([_steps.rows_of(step, 1003, 64, rank, 5, 2) for rank in range(5)]) for step in range(15)]
    assert all(np.array_equal(parts, _steps.rows_of(step, 1003, 64, seed=2)) for step, parts in enumerate(rows))
    assert len(set(np.concatenate(rows).tolist())) == len(np.concatenate(rows)) == 15 * 64
    assert set(_steps.rows_of(15, 1003, 64, seed=2)) != set(rows[0])


@pytest.fixture(scope="module")
def trained():
    """A network trained on a day and a half of ten stations, a little."""
    season = simulate(seed=7, stations=10, days=1.5, quiet=True)
    record = _steps.minute_means(season.readings, season.stations, season.clocks, 2160)
    _, filled, heard = _steps.known_then(record)
    with jax.numpy_dtype_promotion("standard"):  # optax promotes
        return _steps.train(filled, heard, until=1440, steps=60), filled, heard


def test_training_makes_the_weather_probable_and_is_not_led_by_slams(trained):
    params, filled, heard = trained
    before, _ = _steps.loss_of(initial(), filled, heard, 1440)
    after, spread = _steps.loss_of(params, filled, heard, 1440)
    assert after < before - 0.15 and 0.7 < spread < 1.3


def test_training_does_not_look_at_what_it_is_judged_by(trained):
    params, filled, heard = trained
    other = np.where(np.arange(2160)[:, None] < 1440, filled, np.float32(np.nan))
    with jax.numpy_dtype_promotion("standard"):
        again = _steps.train(other, heard, until=1440, steps=60)
    assert all(np.array_equal(again[name], params[name]) for name in params)


def test_slams_are_taken_out_and_little_else(trained):
    params, filled, _ = trained
    x, slam = np.asarray(filled, np.float64), np.zeros(filled.shape, bool)
    slam[300:2000:170, ::2] = True
    without = np.isnan(_steps.without_slams(params, x + 1.5 * slam))
    assert without[slam].mean() > 0.9 and without[~slam].mean() < 0.02


# -- where, when, how sure ----------------------------------------------------------------------------------------


def test_kilometres_keep_their_digits_and_have_a_gradient_everywhere():
    rng = np.random.default_rng(0)
    lat, lon = (rng.uniform(low, low + 15, 100).astype(np.float32) for low in (40, 0))
    places = lat[:40] + np.float32(1e-3), lon[:40]
    assert np.abs(_steps.travel_times(lat, lon, *places) - distance(lat[:, None], lon[:, None], *places)).max() < 0.01
    slope = jax.grad(lambda lat: _steps.travel_times(lat, lon, lat, lon).sum())(jnp.asarray(lat))
    assert jnp.isfinite(slope).all()


def test_scores_are_the_slope_along_a_wave():
    rng = np.random.default_rng(0)
    x = np.cumsum(0.03 * rng.normal(size=(150, 2)), axis=0)
    x[rng.random(x.shape) < 0.3] = np.nan
    source, filled, heard = _steps.known_then(x)
    level = lambda filled, heard: _quiet.expected(initial(), filled, heard)  # noqa: E731
    shape = _steps.wave_in_minutes()
    found = jax.jit(lambda *record: _steps.scores(level, shape, *record))(filled, source, heard)
    _, yardstick = level(filled, heard)

    @jax.jit
    def cost(height, t, i):
        wave = jax.lax.dynamic_update_slice(jnp.zeros(filled.shape), height * shape[:, None], (t - 16, i))
        calm = jnp.take_along_axis(filled - wave, source, axis=0)
        mean, _ = level(calm, heard)
        return -_steps.huber(heard[24:] * (calm[24:] - mean) / jnp.exp(yardstick), 2.5).sum()

    for t, i in ((60, 0), (90, 1), (120, 0)):
        slope = (cost(1e-3, t, i) - cost(-1e-3, t, i)) / 2e-3
        assert found[t, i] == pytest.approx(float(slope), rel=0.05, abs=1.0)


def test_what_is_usual_is_a_moving_mean_of_squares():
    score = np.random.default_rng(0).normal(size=(500, 2)).astype(np.float32)
    usual = _steps.usual(jnp.asarray(score), half=40)
    assert np.allclose(usual[200], (score[160:241] ** 2).mean(axis=0), rtol=1e-4)
    assert usual.shape == score.shape and (usual > 0).all()


def test_the_map_finds_a_planted_place_and_minute():
    rng = np.random.default_rng(0)
    far = rng.uniform(50, 1200, (30, 8)).astype(np.float32)
    score = rng.normal(size=(600, 8)).astype(np.float32)
    late = (far[17] / 0.31 / 60).astype(int)
    score[250 + late, np.arange(8)] += 5 * np.sqrt(500 / far[17])
    value, when = _steps.the_map(far, score, jnp.ones((600, 8)), 200, 300)
    assert int(value.argmax()) == 17 and int(when[17]) == 250
    weight = np.sqrt(500 / far[17])
    want = (weight * score[250 + late, np.arange(8)]).sum() / np.sqrt((weight**2).sum())
    assert value[17] == pytest.approx(want, rel=1e-4)


PLACES = np.array([[44.0, 47.0, 49.0, 46.0, 51.0, 43.0], [6.0, 12.0, 8.0, 16.0, 13.0, 11.0]], np.float32)


def fitted(seasons, *, held, follows):
    """Fits of a wave that was planted in random walks: thetas, their bars, the truth.

    Args:
        seasons: how many.
        held: whether the spread is that of the record as it is.
        follows: whether the spread follows the last moves; else it is that of the walk.
    """
    rng, truth = np.random.default_rng(0), np.array([15.0, -20, 40, 0.312, 0.12])
    wave = lambda theta: _steps.wave_at(theta, (46.0, 10.0), PLACES, 110)  # noqa: E731

    def level(filled, heard):
        back = jnp.arange(24, len(filled))[:, None] + jnp.arange(-12, 0)[None]
        moves = jnp.abs(jnp.diff(filled, axis=0, prepend=filled[:1]))[back].mean(axis=1)
        return filled[23:-1], jnp.log(0.002 + moves if follows else jnp.full_like(moves, 0.01))

    rows, ones = jnp.arange(110)[:, None] * jnp.ones((1, 6), int), jnp.ones((110, 6))
    start = jnp.asarray(truth + [15, 15, 1, 0, -0.02], jnp.float32)

    def one(calm):
        return _steps.fit(level, wave, start, _steps.UNIT, calm + wave(jnp.float32(truth)), rows, ones, held=held)

    calm = np.cumsum(0.01 * rng.normal(size=(seasons, 110, 6)), axis=1)
    theta, covariance = jax.jit(lambda calm: jax.lax.map(one, calm))(np.float32(calm))
    return np.asarray(theta), np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)), truth


def test_fits_find_the_planted_wave_within_their_bars():
    theta, bars, truth = fitted(24, held=True, follows=False)
    pulls = np.sqrt((((theta - truth) / bars) ** 2).mean(axis=0))
    assert (pulls > 0.5).all() and (pulls < 1.5).all(), pulls


def test_a_yardstick_that_moves_makes_bars_shorter():
    held, moving = (fitted(2, held=held, follows=True)[1] for held in (True, False))
    assert (moving < 0.8 * held).all()
