import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

const UNREACHABLE_LIMIT = '1000000000'
/** Folders and files of a checkout that a start reads. */
const CHECKOUT = ['bin', 'scripts', 'src', 'skills', 'examples', 'package.json']

export type Copy = Disposable & { root: string; env: NodeJS.ProcessEnv }

/** A checkout as `git clone` and `npm ci` leave it: nothing is built and no compiled code is kept. */
export function freshCopy(of: string): Copy {
  const root = mkdtempSync(join(tmpdir(), 'svc-bench-clone-'))
  for (const part of CHECKOUT) cpSync(join(of, part), join(root, part), { recursive: true })
  symlinkSync(join(of, 'node_modules'), join(root, 'node_modules'))
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(root, 'code'), SVC_DATA_DIR: join(root, 'data') }
  return { root, env, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

export type Started = AsyncDisposable & { child: ChildProcess; pid: number; url: string; began: number }

/** Starts the server as `npm start` does and waits for the line that says where it is. */
export async function start({ root, env }: Copy, more: NodeJS.ProcessEnv = {}): Promise<Started> {
  const began = performance.now()
  const limits = { SVC_QUESTIONS_PER_MINUTE: UNREACHABLE_LIMIT, SVC_QUESTIONS_PER_DAY: UNREACHABLE_LIMIT }
  const child = spawn(process.execPath, ['--max-semi-space-size=16', 'bin/start.js'], {
    cwd: root,
    // A question to the example before it is made is refused with a warning.
    env: { ...env, PORT: '0', SVC_LOG_LEVEL: 'error', ...limits, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A run that fails must not leave the server behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    process.off('exit', kill)
  }
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const url = /^svc ready at (\S+)$/.exec(line)?.[1]
    if (!url) continue
    child.stdout.resume()
    return { child, pid: child.pid!, url, began, [Symbol.asyncDispose]: stop }
  }
  throw new Error('it ended before it was ready')
}

/** Seconds from `began` until the readiness check passes and the console's first page is there, which may be built. */
export async function untilReady({ url, began }: Started): Promise<number> {
  for (;;) {
    const [ready, page] = await Promise.all([fetch(`${url}/readyz`), fetch(url, { headers: { accept: 'text/html' } })])
    const [, html] = await Promise.all([ready.text(), page.text()])
    if (ready.ok && page.ok && html.includes('<script type="module"')) return (performance.now() - began) / 1000
    await setTimeout(20)
  }
}

/** A data source that can be asked, with a key of its organization. */
export type Source = { url: string; id: string; key: string }

export function exampleOf({ url }: Started, { env }: Copy): Source {
  const { api_key } = JSON.parse(readFileSync(join(env.SVC_DATA_DIR!, 'first-run.json'), 'utf8')) as { api_key: string }
  return { url, id: 'db_handbook', key: api_key }
}

/** Asks the example until it answers: it is created or opened after the server is ready. */
export async function untilAnswered(source: Source): Promise<void> {
  for (;;) {
    const response = await ask(source, 'my laptop was stolen, what now?')
    await response.text()
    if (response.ok) return
    await setTimeout(50)
  }
}

/** Asks `count` different questions, four at a time. A machine that is too busy gets a question again. */
export async function askMany(source: Source, count: number): Promise<void> {
  let asked = 0
  const askOnce = async (query: string): Promise<void> => {
    const response = await ask(source, query)
    const text = await response.text()
    if (response.ok) return
    if (response.status !== 503) throw new Error(`a question was answered ${response.status}: ${text}`)
    await setTimeout(1_000)
    await askOnce(query)
  }
  const lane = async () => {
    while (asked < count) await askOnce(`what does the handbook say about matter ${asked++} of this year?`)
  }
  await Promise.all(Array.from({ length: 4 }, lane))
}

export function ask({ url, id, key }: Source, query: string): Promise<Response> {
  return fetch(`${url}/api/wf/slim/data-sources/${id}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
}
