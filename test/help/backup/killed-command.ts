import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Environment } from '../../../src/server/config/reader.ts'
import { COMMAND_FILE } from '../programs/command-file.ts'
import { programEnvironment } from '../programs/program-environment.ts'

type Ended = { exit: number | null; output: string; ms: number }

/** Starts a command of `svc-server` in a process of its own, which the caller may kill. */
export function startCommand(env: Environment, args: readonly string[]) {
  const began = performance.now()
  const child = spawn(process.execPath, [COMMAND_FILE, ...args], {
    env: { ...programEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A program that outlives the command holds its standard error, so only the command itself is waited for.
  const output = [child.stdout, child.stderr].map((stream) => text(stream))
  const ended = async (): Promise<Ended> => {
    const [exit] = (child.exitCode ?? child.signalCode) === null ? await once(child, 'exit') : [child.exitCode]
    const ms = performance.now() - began
    return { exit: exit as number | null, output: exit === null ? '' : (await Promise.all(output)).join(''), ms }
  }
  return { ended: ended(), kill: () => void child.kill('SIGKILL') }
}

/** Runs a command and kills it after so many milliseconds, unless it has ended. */
export async function runKilled(env: Environment, args: readonly string[], ms: number): Promise<Ended> {
  const command = startCommand(env, args)
  const timer = setTimeout(command.kill, ms)
  try {
    return await command.ended
  } finally {
    clearTimeout(timer)
  }
}
