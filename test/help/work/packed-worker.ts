import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packSdk } from '../../../scripts/pack-sdk.ts'

/** Serves `greet`, and two functions that note each run in a file; the first worker never ends those. */
const PROGRAM = `
  import { appendFileSync } from 'node:fs'
  import { createWorker } from '@svc-instance/worker-sdk'
  const run = (name) => {
    appendFileSync('runs.txt', name + '\\n')
    return process.env.HANGS ? new Promise(() => {}) : 'done'
  }
  const input = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const worker = createWorker({ onError: () => {} })
  worker.function('greet', { description: 'Greets', input }, ({ name }) => ({ text: 'Hello ' + name }))
  worker.function('once', {}, () => run('once'))
  worker.function('again', { repeatable: true }, () => run('again'))
  await worker.start()
  console.log('ready')
  process.on('SIGTERM', () => worker.stop().then(() => process.exit(0)))`

type WorkerProcess = AsyncDisposable & { readonly child: ChildProcess }

/** A folder outside the repository with the packed SDK in it, whose workers run as processes of their own. */
export async function packWorkers() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-worker-'))
  await packSdk(join(folder, 'node_modules', '@svc-instance/worker-sdk'))
  writeFileSync(join(folder, 'worker.mjs'), PROGRAM)
  writeFileSync(join(folder, 'runs.txt'), '')
  const start = async (env: Record<string, string>): Promise<WorkerProcess> => {
    const child = spawn(process.execPath, ['worker.mjs'], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const isReady = once(createInterface({ input: child.stdout }), 'line')
    const hasEnded = once(child, 'exit').then(() => Promise.reject(new Error('the worker ended before it was ready')))
    await Promise.race([isReady, hasEnded])
    hasEnded.catch(() => {})
    const stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    return { child, [Symbol.asyncDispose]: stop }
  }
  return {
    start,
    /** Names of the functions that ran, once for each run. */
    runs: () => readFileSync(join(folder, 'runs.txt'), 'utf8').split('\n').filter(Boolean),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  }
}
