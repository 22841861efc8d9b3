import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

/**
 * First start, restart and memory of the embedded default, as `npm start` runs it, beside the limits below and, with
 * `--against FOLDER`, an earlier checkout with its dependencies installed. Memory is the proportional set size of the
 * server and every process below it. Rounds alternate; nothing is random.
 */
const LIMITS = { 'first start, s': 5, 'example answers, s': 10, 'restart, s': 1.5, 'memory after questions, MB': 800 }
const tenth = process.argv.includes('--tenth')
const ROUNDS = tenth ? 1 : 3
const TICKS_PER_SECOND = 100
const QUESTIONS = tenth ? 15 : 150
const against = process.argv[process.argv.indexOf('--against') + 1]

type Figures = Record<string, number>

const checkouts = [
  { name: 'this checkout', root: join(import.meta.dirname, '../..') },
  ...(process.argv.includes('--against') && against ? [{ name: 'the earlier one', root: resolve(against) }] : []),
]
const figures = new Map<string, Figures[]>(checkouts.map(({ name }) => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const { name, root } of checkouts) figures.get(name)!.push(await measure(root))
}
print()

async function measure(root: string): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-start-'))
  try {
    const first = await start(root, dataDir)
    await untilAnswered(first.url, dataDir)
    const answered = (performance.now() - first.began) / 1000
    const firstCpu = cpuOf(first.child.pid!)
    await stop(first.child)
    const again = await start(root, dataDir)
    const againCpu = cpuOf(again.child.pid!)
    const idle = memoryOf(again.child.pid!)
    // On a busy machine the engine of the example can take longer to open than a question waits for it.
    await untilAnswered(again.url, dataDir)
    await askMany(again.url, dataDir)
    const used = memoryOf(again.child.pid!)
    await stop(again.child)
    return {
      'first start, s': first.seconds,
      'example answers, s': answered,
      'CPU until then, s': firstCpu,
      'restart, s': again.seconds,
      'CPU of the restart, s': againCpu,
      'memory idle, MB': idle,
      'memory after questions, MB': used,
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Started = { child: ChildProcess; url: string; began: number; seconds: number }

async function start(root: string, dataDir: string): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, ['--max-semi-space-size=16', 'bin/start.js'], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: '0', SVC_DATA_DIR: dataDir, SVC_QUESTIONS_PER_MINUTE: '10000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A run that fails must not leave the server behind.
  process.once('exit', () => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^svc ready at (\S+)$/.exec(line)?.[1]
    if (url) return { child, url, began, seconds: (performance.now() - began) / 1000 }
  }
  throw new Error('it ended before it was ready')
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
}

async function askMany(url: string, dataDir: string): Promise<void> {
  for (let n = 0; n < QUESTIONS; n++) {
    const response = await ask(url, dataDir, `what about question ${n}?`)
    if (!response.ok) throw new Error(`a question was answered ${response.status}: ${await response.text()}`)
    await response.text()
  }
}

/** Asks the example until it answers: it is created or opened after the server is ready. */
async function untilAnswered(url: string, dataDir: string): Promise<void> {
  for (;;) {
    const response = await ask(url, dataDir, 'my laptop was stolen, what now?')
    await response.text()
    if (response.ok) return
    await setTimeout(50)
  }
}

function ask(url: string, dataDir: string, query: string): Promise<Response> {
  const { api_key } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as { api_key: string }
  return fetch(`${url}/api/wf/slim/data-sources/db_handbook/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
}

function memoryOf(root: number): number {
  const sizes = treeOf(root).map((pid) => read(`/proc/${pid}/smaps_rollup`))
  return sizes.reduce((sum, text) => sum + Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0), 0) / 1024
}

/** Returns the seconds of user and system time of the process and those below it, ended ones included. */
function cpuOf(root: number): number {
  // Fields 14 to 17 of /proc/<pid>/stat, counted from the third, which follows the name in parentheses.
  const ticks = treeOf(root).flatMap((pid) => statOf(pid).slice(11, 15).map(Number))
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND
}

function treeOf(root: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(pids.map((pid) => [Number(pid), Number(statOf(Number(pid))[1] ?? 0)]))
  const isBelow = (pid: number): boolean => pid === root || (parents.has(pid) && isBelow(parents.get(pid)!))
  return [...parents.keys()].filter(isBelow)
}

function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function print(): void {
  console.log(`${ROUNDS} rounds, medians; ${QUESTIONS} questions`)
  const [ours, other] = checkouts.map(({ name }) => figures.get(name)!)
  for (const key of Object.keys(ours![0]!)) {
    const own = median(ours!.map((round) => round[key]!))
    const limit =
      key in LIMITS
        ? `   limit ${LIMITS[key as keyof typeof LIMITS]}: ${(own / LIMITS[key as keyof typeof LIMITS]).toFixed(2)} of it`
        : ''
    const before = other && median(other.map((round) => round[key]!))
    const ratio = before === undefined ? '' : `   earlier ${before.toFixed(1)}: ${(own / before).toFixed(2)} of it`
    console.log(`${key.padEnd(28)} ${own.toFixed(1).padStart(8)}${limit}${ratio}`)
  }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
