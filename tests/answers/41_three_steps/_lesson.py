"""What the answers to lesson 41 share."""

LAST_PARAMETER = []
