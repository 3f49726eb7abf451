"""Sheets: pages of one side of paper, made of tables, cells, pictures and recaps that lessons have."""

from jaxcourse_author.sheets._file import SHEETS as SHEETS
from jaxcourse_author.sheets._file import Piece as Piece
from jaxcourse_author.sheets._file import Sheet as Sheet
from jaxcourse_author.sheets._file import read_sheets as read_sheets
from jaxcourse_author.sheets._found import Excerpt as Excerpt
from jaxcourse_author.sheets._found import PieceError as PieceError
from jaxcourse_author.sheets._found import emptied_pages as emptied_pages
from jaxcourse_author.sheets._found import excerpts as excerpts
from jaxcourse_author.sheets._found import problems as problems

__all__ = ["SHEETS", "Excerpt", "Piece", "PieceError", "Sheet", "emptied_pages", "excerpts", "problems", "read_sheets"]
