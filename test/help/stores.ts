import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'

/** The real stores to test against, if configured; otherwise tests use the embedded ones. */
export const stores = {
  postgres: process.env.SVC_TEST_DATABASE_URL,
  redis: process.env.SVC_TEST_REDIS_URL,
  chromium: process.env.SVC_TEST_CHROMIUM,
  bubblewrap: findWorkingBubblewrap(),
  'network namespaces': canMakeNetworks() ? 'unshare' : undefined,
  'control groups': canMakeGroups() ? 'cgroup' : undefined,
  'loop devices': canMountImages() ? 'mount' : undefined,
  exim: ['/usr/sbin/exim4'].find(existsSync),
  helm: process.env.HELM_BIN,
  promtool: process.env.PROMTOOL_BIN,
}

const REASONS = {
  postgres: 'needs Postgres, set SVC_TEST_DATABASE_URL',
  redis: 'needs Redis, set SVC_TEST_REDIS_URL',
  chromium: 'needs a browser, set SVC_TEST_CHROMIUM',
  bubblewrap: 'needs a bubblewrap that works here, such as the package bubblewrap of Debian',
  'network namespaces': 'needs root, unshare of util-linux and ip of iproute2',
  'control groups': 'needs root and cgroups of version 1 that can be written',
  'loop devices': 'needs root, mkfs.ext4 and loop devices',
  exim: 'needs the mail server Exim, such as the package exim4-daemon-light of Debian',
  helm: 'needs Helm, set HELM_BIN',
  promtool: 'needs promtool of Prometheus, set PROMTOOL_BIN',
} satisfies Record<keyof typeof stores, string>

type Describe = (title: string, tests: () => void) => void

/** Marks tests that need a real store. Without it they are skipped, with the reason in the title. */
export function needs(...names: (keyof typeof stores)[]): Describe {
  return skippedFor(names.filter((name) => !stores[name]).map((name) => REASONS[name]))
}

/** Marks tests that need these programs. Without one they are skipped, with the reason in the title. */
export function needsPrograms(...programs: string[]): Describe {
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error !== undefined)
  return skippedFor(missing.map((program) => `needs ${program} on the PATH`))
}

/** Returns `describe`, or `describe.skip` if there are reasons. skip-reporter.ts prints them at the end. */
function skippedFor(reasons: readonly string[]): Describe {
  if (reasons.length === 0) return describe
  return (title, tests) => describe.skip(`${title} (skipped: ${reasons.join('; ')})`, tests)
}

function canMakeNetworks(): boolean {
  const link = 'ip link add out type veth peer name nowhere'
  return spawnSync('unshare', ['--net', '--mount', 'sh', '-c', link]).status === 0
}

/** Whether groups that limit memory can be made below the own one. */
function canMakeGroups(): boolean {
  const own = /^\d+:memory:(.*)$/m.exec(
    existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8') : '',
  )
  if (own === null) return false
  const folder = join('/sys/fs/cgroup/memory', own[1]!, `svc-test-${process.pid}`)
  try {
    mkdirSync(folder)
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Makes a small image and mounts it in a namespace of its own, which takes the mount away again. */
function canMountImages(): boolean {
  const image = join(tmpdir(), `svc-image-${process.pid}`)
  const script = `truncate -s 1M "$0" && mkfs.ext4 -q -F "$0" && mount -o loop "$0" /mnt`
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-c', script, image])
  rmSync(image, { force: true })
  return status === 0
}

/** Whether bubblewrap works, because the kernel or a container's profile may refuse it. */
function findWorkingBubblewrap(): string | undefined {
  const { status } = spawnSync('/usr/bin/bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true'])
  return status === 0 ? '/usr/bin/bwrap' : undefined
}
