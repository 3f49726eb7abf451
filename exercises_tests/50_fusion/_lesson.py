"""What the exercises of lesson 50 share."""

WORDS = """
changed-input: `{changed}` is not what it was: whoever called the function has lost the original.
"""
