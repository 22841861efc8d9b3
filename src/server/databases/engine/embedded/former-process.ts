import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Keeps two engine processes from having one folder open. A process of svc that was killed may leave its engine busy
 * with a statement for a while, and a second engine on the same folder would corrupt it. The file names the process by
 * pid and start time, so that another process which got the same pid later is left alone. Linux only: elsewhere an
 * engine ends when it next reads or writes.
 */
export function rememberProcess(file: string, pid: number): void {
  writeFileSync(file, `${pid} ${startTimeOf(pid) ?? ''}`, { mode: 0o600 })
}

export function forgetProcess(file: string): void {
  rmSync(file, { force: true })
}

/** Kills the process that the file names, if it still runs, and waits until it is gone. */
export async function endFormerProcess(file: string): Promise<void> {
  const [pid, startTime] = readRemembered(file)
  if (!pid || !startTime) return
  while (startTimeOf(pid) === startTime) {
    kill(pid)
    await delay(10)
  }
  forgetProcess(file)
}

function readRemembered(file: string): [pid: number, startTime: string] | [] {
  try {
    const [pid, startTime = ''] = readFileSync(file, 'utf8').split(' ')
    return [Number(pid), startTime]
  } catch {
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

/** Clock ticks since boot at which the process started: field 22 of /proc/PID/stat. A zombie counts as gone. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}
