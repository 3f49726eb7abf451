"""Autograders on other platforms: what `jaxcourse autograder` writes for each, and what is run there.

`github` and `gradescope` are programs: a workflow and a container run them with `python -m`, and the command asks them
for the workflow's file and the container's archive. Both grade one student's work as a class of one (`_alone`).
"""
