import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe } from 'vitest'

/** The real stores to test against, if configured; otherwise tests use the embedded ones. */
export const stores = {
  postgres: process.env.SVC_TEST_DATABASE_URL,
  redis: process.env.SVC_TEST_REDIS_URL,
  chromium: process.env.SVC_TEST_CHROMIUM,
  bubblewrap: findWorkingBubblewrap(),
  'network namespaces': canMakeNetworks() ? 'unshare' : undefined,
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

/** Whether bubblewrap works, because the kernel or a container's profile may refuse it. */
function findWorkingBubblewrap(): string | undefined {
  const { status } = spawnSync('/usr/bin/bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true'])
  return status === 0 ? '/usr/bin/bwrap' : undefined
}
