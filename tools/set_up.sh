#!/bin/sh
# Makes .venv in the checkout, if there is none that works, and installs into it what `run` or `dev` needs:
#
#     tools/set_up.sh run|dev
#
# PYTHON names the interpreter to use; else the first that is new enough. Everything is pinned and checked against
# its hash (requirements/*.txt), in this order: what builds, with which the rest is built; the rest; the project.
set -eu

oldest=3.11
purpose=${1:-}
cd "$(dirname "$0")/.."
case "$purpose" in
run | dev) ;;
*)
    echo "usage: tools/set_up.sh run|dev" >&2
    exit 2
    ;;
esac

say() {
    echo "set-up: $*" >&2
}

fits() {
    "$1" -c "import sys, venv, ensurepip; sys.exit(sys.version_info < ($(echo "$oldest" | tr . ,)))" 2>/dev/null
}

# What an interpreter that does not fit lacks, in words.
lack_of() {
    version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || return 0
    if "$1" -c "import sys; sys.exit(sys.version_info < ($(echo "$oldest" | tr . ,)))" 2>/dev/null; then
        echo "$1 is $version but cannot make a venv (Debian, Ubuntu: install python3-venv);"
    else
        echo "$1 is $version, too old;"
    fi
}

find_python() {
    lacks=
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        if fits "$candidate"; then
            echo "$candidate"
            return 0
        fi
        lack=$(lack_of "$candidate")
        lacks="$lacks${lack:+ $lack}"
    done
    say "Python >= $oldest is needed and was not found:${lacks:- no python3 at all;}" \
        "install one, or name it: make PYTHON=/path/to/python3"
    return 1
}

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    python=$(find_python)
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
fi

# Nothing that the user has set for pip elsewhere may redirect the installation.
unset PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX PIP_CONSTRAINT PIP_REQUIREMENT
export PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1

install() {
    .venv/bin/python -m pip install --quiet "$@"
}

say "installing what requirements/$purpose.txt pins"
install --require-hashes -r requirements/build.txt
install --require-hashes --no-build-isolation --use-pep517 -r "requirements/$purpose.txt"
install --no-deps --no-build-isolation --editable .
say "done"
