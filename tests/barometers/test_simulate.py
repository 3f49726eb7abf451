"""The season: what comes in is what its model says, and the truth is beside it."""

import numpy as np
import pandas as pd
import pytest

from jaxcourse.barometers import DAY, EARTH, START, Truth, distance, nodes, simulate, wave_shape


@pytest.fixture(scope="module")
def season():
    """A day of twelve stations."""
    return simulate(seed=3, stations=12, days=1.0)


def true_times(season):
    """Of each reading, by the clocks as they are: seconds since START."""
    clocks = pd.DataFrame(season.clocks, columns=["offset", "drift"], index=season.stations["station"])
    its = clocks.loc[season.readings["station"]].reset_index(drop=True)
    stamp = (season.readings["stamp"] - START).dt.total_seconds()
    return (stamp - its["offset"]) / (1 + its["drift"] / DAY)


def test_the_same_seed_gives_the_same_season_and_another_one_other_weather_at_the_same_places(season):
    again, other = simulate(3, 12, 1.0), simulate(4, 12, 1.0)
    for table in ("readings", "uploads", "stations"):
        pd.testing.assert_frame_equal(getattr(season, table), getattr(again, table))
    pd.testing.assert_frame_equal(season.stations, other.stations)
    assert np.array_equal(season.clocks, other.clocks)
    assert not season.readings.head(100).equals(other.readings.head(100))
    assert not season.stations.equals(simulate(3, 12, 1.0, layout=8).stations)


def test_readings_come_in_the_order_of_true_time_and_within_it(season):
    true = true_times(season).to_numpy()
    assert np.diff(true).min() > -1.1  # stamps are whole seconds
    assert true.min() > -1 and true.max() < DAY + 1


def test_stations_lie_apart_read_in_their_own_period_and_miss_some(season):
    places = season.stations
    far = distance(*(places[[name]].to_numpy() for name in ("lat", "lon")), places["lat"], places["lon"])
    assert far[~np.eye(12, dtype=bool)].min() > 40
    counts = season.readings["station"].value_counts().loc[places["station"]].to_numpy()
    share = counts * places["period"].to_numpy() / DAY
    assert (share < 1.01).all() and (share > 0.5).all() and share.mean() < 0.98
    assert 0.01 < season.readings["pressure"].isna().mean() < 0.03


def test_uploads_tell_the_clock_but_for_a_delay_that_is_now_and_then_long(season):
    its = season.uploads.merge(season.stations.assign(offset=season.clocks[:, 0], drift=season.clocks[:, 1]))
    server = (its["server"] - START).dt.total_seconds()
    ahead = (its["stamp"] - its["server"]).dt.total_seconds()
    delay = (its["offset"] + its["drift"] * server / DAY - ahead).to_numpy()
    assert delay.min() > -1 and np.median(delay) < 6
    assert 0.01 < np.mean(delay > 250) < 0.15


def test_the_wave_is_all_that_a_quiet_season_lacks():
    truth = Truth(origin=0.1 * DAY)
    loud, quiet = simulate(5, 10, 0.2, truth), simulate(5, 10, 0.2, truth, quiet=True)
    assert loud.readings["stamp"].equals(quiet.readings["stamp"])
    far = distance(truth.lat, truth.lon, loud.stations["lat"], loud.stations["lon"])
    far = pd.Series(far, loud.stations["station"]).loc[loud.readings["station"]].to_numpy()
    u = (true_times(loud) - truth.origin - far / truth.speed) / truth.width
    wave = truth.amplitude * np.sqrt(500 / far) * -u * np.exp((1 - u**2) / 2)
    off = (loud.readings["pressure"] - quiet.readings["pressure"] - wave).dropna().abs()
    assert off.max() < 0.03 and (loud.readings["pressure"] != quiet.readings["pressure"]).mean() > 0.1


def test_the_wave_rises_to_one_and_falls_as_far():
    u = np.linspace(-5, 5, 1001)
    assert wave_shape(u).max() == pytest.approx(1) and u[wave_shape(u).argmax()] == pytest.approx(-1)
    assert np.allclose(wave_shape(-u), -wave_shape(u)) and abs(wave_shape(5.0)) < 1e-4


def test_distances_are_those_between_vectors():
    rng = np.random.default_rng(0)
    lat, lon = rng.uniform(-90, 90, (2, 50)), rng.uniform(-180, 180, (2, 50))
    rad = np.radians([lat, lon])
    places = np.stack([np.cos(rad[0]) * np.cos(rad[1]), np.cos(rad[0]) * np.sin(rad[1]), np.sin(rad[0])])
    want = EARTH * np.arccos((places[:, 0] * places[:, 1]).sum(axis=0))
    assert np.allclose(distance(lat[0], lon[0], lat[1], lon[1]), want, atol=1e-3)


def test_nodes_cover_where_it_may_have_been_row_by_row():
    lat, lon = nodes()
    assert (lat.min(), lat.max(), lon.min(), lon.max()) == (38, 58, -5, 27)
    assert len(set(zip(lat.tolist(), lon.tolist(), strict=True))) == len(lat) == 2665
    assert np.diff(lon[:65]).tolist() == [0.5] * 64 and lat.dtype == lon.dtype == np.float32
    assert len(nodes(1.0)[0]) == 21 * 33
