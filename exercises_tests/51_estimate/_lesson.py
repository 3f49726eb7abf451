"""What the exercises of lesson 51 share."""

WORDS = """
changed-input: `{changed}` is not what it was: your function changed the list that it was given.
"""
