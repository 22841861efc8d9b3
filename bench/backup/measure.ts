import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { bundledServer } from '../../scripts/server-bundle.ts'

/** Joined into few files as in a release: running the sources takes 40 MB more to strip their types. */
const COMMAND = join(dirname(await bundledServer()), 'svc-server.js')
const POLL_MS = 50

export type Run = {
  readonly ms: number
  readonly bytes: number
  /** Most memory that was resident, with the pages of the program that other processes share. */
  readonly peakMb: number
  /** Most memory with shared pages divided among the processes that use them. */
  readonly peakShareMb: number
  /** Processor time of the process itself and of its threads, not of its children. */
  readonly cpuSeconds: number
}

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
  const { code, errors, ...measured } = await watch(program, args, env)
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`)
  return { ...measured, bytes: statSync(file).size }
}

async function watch(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const began = performance.now()
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  const seen = { peakMb: 0, peakShareMb: 0, cpuSeconds: 0 }
  const poll = setInterval(() => look(child.pid!, seen), POLL_MS)
  const [[code], errors] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stderr)])
  clearInterval(poll)
  return { code, errors, ms: performance.now() - began, ...seen }
}

type Seen = { peakMb: number; peakShareMb: number; cpuSeconds: number }

/** Leaves the figures as they are when the process has ended. */
function look(pid: number, seen: Seen): void {
  try {
    const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
    const mb = (status: string, field: string) =>
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
    seen.peakMb = Math.max(seen.peakMb, mb(read('status'), 'VmHWM'))
    seen.peakShareMb = Math.max(seen.peakShareMb, mb(read('smaps_rollup'), 'Pss'))
    // Fields 14 and 15, in hundredths of a second; the name before them ends with the last parenthesis.
    const fields = read('stat').split(') ').at(-1)!.split(' ')
    seen.cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    // It ended between two reads.
  }
}
