"""What the answers to lesson 18 share."""

LAST_PARAMETER = []
