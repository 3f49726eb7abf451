"""What an author needs, and no reader: notebooks, the contract, skeletons, mutants, other people's answers.

It is in a checkout of the course, and not in what a student installs.
"""
