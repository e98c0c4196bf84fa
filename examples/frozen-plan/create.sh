#!/bin/sh
# Creates a small project in the folder it is given: a greeting, its rules and its tests.
set -eu
mkdir -p "$1/src" "$1/tools"
cd "$1"

cat > src/greeting.txt <<'TEXT'
Hello, world
TEXT

cat > tools/lint.sh <<'TEXT'
# No line may end with a space.
set -eu
if grep -n ' $' src/greeting.txt; then
  echo "a line ends with a space" >&2
  exit 1
fi
echo "the greeting is tidy"
TEXT

cat > tools/change.sh <<'TEXT'
# Greets with another word.
set -eu
echo "$1, world" > src/greeting.txt
TEXT

cat > tools/test.sh <<'TEXT'
# Somebody is greeted.
set -eu
grep ', world$' src/greeting.txt
TEXT
