"""Who does the work: processes of this machine, or a Dask cluster. Each takes a `Job` and gives its result back.

A `Pool` hands out jobs, replaces workers that died, and tries their jobs again.
"""

from jaxcourse_grade.workers._pool import ATTEMPTS as ATTEMPTS
from jaxcourse_grade.workers._pool import Pool as Pool
from jaxcourse_grade.workers._pool import WorkersDied as WorkersDied
from jaxcourse_grade.workers._pool import dask as dask
from jaxcourse_grade.workers._pool import local as local
from jaxcourse_grade.workers._worker import Conditions as Conditions
from jaxcourse_grade.workers._worker import Job as Job

__all__ = ["ATTEMPTS", "Conditions", "Job", "Pool", "WorkersDied", "dask", "local"]
