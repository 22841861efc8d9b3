import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const TICKS_PER_SECOND = 100

/** A server process: ours or another one. */
export type Server = AsyncDisposable & { pid: number; url: string }

/** Starts a program. With a pattern, waits until its output matches and returns the first group. */
export async function start(
  command: string,
  args: readonly string[],
  pattern: RegExp | undefined,
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<Server> {
  const child = spawn(command, args, {
    ...options,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const url = pattern ? await waitForOutput(child, pattern) : ''
  // The output is discarded from here on, so that a full pipe does not block the program.
  child.stdout.resume()
  child.stderr.resume()
  return { pid: child.pid!, url, [Symbol.asyncDispose]: () => stop(child) }
}

function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = ''
    const listen = (chunk: Buffer) => {
      all += chunk
      const found = pattern.exec(all)
      if (!found) return
      child.stdout!.off('data', listen)
      child.stderr!.off('data', listen)
      resolve(found[1] ?? '')
    }
    child.stdout!.on('data', listen)
    child.stderr!.on('data', listen)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${all.slice(-2000)}`)))
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

/** Returns the CPU time in milliseconds of a process and its descendants, including ended ones. */
export function cpuMs(pid: number): number {
  const ticks = processTree(pid).map((one) => {
    const fields = statOf(one)
    return [11, 12, 13, 14].reduce((sum, place) => sum + Number(fields[place] ?? 0), 0)
  })
  return (ticks.reduce((a, b) => a + b, 0) * 1000) / TICKS_PER_SECOND
}

/** Waits until the installation has done next to nothing for 5 seconds, so that what it does after a start has ended. */
export async function untilIdle(server: number, limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs
  for (let before = cpuMs(server); performance.now() < endMs; ) {
    await setTimeout(5_000)
    const now = cpuMs(server)
    if (now - before < 150) return
    before = now
  }
}

export function memoryMb(pid: number): number {
  const kilobytes = processTree(pid).map((one) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${one}/status`))?.[1] ?? 0))
  return kilobytes.reduce((a, b) => a + b, 0) / 1024
}

/** Returns the memory of a process and its descendants in MB, with shared pages divided among those that share them. */
export function pssMb(pid: number): number {
  return processTree(pid).reduce((sum, one) => sum + ownPssMb(one), 0)
}

/** Returns the memory in MB of the process alone; 0 for one that has ended. */
export function ownPssMb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024
}

/** Returns the words of a process's command line; none for one that has ended. */
export function commandOf(pid: number): string[] {
  return read(`/proc/${pid}/cmdline`).split('\0')
}

/** Returns how many files and sockets a process and its descendants hold open. */
export function openFiles(pid: number): number {
  return processTree(pid).reduce((sum, one) => sum + list(`/proc/${one}/fd`).length, 0)
}

/** Returns the pids of the process and its descendants. */
export function processTree(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(Number(name))[1]) }))
  const found = [pid]
  for (const one of found) found.push(...parents.filter(({ parent }) => parent === one).map((child) => child.pid))
  return found
}

/** Returns the fields of /proc/PID/stat from the third on, because the second is a name that may contain anything. */
function statOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
