import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The release with `--built`, which takes less memory than running the sources. */
const COMMAND = join(
  import.meta.dirname,
  process.argv.includes('--built') ? '../../dist/svc-server.js' : '../../bin/svc-server.js',
)
const POLL_MS = 20

export type Run = { readonly ms: number; readonly bytes: number; readonly peakMb: number }

/** Runs `svc-server backup` to a file that stays. The peak is of its own process, without `pg_dump`. */
export function runBackup(env: NodeJS.ProcessEnv, file: string, publicKey: string): Promise<Run> {
  rmSync(file, { force: true })
  return run(process.execPath, [COMMAND, 'backup', file, '--public-key', publicKey], { env, file })
}

/** Returns the peak memory of a backup that has loaded its code and connected, and then finds no folder for its file. */
export async function refusedBackupMb(env: NodeJS.ProcessEnv, file: string, publicKey: string): Promise<number> {
  const { code, peakMb } = await watch(process.execPath, [COMMAND, 'backup', file, '--public-key', publicKey], env)
  if (code === 0) throw new Error('the backup was not refused')
  return peakMb
}

/** Runs `pg_dump` to a file, which is removed. */
export async function runDump(program: string, url: string, file: string, options: readonly string[]): Promise<Run> {
  const done = await run(program, ['--format=custom', ...options, `--file=${file}`, url], { env: {}, file })
  rmSync(file)
  return done
}

type Output = { readonly env: NodeJS.ProcessEnv; readonly file: string }

async function run(program: string, args: readonly string[], { env, file }: Output): Promise<Run> {
  const { code, errors, ms, peakMb } = await watch(program, args, env)
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`)
  return { ms, bytes: statSync(file).size, peakMb }
}

async function watch(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const began = performance.now()
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let peakMb = 0
  const poll = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child.pid!))
  }, POLL_MS)
  const [[code], errors] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stderr)])
  clearInterval(poll)
  return { code, errors, ms: performance.now() - began, peakMb }
}

/** Returns 0 for a process that has ended. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
