import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { until } from '#test/until.ts'
import type { Agent } from './agents.ts'
import type { Person } from './person.ts'

type Step = ReturnType<Agent['oauth']>[number]
type Ended = { code: number | null; output: string }

/** A home folder, a work folder in it, and a terminal whose browser is a person who approves. */
export type Place = {
  readonly folder: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** How often an agent opened the browser here and the person approved. */
  readonly logins: () => number
  /** How often the page that an agent opened did not come. */
  readonly opensInVain: () => number
  take(step: Step): Promise<Ended>
  /** Does the work while the person attends to the browser. */
  attended<T>(work: Promise<T>): Promise<T>
}

type Options = { folder: string; path: string; env: Record<string, string>; person: Person; seconds: number }

const OPENED = 'opened'
const MAX_OUTPUT = 1024 * 1024

/** A new terminal has no columns, and the spinner of mcporter never ends in such a one. */
const TERMINAL_SIZE = 'stty columns 120 rows 40'

/** `seconds` is the time that one command may take. */
export function makePlace({ folder, path, env, person, seconds }: Options): Place {
  const [bin, work] = [join(folder, 'bin'), join(folder, 'work')]
  for (const part of [bin, work]) mkdirSync(part, { recursive: true })
  const browser = join(bin, 'xdg-open')
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> "$HOME/${OPENED}"\n`, { mode: 0o755 })
  const environment = {
    PATH: `${bin}:${path}`,
    HOME: folder,
    BROWSER: browser,
    // Some agents open a browser only on a desktop.
    DISPLAY: ':0',
    TERM: 'xterm-256color',
    ...env,
  }
  let [visited, approved, fault] = [0, 0, '']
  const visit = async (): Promise<void> => {
    const file = join(folder, OPENED)
    // The last line has no end while it is being written.
    const addresses = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
    const address = addresses[visited]
    if (address === undefined) return
    visited += 1
    try {
      await person.approve(address)
      approved += 1
    } catch (error) {
      fault = `, and the browser ended with: ${String(error)}`
    }
  }
  return {
    folder,
    cwd: work,
    env: environment,
    logins: () => approved,
    opensInVain: () => visited - approved,
    attended: (task) => attend(task, visit),
    take: async (step) => {
      if ('file' in step) {
        const file = join(step.inHome ? folder : work, step.file)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, step.content)
        return { code: 0, output: '' }
      }
      return runInTerminal(step, {
        cwd: work,
        env: environment,
        deadline: Date.now() + seconds * 1000,
        visit,
        fault: () => fault,
      })
    },
  }
}

async function attend<T>(task: Promise<T>, visit: () => Promise<void>): Promise<T> {
  let isDone = false
  const done = task.finally(() => {
    isDone = true
  })
  await Promise.all([done, until(async () => isDone || visit().then(() => false))])
  return done
}

type Terminal = {
  cwd: string
  env: Record<string, string>
  deadline: number
  visit: () => Promise<void>
  fault: () => string
}

/** Runs a command in a terminal until it ends, or until the deadline, when it is killed. */
async function runInTerminal(step: Extract<Step, { run: string }>, options: Terminal): Promise<Ended> {
  const { cwd, env, deadline, visit, fault } = options
  const command = `${TERMINAL_SIZE}; ${step.run}`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd, env })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MAX_OUTPUT)
  })
  child.stderr.resume()
  // The command may end before it read its answer.
  child.stdin.on('error', () => {})
  const answers = [...(step.answers ?? [])]
  try {
    await until(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return true
      if (Date.now() > deadline) throw new Error(`"${step.run}" took too long: ${lastOf(output)}${fault()}`)
      await visit()
      const [next] = answers
      if (next?.to.test(output)) {
        child.stdin.write(next.with)
        answers.shift()
      }
      return false
    })
  } finally {
    // The end of the terminal also ends the command in it.
    child.kill('SIGKILL')
    await ended
  }
  return { code: child.exitCode, output: stripVTControlCharacters(output) }
}

/** End of an output, in one line. */
export function lastOf(output: string): string {
  return stripVTControlCharacters(output).replaceAll(/\s+/g, ' ').trim().slice(-300)
}
