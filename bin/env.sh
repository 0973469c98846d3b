# Sourced by the other commands: stand in the repository's root with its own Node first in PATH.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ ! -x node_modules/.bin/node ]; then
  echo "Dependencies are not installed. Run bin/setup first." >&2
  exit 1
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH NODE_OPTIONS="--conditions=slipway-source --disable-warning=ExperimentalWarning ${NODE_OPTIONS:-}"
