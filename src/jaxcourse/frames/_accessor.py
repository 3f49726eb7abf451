"""`df.jaxcourse`: what pandas users expect, with all three steps in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxcourse.frames._apply import apply
from jaxcourse.frames._covariance import ewm_cov, ewm_std, ewm_var
from jaxcourse.frames._encode import Encoded, encode
from jaxcourse.frames._mean import ewma
from jaxcourse.frames._step import Step
from jaxcourse.frames._windows import diff, lag, rolling_mean


@dataclass(frozen=True)
class Accessor:
    """The attribute `jaxcourse` of a DataFrame or Series of pandas.

    Example:
        >>> import pandas as pd
        >>> import jaxcourse.frames
        >>> pd.DataFrame({"a": [1.0, 3.0]}).jaxcourse.ewm(alpha=0.5, adjust=False).mean()["a"].tolist()
        [1.0, 2.0]
    """

    data: Any

    def ewm(
        self,
        com: float | None = None,
        span: float | None = None,
        halflife: Any = None,
        alpha: float | None = None,
        min_periods: int = 0,
        adjust: bool = True,
        ignore_na: bool = False,
        *,
        times: Any = None,
    ) -> Ewm:
        """Exponentially weighted statistics, with the arguments of `DataFrame.ewm`."""
        options = dict(com=com, span=span, halflife=halflife, alpha=alpha)
        return Ewm(self.data, {**options, "min_periods": min_periods, "adjust": adjust, "ignore_na": ignore_na}, times)

    def rolling(self, window: int, min_periods: int | None = None) -> Rolling:
        """Statistics of the last `window` rows, with the arguments of `DataFrame.rolling`."""
        return Rolling(self.data, window, min_periods)

    def shift(self, n: int = 1) -> Any:
        """The row `n` rows ago: see `lag`."""
        return apply(lag(n), self.data)

    def diff(self, n: int = 1) -> Any:
        """The change since `n` rows ago: see `diff`."""
        return apply(diff(n), self.data)

    def apply(self, step: Step, **options: Any) -> Any:
        """Any step: see `frames.apply`."""
        return apply(step, self.data, **options)

    def encode(self, **options: Any) -> Encoded:
        """The first of the three steps: see `frames.encode`."""
        return encode(self.data, **options)


@dataclass(frozen=True)
class Ewm:
    """What `.jaxcourse.ewm(...)` gives."""

    data: Any
    options: dict[str, Any]
    times: Any

    def mean(self) -> Any:
        """See `ewma`."""
        return apply(ewma(**self.options, times=self.times is not None), self.data, times=self.times)

    def var(self, bias: bool = False) -> Any:
        """See `ewm_var`."""
        return self._without_times(ewm_var(**self.options, bias=bias))

    def std(self, bias: bool = False) -> Any:
        """See `ewm_std`."""
        return self._without_times(ewm_std(**self.options, bias=bias))

    def cov(self, bias: bool = False) -> Any:
        """The covariances of all pairs of columns, see `ewm_cov`."""
        return self._without_times(ewm_cov(**self.options, bias=bias))

    def _without_times(self, step: Step) -> Any:
        if self.times is not None:
            raise NotImplementedError("only the mean takes times, as in pandas")
        return apply(step, self.data)


@dataclass(frozen=True)
class Rolling:
    """What `.jaxcourse.rolling(...)` gives."""

    data: Any
    window: int
    min_periods: int | None

    def mean(self) -> Any:
        """See `rolling_mean`."""
        return apply(rolling_mean(self.window, min_periods=self.min_periods), self.data)


def register() -> None:
    """Give DataFrames and Series of pandas the attribute `jaxcourse`. Importing `jaxcourse.frames` does so, too.

    Raises:
        ImportError: If pandas is not installed.
    """
    import pandas as pd

    for kind in (pd.DataFrame, pd.Series):
        if "jaxcourse" not in kind._accessors:
            register_one = (
                pd.api.extensions.register_dataframe_accessor
                if kind is pd.DataFrame
                else pd.api.extensions.register_series_accessor
            )
            register_one("jaxcourse")(Accessor)
