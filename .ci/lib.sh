# shellcheck shell=bash
# Sourced by the scripts beside it.

retry() {
  local left=2
  until "$@"; do
    ((left > 0)) || return 1
    ((left--))
    echo "retrying: $*" >&2
    sleep 3
  done
}
