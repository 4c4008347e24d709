#!/bin/sh
# Process 1 of a container cannot be killed from inside it, not even by itself. The service kills
# itself when it cannot end in another way, so it runs as a child of this script, which passes
# signals on and ends with its exit code.
"$@" <&0 &
child=$!
trap 'kill -TERM "$child"' TERM INT
while :; do
  wait "$child"
  code=$?
  # A signal ends `wait` before the child has ended.
  kill -0 "$child" 2>/dev/null || exit "$code"
done
