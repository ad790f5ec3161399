#!/bin/sh
# Installs the system packages that only tests need, where that is allowed: as root or by sudo without a password.
# Elsewhere it says what is missing; the tests that need it skip with a reason.
missing=""
have() { command -v "$1" >/dev/null 2>&1; }

have mosquitto || [ -x /usr/sbin/mosquitto ] || missing="$missing mosquitto"
have gcc || missing="$missing gcc libc6-dev"
have g++ || missing="$missing g++"
python3 -c 'import os, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null ||
    missing="$missing python3-dev"
have avr-gcc || missing="$missing gcc-avr binutils-avr"
[ -e /usr/lib/avr/include/avr/io.h ] || missing="$missing avr-libc"
[ -e /usr/include/simavr/sim_avr.h ] || missing="$missing libsimavr-dev"
[ -e /usr/include/libelf.h ] || missing="$missing libelf-dev"
have chromium || have chromium-browser || have google-chrome || missing="$missing chromium"
have node || missing="$missing nodejs"

[ -z "$missing" ] && exit 0
if ! have apt-get; then
    echo "Not installed:$missing (no apt-get here). Tests that need them will skip." >&2
    exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif have sudo && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "Not installed:$missing (needs root). Tests that need them will skip; to run them: sudo apt-get install$missing" >&2
    exit 0
fi
echo "Installing for the tests:$missing ..."
# shellcheck disable=SC2086  # lists of words on purpose
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >/dev/null ||
    echo "apt-get could not install$missing. Tests that need them will skip." >&2
