# Sourced by the other commands: stand in the repository's root with its own Node first in PATH.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ ! -x node_modules/.bin/node ]; then
  echo "Dependencies are not installed. Run bin/setup first." >&2
  exit 1
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH NODE_OPTIONS="--conditions=slipway-source --disable-warning=ExperimentalWarning ${NODE_OPTIONS:-}"
# What Node has compiled once it does not compile again: a server from its sources starts with half the work.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$PWD/node_modules/.cache/node-compile}"
