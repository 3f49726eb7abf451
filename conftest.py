"""What is asked of pytest: all of it, what `make test` asks, or what a change reaches; and what tests cost."""

pytest_plugins = ["left_out", "costs", "proven", "touched"]
