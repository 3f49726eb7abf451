#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the assignment.
set -euo pipefail
home="${AUTOGRADER:-/autograder}"
cd "$home/source"

# An image's own Python may be older than 3.11. uv fetches one that is not, whatever the image is.
if ! python3 -m venv "$home/uv"; then
    apt-get install -y python3-venv
    python3 -m venv "$home/uv"
fi
"$home/uv/bin/pip" install --quiet uv
"$home/uv/bin/uv" venv --quiet --clear --python 3.13 "$home/python"
"$home/uv/bin/uv" pip install --quiet --python "$home/python" --constraint course/requirements.txt \
    --editable "./course[grade,lessons]"
