"""`df.jaxcourse`: what pandas users expect, with all three steps in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxcourse.frames._apply import apply
from jaxcourse.frames._encode import moments_of
from jaxcourse.frames._mean import ewma
from jaxcourse.frames._step import Step
from jaxcourse.frames._times import Times


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
        min_periods: int | None = 0,
        adjust: bool = True,
        ignore_na: bool = False,
        *,
        times: Any = None,
    ) -> Ewm:
        """The exponentially weighted mean, with the arguments of `DataFrame.ewm`.

        Raises:
            ValueError, TypeError: as `ewma` does; a `FrameError` if `times` does not fit the rows.
        """
        step = ewma(
            com,
            span,
            halflife,
            alpha,
            min_periods=min_periods,
            adjust=adjust,
            ignore_na=ignore_na,
            times=times is not None,
        )
        return Ewm(self.data, step, None if times is None else moments_of(times, rows=len(self.data)))

    def apply(self, step: Step, **options: Any) -> Any:
        """Any step: see `frames.apply`."""
        return apply(step, self.data, **options)


@dataclass(frozen=True)
class Ewm:
    """What `.jaxcourse.ewm(...)` gives."""

    data: Any
    step: Step
    times: Times | None

    def mean(self) -> Any:
        """See `ewma`."""
        return apply(self.step, self.data, times=self.times)


def register() -> None:
    """Give DataFrames and Series of pandas the attribute `jaxcourse`. Importing `jaxcourse.frames` does so, too.

    Raises:
        ImportError: if pandas is not installed.
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
