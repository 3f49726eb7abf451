"""Paths: some sections of the course for some readers, closed under what they need, and presets for those who teach."""

from jaxcourse_author.paths._closed import Gap as Gap
from jaxcourse_author.paths._closed import Walk as Walk
from jaxcourse_author.paths._closed import problems as problems
from jaxcourse_author.paths._closed import walks as walks
from jaxcourse_author.paths._file import PATHS as PATHS
from jaxcourse_author.paths._file import CoursePath as CoursePath
from jaxcourse_author.paths._file import read_paths as read_paths
from jaxcourse_author.paths._preset import preset as preset
from jaxcourse_author.paths._table import table as table
from jaxcourse_author.paths._table import walk_named as walk_named

__all__ = ["PATHS", "CoursePath", "Gap", "Walk", "walk_named", "preset", "problems", "read_paths", "table", "walks"]
