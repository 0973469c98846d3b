#!/bin/sh
# Installs or upgrades Slipway: fetches a release, believes it only when its signature and checksum are right, unpacks it to a
# private folder and hands over to `slipway setup`, which shows its plan first. Nothing is changed before that.
#
#   curl -fsSL https://…/install.sh | sudo sh -s -- --email you@example.com --domain slipway.example.com
#   sh install.sh --from DIR -- --yes        from files that are here already
#
# Everything is in a function that the last line calls: half a download does nothing.
set -eu

main() {
  from=${SLIPWAY_INSTALL_FROM:-@FROM@}
  while [ $# -gt 0 ]; do
    case $1 in
      --from) from=$2; shift 2 ;;
      --) shift; break ;;
      *) break ;;
    esac
  done
  [ "$(id -u)" = 0 ] || fail 'Run it as root: it installs packages and a service.'
  for program in openssl sha256sum tar xz; do
    command -v $program >/dev/null || fail "It needs $program. Install it first: apt-get install openssl coreutils tar xz-utils"
  done
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) platform=linux-x64 ;;
    Linux-aarch64) platform=linux-arm64 ;;
    *) fail "There is no release for $(uname -s) on $(uname -m)." ;;
  esac
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  for file in SHA256SUMS SHA256SUMS.sig; do bring "$file"; done
  believed || fail 'The signature of the list of checksums is not right. Nothing was changed.'
  archive=$(sed -n "s/^[0-9a-f]\{64\}  \(slipway-[0-9A-Za-z.+-]*-$platform\.tar\.xz\)\$/\1/p" "$folder/SHA256SUMS")
  [ -n "$archive" ] || fail "The release has no archive for $platform."
  bring "$archive"
  (cd "$folder" && grep "  $archive\$" SHA256SUMS | sha256sum --check --status) ||
    fail "$archive is not what was signed. Nothing was changed."
  tar -C "$folder" -xf "$folder/$archive"
  "$folder/${archive%.tar.xz}/bin/slipway" setup install "$@"
}

bring() {
  case $from in
    http*) curl -fsSL --proto '=https,http' --retry 3 -o "$folder/$1" "$from/$1" || fail "$from/$1 cannot be fetched." ;;
    *) cp "$from/$1" "$folder/$1" || fail "There is no $from/$1." ;;
  esac
}

# Any of the keys will do, so that one can be retired.
believed() {
  keys | awk -v into="$folder/key" '/BEGIN/ { n++ } { print > into n ".pem" }'
  for key in "$folder"/key*.pem; do
    openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$folder/SHA256SUMS" -sigfile "$folder/SHA256SUMS.sig" \
      >/dev/null 2>&1 && return 0
  done
  return 1
}

keys() {
  cat <<'KEYS'
@KEYS@
KEYS
}

fail() {
  echo "$1" >&2
  exit 1
}

main "$@"
