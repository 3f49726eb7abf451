"""What the exercises of lesson 50 share."""

WORDS = """
changed-input: You changed `{changed}`, and the caller has lost the original. Work on a copy.
"""
