#!/bin/sh
# Creates a git repository in the folder it is given: a greeting, its tests and its rules.
set -eu
mkdir -p "$1"
cd "$1"
git init -q -b main
git config user.name "An agent"
git config user.email agent@example.invalid
git config commit.gpgsign false
git config gc.auto 0
mkdir -p src tools

cat > src/greeting.sh <<'END'
greeting() {
  echo "Hello, $1"
}
END

cat > tools/lint.sh <<'END'
# Every script must be one, and no line may end with a space.
set -eu
for file in "$1"/*.sh; do
  sh -n "$file"
  if grep -n ' $' "$file"; then
    echo "$file: a line ends with a space" >&2
    exit 1
  fi
done
echo "all scripts of $1 are tidy"
END

cat > tools/change.sh <<'END'
# Changes the greeting's word on a branch of its own, and leaves main as it was.
set -eu
git switch -q -c topic
sed "s/Hello/$1/" src/greeting.sh > src/greeting.new
mv src/greeting.new src/greeting.sh
git commit -q -a -m "Say $1"
git switch -q main
git log --oneline main..topic
END

cat > tools/test.sh <<'END'
# The greeting greets by name, in one line.
set -eu
. ./src/greeting.sh
said=$(greeting world)
case $said in
  *", world") echo "it said: $said" ;;
  *) echo "expected a greeting of the world, but it said: $said" >&2; exit 1 ;;
esac
END

git add -A
git commit -q -m "A greeting with its tests"
