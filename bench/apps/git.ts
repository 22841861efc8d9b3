import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TreeFile } from './tree.ts'

const AUTHOR = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', '-c', 'gc.auto=0']

export function gitMissing(): boolean {
  return spawnSync('git', ['--version']).error !== undefined
}

type Repository = Disposable & {
  /** Writes the files to the work tree. This is not part of what is measured. */
  place(files: readonly TreeFile[]): void
  /** Adds and commits the work tree. Returns the id of the commit. */
  commit(): string
  read(commit: string, path: string): Buffer
  /** Returns the whole tree as an archive. */
  readTree(commit: string): Buffer
}

/** Makes a repository of the installed git. Each call is a process, as a server that uses git makes them. */
export function makeRepository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-git-'))
  const git = (...args: string[]) => execFileSync('git', [...AUTHOR, ...args], { cwd: folder, maxBuffer: 1 << 26 })
  git('init', '-q')
  return {
    place(files) {
      for (const { path, content } of files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), content)
      }
    },
    commit() {
      git('add', '-A')
      git('commit', '-q', '-m', 'next')
      return git('rev-parse', 'HEAD').toString().trim()
    },
    read: (commit, path) => git('cat-file', 'blob', `${commit}:${path}`),
    readTree: (commit) => git('archive', '--format=tar', commit),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
