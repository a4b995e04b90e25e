#!/bin/sh
# Writes requirements/*.txt from pyproject.toml: every version pinned, for every platform and Python that the project
# supports, with the hashes of all its files. Options go to the resolver: `tools/lock.sh --upgrade`.
#
# Pins that still fit stay. The files agree: dev.txt is resolved first and binds the others.
set -eu

cd "$(dirname "$0")/.."
tools=build/lock-venv
if [ ! -x "$tools/bin/uv" ]; then
    .venv/bin/python -m venv --clear "$tools"
    "$tools/bin/python" -m pip install --quiet 'uv>=0.9,<1'
fi

resolve() {
    output=$1
    shift
    "$tools/bin/uv" pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
        --custom-compile-command 'make lock' --output-file "requirements/$output" "$@"
}

resolve dev.txt pyproject.toml --extra dev --group build "$@"
resolve league.txt pyproject.toml --extra league --constraints requirements/dev.txt
resolve run.txt pyproject.toml --constraints requirements/dev.txt
resolve build.txt --group build --constraints requirements/dev.txt
