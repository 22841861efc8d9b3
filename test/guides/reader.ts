import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSvc } from '#test/programs/cli-run.ts'
import { plainWords } from './commands.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export type Ran = { readonly exit: number; readonly stdout: string; readonly stderr: string }

type ReaderOptions = {
  /** Working directory. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** These read the working directory, so they run in a process of their own. */
const IN_FOLDER = /--dir |@|skills install|datasource test|org export/

/**
 * A person who types the commands of a guide. Variables that one command sets are there for the next. Commands of svc
 * that need no shell run in the process of the test, because a process for each takes too long.
 */
export class Reader {
  readonly #folder: string
  readonly #env: Readonly<Record<string, string>>
  readonly #settings: string[] = []

  constructor({ folder, env }: ReaderOptions) {
    this.#folder = folder
    this.#env = env
  }

  /** Runs a command. One that asks is typed on a terminal and gets the answer. */
  async run(command: string, answer?: string): Promise<Ran> {
    const plain = plainWords(command)
    const words = plain?.words[0] === 'npx' ? plain.words.slice(1) : plain?.words
    if (words?.[0] !== 'svc' || IN_FOLDER.test(command)) return this.#inShell(command)
    const options = { env: this.#env, folder: this.#folder }
    if (answer !== undefined) return runSvc(words.slice(1), { ...options, columns: 80, stdin: `${answer}\n` })
    const stdin = plain?.stdinFile === undefined ? '' : readFileSync(join(this.#folder, plain.stdinFile), 'utf8')
    return runSvc(words.slice(1), { ...options, stdin })
  }

  async #inShell(command: string): Promise<Ran> {
    if (/^(?:export |\w+=)/.test(command)) this.#settings.push(command)
    const script = [...this.#settings, command].join('\n')
    return new Promise((resolve) => {
      const options = { cwd: this.#folder, env: this.#env }
      execFile('bash', ['-ec', script], options, (error, stdout, stderr) =>
        resolve({ exit: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
      )
    })
  }
}

/** Writes `svc` and `npx` into a folder: the client of this checkout, and a way to call it that asks no registry. */
export function writePrograms(folder: string): void {
  const svc = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin', 'svc.js')}" "$@"\n`
  writeFileSync(join(folder, 'svc'), svc, { mode: 0o755 })
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
}
