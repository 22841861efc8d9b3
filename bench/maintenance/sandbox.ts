import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const BUBBLEWRAP = '/usr/bin/bwrap'
const LIMIT_MS = 20_000

/** Whether source that a model wrote can be run here without network, other files or other processes. */
export function hasSandbox(): boolean {
  return spawnSync(BUBBLEWRAP, ['--unshare-all', '--ro-bind', '/', '/', '/bin/true']).status === 0
}

/** Runs the hidden test on the files in a sandbox. Returns whether it passed. */
export function passesTest(files: Readonly<Record<string, string>>, test: string): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'svc-hidden-test-'))
  try {
    for (const [path, text] of Object.entries({ ...files, 'hidden-test.mjs': test })) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    }
    const walls = [
      '--unshare-all',
      '--die-with-parent',
      '--clearenv',
      '--ro-bind',
      '/usr',
      '/usr',
      '--ro-bind-try',
      '/lib',
    ]
    const more = ['/lib', '--ro-bind-try', '/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev']
    const node = ['--ro-bind', process.execPath, '/node', '--ro-bind', dir, '/app', '--chdir', '/app']
    const run = spawnSync(BUBBLEWRAP, [...walls, ...more, ...node, '/node', 'hidden-test.mjs'], { timeout: LIMIT_MS })
    return run.status === 0
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
